import type { Element } from 'domhandler'
import { AheadPay, StepParts, type Parts } from '../page/in-turns.ts'
import type { PageBudget } from '../page/page-budget.ts'
import type { NestedTexts, TextRelation } from '../select/nested-texts.ts'
import type { Tree } from '../tree/parse-tree.ts'
import {
  areApart,
  CALL_STEPS,
  CONDITION_STEPS,
  contextOf,
  COPY_SHIFT,
  Evaluation,
  LIST_BYTES,
  LIST_STEPS,
  OF_NODES,
  PATH_STEPS,
  REACH_STEPS,
  REVERSE,
  VALUE_STEPS,
  WITHIN,
  type XPathPage,
} from './evaluate-xpath.ts'
import { callParts, type Context } from './xpath-functions.ts'
import { compareParts, type ComparedValue } from './xpath-compare.ts'
import { FarElements } from './xpath-far.ts'
import { formOfText, isShort, pickOf } from './xpath-forms.ts'
import { ListedValues } from './xpath-listed-values.ts'
import {
  isElement,
  isParent,
  longListSteps,
  stringParts,
  TreeNodes,
  type XPathNode,
} from './xpath-nodes.ts'
import { DocumentOrder } from './xpath-order.ts'
import { isPositional } from './xpath-parts.ts'
import type { Expression, LocationPath, PathStep } from './xpath-parts.ts'
import { type NodeLists, remembered, SiblingSlices, withoutSubsets } from './xpath-siblings.ts'
import { calculate, toNumber, truthOf, type XPathValue } from './xpath-values.ts'

/** Like `evaluateXPath` in parts, or like `evaluateFirst`. Each takes the same steps and bytes. */
export function evaluateParts(
  expression: Expression,
  page: XPathPage,
  scope: Element | null,
  isFirst: boolean,
): Parts<XPathValue> {
  const evaluation = new EvaluationParts(page)
  const context = contextOf(page, scope)
  return isFirst ? evaluation.first(expression, context) : evaluation.value(expression, context)
}

/**
 * Evaluates as {@link Evaluation} does, in parts, for runtimes without threads. Generators take
 * several times as long as functions, so this is a class of its own. Expressions that are short at
 * any node are evaluated at once.
 */
class EvaluationParts {
  readonly #atOnce: Evaluation
  readonly #tree: Tree
  readonly #budget: PageBudget
  readonly #pass: StepParts
  readonly #nodes: TreeNodes
  readonly #order: DocumentOrder
  readonly #lists: NodeLists
  readonly #texts: NestedTexts
  readonly #siblings: SiblingSlices
  readonly #far: FarElements

  constructor(page: XPathPage) {
    const { tree, budget, lists, far, matching } = page
    this.#atOnce = new Evaluation(page)
    this.#tree = tree
    this.#budget = budget
    this.#pass = new StepParts(budget)
    this.#nodes = new TreeNodes(tree, budget, lists.attributes)
    this.#order = new DocumentOrder(this.#nodes, budget)
    this.#lists = lists
    this.#texts = matching.texts
    const find = {
      along: (...step: Parameters<TreeNodes['along']>) => this.#nodes.alongParts(...step),
      filter: (...of: [XPathNode[], readonly Expression[]]) => this.#filter(...of),
    }
    this.#siblings = new SiblingSlices(lists, tree.document, budget, find)
    this.#far = new FarElements(far, tree, budget, find)
  }

