import type { Element } from 'domhandler'
import type { PageBudget } from '../page/page-budget.ts'
import type { Tree } from '../tree/parse-tree.ts'
import { callFunction } from './xpath-functions.ts'
import type { Context } from './xpath-functions.ts'
import { isElement, isParent, TreeNodes, type XPathNode } from './xpath-nodes.ts'
import { DocumentOrder } from './xpath-order.ts'
import { isPositional } from './xpath-parts.ts'
import type { Axis, Expression, LocationPath, PathStep } from './xpath-parts.ts'
import { SiblingCounts, type SiblingLists, withoutSubsets } from './xpath-siblings.ts'
import { calculate, compare, numberOf, truthOf, type XPathValue } from './xpath-values.ts'

/** The page that an expression is evaluated on. */
interface XPathPage {
  readonly tree: Tree
  readonly budget: PageBudget
  readonly siblings: SiblingLists
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
  const { tree, budget } = page
  const node = scope ?? tree.document
  return new Evaluation(page).value(expression, {
    node,
    position: 1,
    last: () => 1,
    tree,
    budget,
  })
}

/** Axes whose nodes come in reverse document order. */
const REVERSE: ReadonlySet<Axis> = new Set<Axis>([
  'ancestor',
  'ancestor-or-self',
  'preceding',
  'preceding-sibling',
])

/** Axes that stay within a node, so that nodes apart from each other give results in order. */
const WITHIN: ReadonlySet<Axis> = new Set<Axis>(['child', 'attribute', 'self'])

class Evaluation {
  readonly #tree: Tree
  readonly #budget: PageBudget
  readonly #nodes: TreeNodes
  readonly #order: DocumentOrder
  readonly #siblings: SiblingCounts

  constructor({ tree, budget, siblings }: XPathPage) {
    this.#tree = tree
    this.#budget = budget
    this.#nodes = new TreeNodes(tree, budget)
    this.#order = new DocumentOrder(this.#nodes, budget)
    this.#siblings = new SiblingCounts(siblings, this.#nodes, budget, (nodes, predicates) =>
      this.#filter(nodes, predicates),
    )
  }

  value(expression: Expression, context: Context): XPathValue {
    this.#budget.work(1)
    switch (expression.kind) {
      case 'text':
      case 'number':
        return expression.value
      case 'path':
        return this.#select(expression.path, context)
      case 'filter':
        return this.#filter(this.#nodesOf(expression.of, context), expression.predicates)
      case 'union':
        return this.#order.ordered(
          new Set(expression.parts.flatMap((part) => this.#nodesOf(part, context))),
        )
      case 'minus':
        return -numberOf(this.value(expression.of, context), this.#budget)
      case 'call':
        return this.#call(expression, context)
      case 'operation':
        return this.#operation(expression, context)
    }
  }

  #call({ name, args }: Extract<Expression, { kind: 'call' }>, context: Context): XPathValue {
    const [first] = args
    if (first !== undefined && (name === 'count' || name === 'boolean' || name === 'not')) {
      const count = this.#siblings.countOf(first, context.node)
      if (count !== null) return name === 'count' ? count : count > 0 === (name === 'boolean')
    }
    return callFunction(
      name,
      args.map((argument) => this.value(argument, context)),
      context,
    )
  }

  /** Converts like `boolean()`. Siblings are counted, not visited. */
  #truth(expression: Expression, context: Context): boolean {
    const count = this.#siblings.countOf(expression, context.node)
    return count === null ? truthOf(this.value(expression, context)) : count > 0
  }

  #operation(
    { operator, left, right }: Extract<Expression, { kind: 'operation' }>,
    context: Context,
  ): XPathValue {
    if (operator === 'or') return this.#truth(left, context) || this.#truth(right, context)
    if (operator === 'and') return this.#truth(left, context) && this.#truth(right, context)
    const leftValue = this.value(left, context)
    switch (operator) {
      case '+':
      case '-':
      case '*':
      case 'div':
      case 'mod':
        return calculate(
          operator,
          numberOf(leftValue, this.#budget),
          numberOf(this.value(right, context), this.#budget),
        )
      default:
        return compare(operator, leftValue, this.value(right, context), this.#budget)
    }
  }

  /** A value that is not a node-set gives no nodes. */
  #nodesOf(expression: Expression, context: Context): XPathNode[] {
    const value = this.value(expression, context)
    return typeof value === 'object' ? [...value] : []
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
      // `//a` is two steps. Without a positional predicate they are taken as one.
      if (isAnyBelow && next?.axis === 'child' && !next.predicates.some(isPositional)) {
        nodes = this.#descend(nodes, { ...next, axis: 'descendant' })
        index++
        // Texts have neither children nor attributes, so the step after needs only elements.
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
    const reached = new Set<XPathNode>()
    for (const node of withoutSubsets(nodes, step))
      for (const target of this.#stepFrom(node, step)) reached.add(target)
    return axis === 'self' || (WITHIN.has(axis) && areApart(nodes))
      ? [...reached]
      : this.#order.ordered(reached)
  }

  /** A step from one node. If the first predicate is a position, it goes no further than that. */
  #stepFrom(node: XPathNode, { axis, test, predicates }: PathStep): XPathNode[] {
    const [first, ...others] = predicates
    const nodes = this.#nodes.along(node, axis, test)
    if (first?.kind !== 'number') return this.#filter([...nodes], predicates)
    let position = 0
    for (const match of nodes) if (++position === first.value) return this.#filter([match], others)
    return []
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
      for (const descendant of this.#nodes.along(node, axis, test)) descendants.push(descendant)
    }
    return this.#filter(descendants, predicates)
  }

  #filter(nodes: XPathNode[], predicates: readonly Expression[]): XPathNode[] {
    return predicates.reduce((left, predicate) => {
      if (predicate.kind === 'number') {
        const match = left[predicate.value - 1]
        return match === undefined ? [] : [match]
      }
      return left.filter((node, index) => {
        const count = this.#siblings.countOf(predicate, node)
        if (count !== null) return count > 0
        const value = this.value(predicate, {
          node,
          position: index + 1,
          last: () => left.length,
          tree: this.#tree,
          budget: this.#budget,
        })
        return typeof value === 'number' ? value === index + 1 : truthOf(value)
      })
    }, nodes)
  }
}

/** True for nodes in document order, none of which is inside another. */
function areApart(nodes: readonly XPathNode[]): boolean {
  let end = -1
  return nodes.every((node) => {
    if (!isParent(node) || !isElement(node) || (node.startIndex ?? 0) <= end) return false
    end = node.endIndex ?? -1
    return true
  })
}
