import type { Element } from 'domhandler'
import type { PageBudget } from '../page/page-budget.ts'
import type { NestedTexts, TextRelation } from '../select/nested-texts.ts'
import type { Tree } from '../tree/parse-tree.ts'
import { callFunction } from './xpath-functions.ts'
import type { Context } from './xpath-functions.ts'
import { compare, type ComparedValue } from './xpath-compare.ts'
import { FarElements, type FarLists } from './xpath-far.ts'
import { ListedValues } from './xpath-listed-values.ts'
import {
  isElement,
  isParent,
  longListSteps,
  stringOf,
  TreeNodes,
  type XPathNode,
} from './xpath-nodes.ts'
import { DocumentOrder } from './xpath-order.ts'
import { isPositional } from './xpath-parts.ts'
import type { Axis, Expression, FunctionName, LocationPath, PathStep } from './xpath-parts.ts'
import { formOfText, pickOf } from './xpath-forms.ts'
import { type FindNodes, type NodeLists, SiblingSlices, withoutSubsets } from './xpath-siblings.ts'
import { calculate, numberOf, truthOf, type XPathValue } from './xpath-values.ts'

/** The page that an expression is evaluated on. */
export interface XPathPage {
  readonly tree: Tree
  readonly budget: PageBudget
  readonly lists: NodeLists
  readonly far: FarLists
  readonly matching: { readonly texts: NestedTexts }
}

/**
 * Returns the value of an expression at a node (`null`: the document). Nodes are in document order.
 * The page's budget pays for the work.
 *
 * @throws {PageTooCostly}
 */
export function evaluateXPath(
  expression: Expression,
  page: XPathPage,
  scope: Element | null,
): XPathValue {
  return new Evaluation(page).value(expression, contextOf(page, scope))
}

/**
 * The value of an expression at a node, of whose nodes only the first is needed. Returns the same
 * first node as {@link evaluateXPath}.
 *
 * @throws {PageTooCostly}
 */
export function evaluateFirst(
  expression: Expression,
  page: XPathPage,
  scope: Element | null,
): XPathValue {
  return new Evaluation(page).first(expression, contextOf(page, scope))
}

/** The context of an expression at a node. */
export function contextOf({ tree, budget }: XPathPage, scope: Element | null): Context {
  return { node: scope ?? tree.document, position: 1, last: () => 1, tree, budget }
}

/** Axes whose nodes come in reverse document order. */
export const REVERSE: ReadonlySet<Axis> = new Set<Axis>([
  'ancestor',
  'ancestor-or-self',
  'preceding',
  'preceding-sibling',
])

/** Steps and bytes to list a node of a path from the root. */
export const LIST_STEPS = 1
export const LIST_BYTES = 8
/** Copying takes a step for so many nodes, as a power of two. */
export const COPY_SHIFT = 2
/** Steps to evaluate an expression, to call a function, and to take a step of a path. */
export const VALUE_STEPS = 2
export const CALL_STEPS = 4
export const PATH_STEPS = 4
/** Steps to list a node that a step comes to from several nodes. */
export const REACH_STEPS = 2
/** Steps to ask a node for a condition, besides those of its expression. */
export const CONDITION_STEPS = 4

/** Functions that take a node-set whole. All others take the text of its first node. */
export const OF_NODES: ReadonlySet<FunctionName> = new Set<FunctionName>(['count', 'sum', 'id'])

/** Axes that stay within a node, so that nodes apart from each other give results in order. */
export const WITHIN: ReadonlySet<Axis> = new Set<Axis>(['child', 'attribute', 'self'])

/** The evaluation of an expression on a page, at once. */
export class Evaluation {
  readonly #tree: Tree
  readonly #budget: PageBudget
  readonly #nodes: TreeNodes
  readonly #order: DocumentOrder
  readonly #lists: NodeLists
  readonly #texts: NestedTexts
  readonly #siblings: SiblingSlices
  readonly #far: FarElements

