import {
  isTag,
  isText,
  type ChildNode,
  type Document,
  type Element,
  type ParentNode,
  type Text,
} from 'domhandler'
import { AheadPay, atOnce, StepParts, type Parts } from '../page/in-turns.ts'
import type { PageBudget } from '../page/page-budget.ts'
import { ListedValues } from './xpath-listed-values.ts'
import { isChild, stringOf, stringParts } from './xpath-nodes.ts'
import type { AttributeNode, XPathNode } from './xpath-nodes.ts'
import type { Axis, Expression, NodeTest, PathStep } from './xpath-parts.ts'
import { isPositional } from './xpath-parts.ts'
import { isSiblingAxis, pickedStep, siblingPath } from './xpath-forms.ts'
import type { Pick, PickedStep, SiblingPath, SiblingStep } from './xpath-forms.ts'

/** How the nodes of a list are found: at once, or in parts. */
export interface FindNodes {
  along(node: XPathNode, axis: Axis, test: NodeTest): Parts<XPathNode[]>
  filter(nodes: XPathNode[], predicates: readonly Expression[]): Parts<XPathNode[]>
}

/** With fewer siblings, visiting them takes less time. */
const FEW = 16
/** Steps and bytes for a node that is numbered. */
const NUMBER_STEPS = 6
const NUMBER_BYTES = 32
/** Steps and bytes for each number in a stored list of numbers. */
const LIST_STEPS = 4
const LIST_BYTES = 4
/** Bytes for the first result of a path from a sibling. */
const RESULT_BYTES = 32
/** Steps that a turn counts for a text that is read in parts. */
const TEXT_STEPS = 30
/** Steps to look up a number. */
const LOOK_STEPS = 8

/** The children of a parent that pass a step, in order. */
export class SiblingList {
  readonly parent: ParentNode
  readonly numbers: Int32Array
  /** The first result of the rest of a path, from each child from which it was looked for. */
  readonly results = new Map<XPathNode, XPathNode | null>()
  #values: ListedValues | null = null

  constructor(parent: ParentNode, numbers: Int32Array) {
    this.parent = parent
    this.numbers = numbers
  }

  /** The texts of the children. They are made once, as those of nodes beside each other. */
  valuesWith(budget: PageBudget): ListedValues {
    return (this.#values ??= new ListedValues(
      Array.from(this.numbers, (_, index) => stringOf(this.nodeAt(index), budget)),
      this.numbers,
      budget,
    ))
  }

  /** Makes the texts of {@link valuesWith} in parts. */
  *readValues(budget: PageBudget): Parts<void> {
    if (this.#values !== null) return
    const texts: string[] = []
    const parts = new StepParts(budget)
    for (let index = 0; index < this.numbers.length; index++) {
      budget.unpaid(TEXT_STEPS)
      // Each part ends through all expressions around this one, which takes longer than a text.
      if (parts.ends()) yield
      texts.push(yield* stringParts(this.nodeAt(index), budget))
    }
    this.#values = new ListedValues(texts, this.numbers, budget)
  }

  nodeAt(index: number): Element | Text {
    const node = this.parent.children[this.numbers[index] ?? -1]
    if (node === undefined || !(isTag(node) || isText(node)))
      throw new Error('The list has no such sibling')
    return node
  }
}

/** The part of a list that is before a node, or after it. */
export interface SiblingSlice {
  readonly list: SiblingList
  readonly kind: 'before' | 'after'
  readonly from: number
  readonly to: number
  /** The number of the node among the children of its parent. */
  readonly number: number
}