  *value(expression: Expression, context: Context): Parts<XPathValue> {
    if (this.#isShort(expression)) return this.#atOnce.value(expression, context)
    this.#budget.unpaid(PARTS_STEPS)
    this.#budget.work(VALUE_STEPS)
    switch (expression.kind) {
      case 'text':
      case 'number':
        return expression.value
      case 'path':
        return expression.path.start === 'root'
          ? yield* this.#constant(expression, expression.path, context)
          : yield* this.#select(expression.path, context)
      case 'filter':
        return yield* this.#filtered(expression, context)
      case 'union':
        return yield* this.#union(expression.parts, context)
      case 'minus':
        return -(yield* this.#number(expression.of, context))
      case 'call':
        return yield* this.#call(expression, context)
      case 'operation':
        return yield* this.#operation(expression, context)
    }
  }

  *first(expression: Expression, context: Context): Parts<XPathValue> {
    const select = (node: XPathNode, steps: readonly PathStep[]) =>
      this.#select({ start: 'here', steps }, { ...context, node })
    const first = yield* this.#siblings.firstParts(
      expression,
      context.node,
      function* (sibling, steps) {
        return (yield* select(sibling, steps))[0] ?? null
      },
    )
    if (first !== undefined) return first === null ? [] : [first]
    return yield* this.value(expression, context)
  }

  #isShort(expression: Expression): boolean {
    return remembered(this.#lists.shortness, expression, isShort)
  }

  *#number(expression: Expression, context: Context): Parts<number> {
    const value = yield* this.first(expression, context)
    if (typeof value === 'number') return value
    if (typeof value === 'boolean') return value ? 1 : 0
    return toNumber(yield* this.#text(value))
  }

  *#text(value: readonly XPathNode[] | string): Parts<string> {
    const [first] = value
    if (typeof value === 'string') {
      this.#budget.work(1 + (value.length >> 4))
      return value
    }
    return first === undefined || typeof first === 'string'
      ? ''
      : yield* stringParts(first, this.#budget)
  }

  *#constant(
    expression: Expression,
    path: LocationPath,
    context: Context,
  ): Parts<readonly XPathNode[]> {
    const { constants } = this.#lists
    const cached = constants.get(expression)
    if (cached) return cached
    const nodes = yield* this.#select(path, context)
    if (cached === null) {
      this.#budget.work(LIST_STEPS * nodes.length)
      this.#budget.make(LIST_BYTES * nodes.length)
    }
    constants.set(expression, cached === null ? nodes : null)
    return nodes
  }