  constructor({ tree, budget, lists, far, matching }: XPathPage) {
    this.#tree = tree
    this.#budget = budget
    this.#nodes = new TreeNodes(tree, budget, lists.attributes)
    this.#order = new DocumentOrder(this.#nodes, budget)
    this.#lists = lists
    this.#texts = matching.texts
    const find = this.#findAtOnce()
    this.#siblings = new SiblingSlices(lists, tree.document, budget, find)
    this.#far = new FarElements(far, tree, budget, find)
  }

  #findAtOnce(): FindNodes {
    const along = (...step: Parameters<TreeNodes['along']>) => this.#nodes.along(...step)
    const filter = (...of: [XPathNode[], readonly Expression[]]) => this.#filter(...of)
    return {
      *along(...step) {
        yield
        return along(...step)
      },
      *filter(...of) {
        yield
        return filter(...of)
      },
    }
  }

  value(expression: Expression, context: Context): XPathValue {
    this.#budget.work(VALUE_STEPS)
    switch (expression.kind) {
      case 'text':
      case 'number':
        return expression.value
      case 'path':
        return expression.path.start === 'root'
          ? this.#constant(expression, expression.path, context)
          : this.#select(expression.path, context)
      case 'filter':
        return this.#filtered(expression, context)
      case 'union':
        return this.#order.ordered(
          new Set(expression.parts.flatMap((part) => this.#nodesOf(part, context))),
        )
      case 'minus':
        return -numberOf(this.first(expression.of, context), this.#budget)
      case 'call':
        return this.#call(expression, context)
      case 'operation':
        return this.#operation(expression, context)
    }
  }

  /** The value of an expression, of whose nodes only the first is needed. */
  first(expression: Expression, context: Context): XPathValue {
    const first = this.#siblings.firstOf(
      expression,
      context.node,
      (sibling, steps) =>
        this.#select({ start: 'here', steps }, { ...context, node: sibling })[0] ?? null,
    )
    if (first !== undefined) return first === null ? [] : [first]
    return this.value(expression, context)
  }

  /** The nodes of a path from the root. They are listed at the second question. */
  #constant(expression: Expression, path: LocationPath, context: Context): readonly XPathNode[] {
    const { constants } = this.#lists
    const cached = constants.get(expression)
    if (cached) return cached
    const nodes = this.#select(path, context)
    if (cached === null) {
      this.#budget.work(LIST_STEPS * nodes.length)
      this.#budget.make(LIST_BYTES * nodes.length)
    }
    constants.set(expression, cached === null ? nodes : null)
    return nodes
  }

  /** Nodes that are picked by their position are looked up, not visited. */
  #filtered(
    { of, predicates }: Extract<Expression, { kind: 'filter' }>,
    context: Context,
  ): XPathNode[] {
    const [first, ...others] = predicates
    const pick = first === undefined ? null : pickOf(first)
    if (pick === null) return this.#filter(this.#nodesOf(of, context), predicates)
    const slice = this.#siblings.sliceOf(of, context.node)
    if (slice !== null) return this.#filter(this.#siblings.pick(slice, pick, false), others)
    const value = this.value(of, context)
    const nodes = typeof value === 'object' ? value : []
    const count = Math.max(0, Math.min(pick.count, nodes.length - pick.first))
    const from = pick.isFromEnd ? nodes.length - pick.first - count : pick.first
    this.#budget.work(count >> COPY_SHIFT)
    return this.#filter(nodes.slice(from, from + count), others)
  }

  #call({ name, args }: Extract<Expression, { kind: 'call' }>, context: Context): XPathValue {
    this.#budget.work(CALL_STEPS)
    const [first] = args
    if (first !== undefined && name === 'count') {
      const slice = this.#siblings.sliceOf(first, context.node)
      if (slice !== null) return slice.to - slice.from
      const count = this.#far.countOf(first, context.node)
      if (count !== null) return count
    }
    if (name === 'boolean' || name === 'not')
      return (first !== undefined && this.#truth(first, context)) === (name === 'boolean')
    if (name === 'contains' || name === 'starts-with') {
      const answer = this.#hasText(args, name === 'contains' ? 'contains' : 'starts', context)
      if (answer !== null) return answer
    }
    return callFunction(
      name,
      args.map((argument) =>
        OF_NODES.has(name) ? this.value(argument, context) : this.first(argument, context),
      ),
      context,
    )
  }

  /** Converts like `boolean()`. Siblings are looked up, not visited. */
  #truth(expression: Expression, context: Context): boolean {
    return this.#hasAny(expression, context.node) ?? truthOf(this.value(expression, context))
  }

  #hasAny(expression: Expression, node: XPathNode): boolean | null {
    // Most conditions are no paths, and are told without a look into the maps.
    if (expression.kind !== 'path') return null
    return this.#siblings.hasAny(expression, node) ?? this.#far.hasAny(expression, node)
  }

  #operation(
    { operator, left, right }: Extract<Expression, { kind: 'operation' }>,
    context: Context,
  ): XPathValue {
    if (operator === 'or') return this.#truth(left, context) || this.#truth(right, context)
    if (operator === 'and') return this.#truth(left, context) && this.#truth(right, context)
    switch (operator) {
      case '+':
      case '-':
      case '*':
      case 'div':
      case 'mod':
        return calculate(
          operator,
          numberOf(this.first(left, context), this.#budget),
          numberOf(this.first(right, context), this.#budget),
        )
      default: {
        const answer = operator === '=' ? this.#hasText([left, right], 'equals', context) : null
        if (answer !== null) return answer
        return compare(
          operator,
          this.#operand(left, context),
          this.#operand(right, context),
          this.#budget,
        )
      }
    }
  }

  /**
   * Whether the text of the element at hand has another one. Its text is not made, as elements may
   * be nested. `null`: it is another question.
   */
  #hasText(
    [of, sought]: readonly Expression[],
    relation: TextRelation,
    { node }: Context,
  ): boolean | null {
    const form = of === undefined ? null : formOfText(of)
    if (form === null || sought?.kind !== 'text' || !isParent(node) || !isElement(node)) return null
    return this.#texts.has(node, { text: sought.value, form }, relation)
  }

  /**
   * One side of a comparison. The texts of siblings, and of a path from the root, are listed for
   * all nodes that are compared with them.
   */
  #operand(expression: Expression, context: Context): ComparedValue {
    const slice = this.#siblings.sliceOf(expression, context.node)
    if (slice !== null) {
      const { list, ...range } = slice
      return { ...range, values: list.valuesWith(this.#budget) }
    }
    const value = this.value(expression, context)
    const { constants, texts } = this.#lists
    if (typeof value !== 'object' || constants.get(expression) !== value) return value
    let values = texts.get(expression)
    if (values === undefined) {
      const own = value.map((node) => stringOf(node, this.#budget))
      values = new ListedValues(own, new Int32Array(0), this.#budget)
      texts.set(expression, values)
    }
    return { values, kind: 'all', from: 0, to: value.length, number: 0 }
  }

  /** A value that is not a node-set gives no nodes. */
  #nodesOf(expression: Expression, context: Context): XPathNode[] {
    const value = this.value(expression, context)
    if (typeof value !== 'object') return []
    this.#budget.work((value.length >> COPY_SHIFT) + longListSteps(value.length))
    return [...value]
  }

  #select({ start, steps }: LocationPath, context: Context): XPathNode[] {
    let nodes =
      start === 'root'
        ? [this.#tree.document]
        : start === 'here'
          ? [context.node]
          : this.#nodesOf(start, context)
    for (let index = 0; index < steps.length && nodes.length > 0; index++) {
      const step = steps[index]
      const next = steps[index + 1]
      if (step === undefined) break
      const isAnyBelow =
        step.axis === 'descendant-or-self' &&
        step.test.kind === 'node' &&
        step.predicates.length === 0
      // `//a` is two steps. Without a positional predicate they are evaluated as one.
      if (isAnyBelow && next?.axis === 'child' && !next.predicates.some(isPositional)) {
        nodes = this.#descend(nodes, { ...next, axis: 'descendant' })
        index++
        // Texts have neither children nor attributes, so the next step needs only elements.
      } else if (isAnyBelow && (next?.axis === 'child' || next?.axis === 'attribute'))
        nodes = [
          ...nodes.filter((node) => isParent(node) && !isElement(node)),
          ...this.#descend(nodes, { ...step, test: { kind: 'name', name: null } }),
        ]
      else if (step.axis === 'descendant' || step.axis === 'descendant-or-self')
        nodes = step.predicates.some(isPositional)
          ? this.#step(nodes, step)
          : this.#descend(nodes, step)
      else nodes = this.#step(nodes, step)
    }
    return nodes
  }

  #step(nodes: readonly XPathNode[], step: PathStep): XPathNode[] {
    const { axis } = step
    const [only] = nodes
    if (nodes.length === 1 && only !== undefined && !REVERSE.has(axis))
      return this.#stepFrom(only, step)
    // No node has two parents, so none is reached twice.
    const isOnce = axis === 'self' || (WITHIN.has(axis) && areApart(nodes))
    const reached: XPathNode[] = []
    // From many nodes, a step may come to the same ones: their list would have the square of a page.
    const distinct = new Set<XPathNode>()
    for (const node of withoutSubsets(nodes, step)) {
      const targets = this.#stepFrom(node, step)
      this.#budget.work(REACH_STEPS * targets.length)
      if (isOnce) for (const target of targets) reached.push(target)
      else for (const target of targets) distinct.add(target)
    }
    if (!isOnce) return this.#order.ordered(distinct)
    this.#budget.work(longListSteps(reached.length))
    return reached
  }

  /** A step from one node. If the first predicate is a position, it goes no further than that. */
  #stepFrom(node: XPathNode, step: PathStep): XPathNode[] {
    this.#budget.work(PATH_STEPS)
    const picked = this.#siblings.picked(node, step) ?? this.#far.picked(node, step)
    if (picked !== null) return this.#filter(picked.nodes, picked.after)
    const { axis, test, predicates } = step
    const [first, ...others] = predicates
    if (first?.kind !== 'number')
      return this.#filter(this.#nodes.along(node, axis, test), predicates)
    let position = 0
    let match: XPathNode | null = null
    this.#nodes.visit(node, axis, test, (candidate) => {
      if (++position !== first.value) return false
      match = candidate
      return true
    })
    this.#siblings.visited(node, step, match)
    return match === null ? [] : this.#filter([match], others)
  }

  /**
   * Walks down from several nodes. Nodes inside others are left out, so no element is visited
   * twice.
   */
  #descend(nodes: readonly XPathNode[], { axis, test, predicates }: PathStep): XPathNode[] {
    const descendants: XPathNode[] = []
    let end = -1
    for (const node of nodes) {
      if (isParent(node) && isElement(node)) {
        if ((node.startIndex ?? 0) <= end) continue
        end = node.endIndex ?? -1
      }
      this.#nodes.visit(node, axis, test, (descendant) => {
        descendants.push(descendant)
        return false
      })
    }
    return this.#filter(descendants, predicates)
  }

  #filter(nodes: XPathNode[], predicates: readonly Expression[]): XPathNode[] {
    return predicates.reduce((left, predicate) => {
      if (predicate.kind === 'number') {
        const match = left[predicate.value - 1]
        return match === undefined ? [] : [match]
      }
      this.#budget.work(CONDITION_STEPS * left.length)
      return left.filter((node, index) => this.holds(predicate, node, index, left.length))
    }, nodes)
  }

  /** Whether a condition holds for a node, which is one of so many. */
  holds(predicate: Expression, node: XPathNode, index: number, count: number): boolean {
    const isTrue = this.#hasAny(predicate, node)
    if (isTrue !== null) return isTrue
    const value = this.value(predicate, {
      node,
      position: index + 1,
      last: () => count,
      tree: this.#tree,
      budget: this.#budget,
    })
    return typeof value === 'number' ? value === index + 1 : truthOf(value)
  }
}

/** True for nodes in document order, none of which is inside another. */
export function areApart(nodes: readonly XPathNode[]): boolean {
  let end = -1
  return nodes.every((node) => {
    if (!isParent(node) || !isElement(node) || (node.startIndex ?? 0) <= end) return false
    end = node.endIndex ?? -1
    return true
  })
}