/** Nodes of a page that were listed. They serve all XPaths of a page, and all its rows. */
export class NodeLists {
  /**
   * The nodes of paths from the root, which are the same at each node. `null`: the path was taken
   * once.
   */
  readonly constants = new Map<Expression, XPathNode[] | null>()
  /** The texts of these nodes. */
  readonly texts = new Map<Expression, ListedValues>()
  /** The attributes of elements as nodes, which are also in other lists. */
  readonly attributes = new Map<Element, readonly AttributeNode[]>()
  /** The number of each child of a parent. */
  readonly numbers = new Map<ParentNode, ReadonlyMap<ChildNode, number>>()
  /** For each step, the list of each parent, or how many children were visited before there was one. */
  readonly passing = new Map<PathStep, Map<ParentNode, SiblingList | number>>()
  /** For each expression, whether it is short at any node. */
  readonly shortness = new Map<Expression, boolean>()
  readonly #paths = new Map<Expression, SiblingPath | null>()
  readonly #picked = new Map<PathStep, PickedStep | null>()

  pathOf(expression: Expression): SiblingPath | null {
    return remembered(this.#paths, expression, siblingPath)
  }

  pickedOf(step: PathStep): PickedStep | null {
    return remembered(this.#picked, step, pickedStep)
  }
}

/** A step reads the same each time, and stays one key of the lists. */
export function remembered<K, V>(values: Map<K, V>, key: K, read: (key: K) => V): V {
  const cached = values.get(key)
  if (cached !== undefined) return cached
  const value = read(key)
  values.set(key, value)
  return value
}

/**
 * Finds the siblings of a node in a list of its parent's children. There is one once as many were
 * visited as there are: visiting all siblings of each node takes the square of their number.
 */
export class SiblingSlices {
  readonly #lists: NodeLists
  readonly #document: Document
  readonly #budget: PageBudget
  readonly #find: FindNodes

  constructor(lists: NodeLists, document: Document, budget: PageBudget, find: FindNodes) {
    this.#lists = lists
    this.#document = document
    this.#budget = budget
    this.#find = find
  }

  /** Makes the list in parts that {@link sliceOf} needs, if it would make it. */
  *prepareSlice(expression: Expression, node: XPathNode): Parts<void> {
    const path = this.#lists.pathOf(expression)
    if (path !== null && path.rest.length === 0) yield* this.#prepareStep(node, path.step)
  }

  /** The same for {@link hasAny}. */
  *prepareAny(expression: Expression, node: XPathNode): Parts<void> {
    const path = this.#lists.pathOf(expression)
    if (path !== null) yield* this.#prepareStep(node, path.leading)
  }

  /** The same for {@link picked}. */
  *preparePicked(node: XPathNode, step: PathStep): Parts<void> {
    if (!isSiblingAxis(step.axis) || step.predicates.length === 0) return
    const picked = this.#lists.pickedOf(step)
    if (picked !== null) yield* this.#prepareStep(node, picked.step)
  }

  *#prepareStep(node: XPathNode, step: SiblingStep): Parts<void> {
    if (!isChild(node)) return
    const { parent } = node
    if (parent === null || parent.children.length < FEW) return
    const cached = this.#listsOf(step).get(parent) ?? 0
    if (typeof cached === 'number' && cached >= parent.children.length)
      yield* this.#listParts(parent, step)
  }

  /**
   * The siblings that an expression selects, if it is one step to siblings without a position. Its
   * predicates then hold for a sibling whichever node the step is from. `null`: it is another
   * expression, or the siblings are few or asked for the first time.
   */
  sliceOf(expression: Expression, node: XPathNode): SiblingSlice | null {
    const path = this.#lists.pathOf(expression)
    return path === null || path.rest.length > 0 ? null : this.#sliceAlong(node, path.step)
  }

  /**
   * Whether an expression selects any node, if it begins with a step to siblings without a
   * position. `null`: as for {@link sliceOf}.
   */
  hasAny(expression: Expression, node: XPathNode): boolean | null {
    const path = this.#lists.pathOf(expression)
    const slice = path === null ? null : this.#sliceAlong(node, path.leading)
    return slice === null ? null : slice.from < slice.to
  }

  /**
   * The first node in document order that an expression selects, `null` if there is none.
   * `undefined`: as for {@link sliceOf}. `follow` takes the rest of a path from a sibling.
   */
  firstOf(
    expression: Expression,
    node: XPathNode,
    follow: (sibling: XPathNode, rest: readonly PathStep[]) => XPathNode | null,
  ): XPathNode | null | undefined {
    const path = this.#lists.pathOf(expression)
    if (path === null || !path.staysWithin) return undefined
    const slice = this.#sliceAlong(node, path.leading)
    if (slice === null) return undefined
    if (slice.from >= slice.to) return null
    const sibling = slice.list.nodeAt(slice.from)
    return path.rest.length === 0
      ? sibling
      : remembered(slice.list.results, sibling, () => {
          this.#budget.make(RESULT_BYTES)
          return follow(sibling, path.rest)
        })
  }

  /** Like {@link firstOf} in parts. */
  *firstParts(
    expression: Expression,
    node: XPathNode,
    follow: (sibling: XPathNode, rest: readonly PathStep[]) => Parts<XPathNode | null>,
  ): Parts<XPathNode | null | undefined> {
    const path = this.#lists.pathOf(expression)
    if (path === null || !path.staysWithin) return undefined
    yield* this.#prepareStep(node, path.leading)
    const slice = this.#sliceAlong(node, path.leading)
    if (slice === null) return undefined
    if (slice.from >= slice.to) return null
    const sibling = slice.list.nodeAt(slice.from)
    if (path.rest.length === 0) return sibling
    const { results } = slice.list
    const cached = results.get(sibling)
    if (cached !== undefined) return cached
    this.#budget.make(RESULT_BYTES)
    const first = yield* follow(sibling, path.rest)
    results.set(sibling, first)
    return first
  }

  /**
   * The siblings of a step that a position chooses, and the predicates after it. `null`: the step
   * is another one, or there is no list yet.
   */
  picked(
    node: XPathNode,
    step: PathStep,
  ): { readonly nodes: XPathNode[]; readonly after: readonly Expression[] } | null {
    const { predicates } = step
    // Most steps have neither, and are told without a look into the map.
    if (!isSiblingAxis(step.axis) || predicates.length === 0) return null
    const picked = this.#lists.pickedOf(step)
    // A position that is a number is mostly near, and ends the visit there.
    const isNear = predicates[0]?.kind === 'number'
    const slice = picked === null ? null : this.#sliceAlong(node, picked.step, isNear)
    return picked === null || slice === null
      ? null
      : {
          nodes: this.pick(slice, picked.pick, step.axis === 'preceding-sibling'),
          after: picked.after,
        }
  }

  /** Some nodes of a slice, counted from its first node, or from its last one and backwards. */
  pick({ list, from, to }: SiblingSlice, pick: Pick, isBackwards: boolean): XPathNode[] {
    const size = to - from
    const count = Math.max(0, Math.min(pick.count, size - pick.first))
    this.#budget.work(LOOK_STEPS * (1 + count))
    const start = pick.isFromEnd ? size - pick.first - count : pick.first
    return Array.from({ length: count }, (_, index) =>
      list.nodeAt(isBackwards ? to - 1 - start - index : from + start + index),
    )
  }

  /** Counts the siblings that were visited on the way to a position. */
  visited(node: XPathNode, step: PathStep, match: XPathNode | null): void {
    const picked = this.#lists.pickedOf(step)
    if (picked === null || !isChild(node) || node.parent === null) return
    const lists = this.#listsOf(picked.step)
    const before = lists.get(node.parent) ?? 0
    if (typeof before !== 'number') return
    const away =
      match !== null && isChild(match)
        ? Math.abs((match.startIndex ?? Infinity) - (node.startIndex ?? 0))
        : Infinity
    lists.set(node.parent, before + Math.min(away, node.parent.children.length))
  }

  #listsOf(step: PathStep): Map<ParentNode, SiblingList | number> {
    return remembered(this.#lists.passing, step, () => new Map<ParentNode, SiblingList | number>())
  }

  #sliceAlong(node: XPathNode, step: SiblingStep, isNear = false): SiblingSlice | null {
    if (!isChild(node)) return null
    const { parent } = node
    if (parent === null || parent.children.length < FEW) return null
    this.#budget.work(LOOK_STEPS)
    const list = this.#passingIn(parent, step, isNear)
    const number = list === null ? undefined : this.#numbersIn(parent).get(node)
    if (list === null || number === undefined) return null
    const { numbers } = list
    return step.axis === 'preceding-sibling'
      ? { list, kind: 'before', from: 0, to: countBelow(numbers, number), number }
      : { list, kind: 'after', from: countBelow(numbers, number + 1), to: numbers.length, number }
  }