  *#filtered(
    { of, predicates }: Extract<Expression, { kind: 'filter' }>,
    context: Context,
  ): Parts<XPathNode[]> {
    const [first, ...others] = predicates
    const pick = first === undefined ? null : pickOf(first)
    if (pick === null) return yield* this.#filter(yield* this.#nodesOf(of, context), predicates)
    yield* this.#siblings.prepareSlice(of, context.node)
    const slice = this.#siblings.sliceOf(of, context.node)
    if (slice !== null) return yield* this.#filter(this.#siblings.pick(slice, pick, false), others)
    const value = yield* this.value(of, context)
    const nodes = typeof value === 'object' ? value : []
    const count = Math.max(0, Math.min(pick.count, nodes.length - pick.first))
    const from = pick.isFromEnd ? nodes.length - pick.first - count : pick.first
    this.#budget.work(count >> COPY_SHIFT)
    return yield* this.#filter(nodes.slice(from, from + count), others)
  }

  *#union(parts: readonly Expression[], context: Context): Parts<XPathNode[]> {
    const nodes = new Set<XPathNode>()
    for (const part of parts)
      for (const node of yield* this.#nodesOf(part, context)) {
        nodes.add(node)
        if (nodes.size % ADDED !== 0) continue
        this.#budget.unpaid(ADDED)
        yield
      }
    return yield* this.#order.orderedParts(nodes)
  }

  *#call(
    { name, args }: Extract<Expression, { kind: 'call' }>,
    context: Context,
  ): Parts<XPathValue> {
    this.#budget.work(CALL_STEPS)
    const [first] = args
    if (first !== undefined && name === 'count') {
      yield* this.#siblings.prepareSlice(first, context.node)
      const slice = this.#siblings.sliceOf(first, context.node)
      if (slice !== null) return slice.to - slice.from
      yield* this.#far.prepare(first, context.node)
      const count = this.#far.countOf(first, context.node)
      if (count !== null) return count
    }
    if (name === 'boolean' || name === 'not')
      return (first !== undefined && (yield* this.#truth(first, context))) === (name === 'boolean')
    if (name === 'contains' || name === 'starts-with') {
      const relation = name === 'contains' ? 'contains' : 'starts'
      const answer = yield* this.#hasText(args, relation, context)
      if (answer !== null) return answer
    }
    const values: XPathValue[] = []
    for (const argument of args)
      values.push(
        OF_NODES.has(name)
          ? yield* this.value(argument, context)
          : yield* this.first(argument, context),
      )
    return yield* callParts(name, values, context)
  }

  *#truth(expression: Expression, context: Context): Parts<boolean> {
    return (
      (yield* this.#hasAny(expression, context.node)) ??
      truthOf(yield* this.value(expression, context))
    )
  }

  *#hasAny(expression: Expression, node: XPathNode): Parts<boolean | null> {
    if (expression.kind !== 'path') return null
    yield* this.#siblings.prepareAny(expression, node)
    const isBeside = this.#siblings.hasAny(expression, node)
    if (isBeside !== null) return isBeside
    yield* this.#far.prepare(expression, node)
    return this.#far.hasAny(expression, node)
  }

  *#operation(
    { operator, left, right }: Extract<Expression, { kind: 'operation' }>,
    context: Context,
  ): Parts<XPathValue> {
    switch (operator) {
      case 'or':
        return (yield* this.#truth(left, context)) || (yield* this.#truth(right, context))
      case 'and':
        return (yield* this.#truth(left, context)) && (yield* this.#truth(right, context))
      case '+':
      case '-':
      case '*':
      case 'div':
      case 'mod':
        return calculate(
          operator,
          yield* this.#number(left, context),
          yield* this.#number(right, context),
        )
      default: {
        const answer =
          operator === '=' ? yield* this.#hasText([left, right], 'equals', context) : null
        if (answer !== null) return answer
        return yield* compareParts(
          operator,
          yield* this.#operand(left, context),
          yield* this.#operand(right, context),
          this.#budget,
        )
      }
    }
  }

  *#hasText(
    [of, sought]: readonly Expression[],
    relation: TextRelation,
    { node }: Context,
  ): Parts<boolean | null> {
    const form = of === undefined ? null : formOfText(of)
    if (form === null || sought?.kind !== 'text' || !isParent(node) || !isElement(node)) return null
    return yield* this.#texts.hasParts(node, { text: sought.value, form }, relation)
  }

  *#operand(expression: Expression, context: Context): Parts<ComparedValue> {
    yield* this.#siblings.prepareSlice(expression, context.node)
    const slice = this.#siblings.sliceOf(expression, context.node)
    if (slice !== null) {
      const { list, ...range } = slice
      yield* list.readValues(this.#budget)
      return { ...range, values: list.valuesWith(this.#budget) }
    }
    const value = yield* this.value(expression, context)
    const { constants, texts } = this.#lists
    if (typeof value !== 'object' || constants.get(expression) !== value) return value
    let values = texts.get(expression)
    if (values === undefined) {
      const own: string[] = []
      for (const node of value) {
        own.push(yield* stringParts(node, this.#budget))
        if (this.#pass.ends()) yield
      }
      values = new ListedValues(own, new Int32Array(0), this.#budget)
      texts.set(expression, values)
    }
    return { values, kind: 'all', from: 0, to: value.length, number: 0 }
  }

  *#nodesOf(expression: Expression, context: Context): Parts<XPathNode[]> {
    const value = yield* this.value(expression, context)
    if (typeof value !== 'object') return []
    this.#budget.work((value.length >> COPY_SHIFT) + longListSteps(value.length))
    return [...value]
  }

  *#select({ start, steps }: LocationPath, context: Context): Parts<XPathNode[]> {
    let nodes =
      start === 'root'
        ? [this.#tree.document]
        : start === 'here'
          ? [context.node]
          : yield* this.#nodesOf(start, context)
    for (let index = 0; index < steps.length && nodes.length > 0; index++) {
      const step = steps[index]
      const next = steps[index + 1]
      if (step === undefined) break
      if (this.#pass.ends()) yield
      const isAnyBelow =
        step.axis === 'descendant-or-self' &&
        step.test.kind === 'node' &&
        step.predicates.length === 0
      if (isAnyBelow && next?.axis === 'child' && !next.predicates.some(isPositional)) {
        nodes = yield* this.#descend(nodes, { ...next, axis: 'descendant' })
        index++
      } else if (isAnyBelow && (next?.axis === 'child' || next?.axis === 'attribute'))
        nodes = [
          ...nodes.filter((node) => isParent(node) && !isElement(node)),
          ...(yield* this.#descend(nodes, { ...step, test: { kind: 'name', name: null } })),
        ]
      else if (
        (step.axis === 'descendant' || step.axis === 'descendant-or-self') &&
        !step.predicates.some(isPositional)
      )
        nodes = yield* this.#descend(nodes, step)
      else nodes = yield* this.#step(nodes, step)
    }
    return nodes
  }

  *#step(nodes: readonly XPathNode[], step: PathStep): Parts<XPathNode[]> {
    const { axis } = step
    const [only] = nodes
    if (nodes.length === 1 && only !== undefined && !REVERSE.has(axis))
      return yield* this.#stepFrom(only, step)
    const isOnce = axis === 'self' || (WITHIN.has(axis) && areApart(nodes))
    const reached: XPathNode[] = []
    const distinct = new Set<XPathNode>()
    for (const node of withoutSubsets(nodes, step)) {
      if (this.#pass.ends()) yield
      const targets = yield* this.#stepFrom(node, step)
      this.#budget.work(REACH_STEPS * targets.length)
      if (isOnce) for (const target of targets) reached.push(target)
      else for (const target of targets) distinct.add(target)
    }
    if (!isOnce) return yield* this.#order.orderedParts(distinct)
    this.#budget.work(longListSteps(reached.length))
    return reached
  }

  *#stepFrom(node: XPathNode, step: PathStep): Parts<XPathNode[]> {
    this.#budget.unpaid(PARTS_STEPS)
    this.#budget.work(PATH_STEPS)
    yield* this.#siblings.preparePicked(node, step)
    yield* this.#far.preparePicked(node, step)
    const picked = this.#siblings.picked(node, step) ?? this.#far.picked(node, step)
    if (picked !== null) return yield* this.#filter(picked.nodes, picked.after)
    const { axis, test, predicates } = step
    const [first, ...others] = predicates
    if (first?.kind !== 'number')
      return yield* this.#filter(yield* this.#nodes.alongParts(node, axis, test), predicates)
    let position = 0
    const matches: XPathNode[] = []
    yield* this.#nodes.visitParts(node, axis, test, (candidate) => {
      if (++position !== first.value) return false
      matches.push(candidate)
      return true
    })
    this.#siblings.visited(node, step, matches[0] ?? null)
    return yield* this.#filter(matches, others)
  }

  *#descend(nodes: readonly XPathNode[], { axis, test, predicates }: PathStep): Parts<XPathNode[]> {
    const descendants: XPathNode[] = []
    let end = -1
    for (const node of nodes) {
      if (isParent(node) && isElement(node)) {
        if ((node.startIndex ?? 0) <= end) continue
        end = node.endIndex ?? -1
      }
      if (this.#pass.ends()) yield
      yield* this.#nodes.visitParts(node, axis, test, (descendant) => {
        descendants.push(descendant)
        return false
      })
    }
    return yield* this.#filter(descendants, predicates)
  }

  *#filter(nodes: XPathNode[], predicates: readonly Expression[]): Parts<XPathNode[]> {
    let left = nodes
    for (const predicate of predicates) {
      if (predicate.kind === 'number') {
        const match = left[predicate.value - 1]
        left = match === undefined ? [] : [match]
        continue
      }
      const pay = new AheadPay(this.#budget, CONDITION_STEPS, left.length)
      const isAtOnce = this.#isShort(predicate)
      const fitting: XPathNode[] = []
      for (const [index, node] of left.entries()) {
        if (pay.ends() || this.#pass.ends()) yield
        const isFit = isAtOnce
          ? this.#atOnce.holds(predicate, node, index, left.length)
          : yield* this.#holds(predicate, node, index, left.length)
        if (isFit) fitting.push(node)
      }
      pay.end()
      left = fitting
    }
    return left
  }

  *#holds(predicate: Expression, node: XPathNode, index: number, count: number): Parts<boolean> {
    this.#budget.unpaid(PARTS_STEPS)
    const isTrue = yield* this.#hasAny(predicate, node)
    if (isTrue !== null) return isTrue
    const value = yield* this.value(predicate, {
      node,
      position: index + 1,
      last: () => count,
      tree: this.#tree,
      budget: this.#budget,
    })
    return typeof value === 'number' ? value === index + 1 : truthOf(value)
  }
}

/** Steps that a turn counts for what is evaluated in parts, which takes longer. */
const PARTS_STEPS = 120

/** Nodes of a union that are added in one part. */
const ADDED = 5_000