  #numbersIn(parent: ParentNode): ReadonlyMap<ChildNode, number> {
    return this.#lists.numbers.get(parent) ?? atOnce(this.#numberParts(parent))
  }

  *#numberParts(parent: ParentNode): Parts<ReadonlyMap<ChildNode, number>> {
    const pay = new AheadPay(this.#budget, NUMBER_STEPS, parent.children.length)
    this.#budget.make(NUMBER_BYTES * parent.children.length)
    const numbers = new Map<ChildNode, number>()
    for (const [index, child] of parent.children.entries()) {
      if (pay.ends()) yield
      numbers.set(child, index)
    }
    pay.end()
    this.#lists.numbers.set(parent, numbers)
    return numbers
  }

  /** The children that pass the test and the predicates of a step, in order. */
  #passingIn(parent: ParentNode, step: SiblingStep, isNear: boolean): SiblingList | null {
    const lists = this.#listsOf(step)
    const cached = lists.get(parent) ?? 0
    if (typeof cached !== 'number') return cached
    if (cached < parent.children.length) {
      if (!isNear) lists.set(parent, parent.children.length)
      return null
    }
    return atOnce(this.#listParts(parent, step))
  }

  *#listParts(parent: ParentNode, step: SiblingStep): Parts<SiblingList> {
    const all = this.#lists.numbers.get(parent) ?? (yield* this.#numberParts(parent))
    const node = isTag(parent) ? parent : this.#document
    const passing = yield* this.#find.along(node, 'child', step.test)
    const children = yield* this.#find.filter(passing, step.predicates)
    const pay = new AheadPay(this.#budget, LIST_STEPS, children.length)
    this.#budget.make(LIST_BYTES * children.length)
    const numbers: number[] = []
    for (const child of children) {
      if (pay.ends()) yield
      const number = isChild(child) ? all.get(child) : undefined
      if (number !== undefined) numbers.push(number)
    }
    pay.end()
    const list = new SiblingList(parent, Int32Array.from(numbers))
    this.#listsOf(step).set(parent, list)
    return list
  }
}

/** How many of the numbers, which are in order, are below another. */
export function countBelow(numbers: Int32Array, other: number): number {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((numbers[middle] ?? 0) < other) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * Leaves out nodes whose siblings on an axis are also siblings of another node. Of the nodes with
 * one parent, the first has all following siblings, and the last has all preceding ones. With a
 * position no node is left out, because a position counts from each node. The nodes are in document
 * order.
 */
export function withoutSubsets(
  nodes: readonly XPathNode[],
  { axis, predicates }: PathStep,
): readonly XPathNode[] {
  if (!isSiblingAxis(axis) || nodes.length < 2 || predicates.some(isPositional)) return nodes
  const chosen = new Map<ParentNode | XPathNode, XPathNode>()
  for (const node of nodes) {
    const key = isChild(node) ? (node.parent ?? node) : node
    if (axis === 'preceding-sibling' || !chosen.has(key)) chosen.set(key, node)
  }
  return [...chosen.values()]
}
