import { isTag } from 'domhandler'
import type { ChildNode, Document, Element } from 'domhandler'
import { AheadPay, atOnce, StepParts, type Parts } from '../page/in-turns.ts'
import type { PageBudget } from '../page/page-budget.ts'
import { isAttribute, isElement, isParent, longListSteps, nextBelow } from './xpath-nodes.ts'
import type { TreeNodes, XPathNode } from './xpath-nodes.ts'

/** Steps per node to sort, and to number. */
const SORT_STEPS = 12
const NUMBER_STEPS = 4

/** The order of the nodes of one tree. */
export class DocumentOrder {
  readonly #nodes: TreeNodes
  readonly #budget: PageBudget
  #positions: Map<object, number> | null = null

  constructor(nodes: TreeNodes, budget: PageBudget) {
    this.#nodes = nodes
    this.#budget = budget
  }

  /** Returns nodes in document order. */
  ordered(nodes: ReadonlySet<XPathNode>): XPathNode[] {
    this.#budget.work(SORT_STEPS * nodes.size + longListSteps(nodes.size))
    const list = [...nodes]
    if (list.length < 2) return list
    if (list.every(isParent))
      return areInOrder(list, positionOf)
        ? list
        : list.toSorted((a, b) => positionOf(a) - positionOf(b))
    const positions = (this.#positions ??= atOnce(this.#numbered()))
    const keys = list.map((node) => keyOf(node, positions))
    if (areInOrder(keys, (key) => key)) return list
    const byNode = new Map(list.map((node, index) => [node, keys[index] ?? 0]))
    return list.toSorted((a, b) => (byNode.get(a) ?? 0) - (byNode.get(b) ?? 0))
  }

  /** Like {@link ordered} in parts. */
  *orderedParts(nodes: ReadonlySet<XPathNode>): Parts<XPathNode[]> {
    if (nodes.size <= SLICE) return this.ordered(nodes)
    const pay = new AheadPay(this.#budget, SORT_STEPS, nodes.size)
    this.#budget.work(longListSteps(nodes.size))
    const list = [...nodes]
    const areElements = list.every(isParent)
    if (!areElements) this.#positions ??= yield* this.#numbered()
    const positions = this.#positions
    const keyed: Keyed[] = []
    for (const node of list) {
      if (pay.ends()) yield
      const key = isParent(node) && areElements ? positionOf(node) : keyOf(node, positions)
      keyed.push({ node, key })
    }
    pay.end()
    if (areInOrder(keyed, ({ key }) => key)) return list
    return (yield* sorted(keyed, this.#budget)).map(({ node }) => node)
  }

  /**
   * The position of each node. Elements know theirs; the positions of texts need a walk over the
   * whole tree.
   */
  *#numbered(): Parts<Map<object, number>> {
    const positions = new Map<object, number>()
    const pass = new StepParts(this.#budget)
    const root: Document | Element = this.#nodes.tree.document
    let node: ChildNode | null = root.firstChild
    while (node !== null) {
      if (pass.ends()) yield
      this.#budget.work(NUMBER_STEPS)
      positions.set(node, positions.size)
      node = (isTag(node) ? node.firstChild : null) ?? nextBelow(node, root)
    }
    return positions
  }
}

/** A node with its place in the order. */
interface Keyed {
  readonly node: XPathNode
  readonly key: number
}

/** Nodes that are sorted at once. */
const SLICE = 5_000
/** Steps that a turn counts for each node of a merge. They are paid with those to sort. */
const MERGE_STEPS = 2
/** More attributes than an element has. */
const ATTRIBUTES = 1_024

/** Attributes stand between their element and its first child. */
function keyOf(node: XPathNode, positions: ReadonlyMap<object, number> | null): number {
  if (!isAttribute(node)) return positions?.get(node) ?? -1
  return (positions?.get(node.owner) ?? 0) + (node.index + 1) / ATTRIBUTES
}

/** Sorts slices, and then merges each two lists that are in order. */
function* sorted(nodes: readonly Keyed[], budget: PageBudget): Parts<readonly Keyed[]> {
  let lists: (readonly Keyed[])[] = []
  const merging = (count: number): void => budget.unpaid(MERGE_STEPS * count)
  for (let start = 0; start < nodes.length; start += SLICE) {
    yield
    lists.push(nodes.slice(start, start + SLICE).toSorted((a, b) => a.key - b.key))
    merging(SLICE)
  }
  while (lists.length > 1) {
    const merged: (readonly Keyed[])[] = []
    for (let index = 0; index < lists.length; index += 2)
      merged.push(yield* merge(lists[index] ?? [], lists[index + 1] ?? [], merging))
    lists = merged
  }
  return lists[0] ?? []
}

function* merge(
  left: readonly Keyed[],
  right: readonly Keyed[],
  merging: (count: number) => void,
): Parts<readonly Keyed[]> {
  const merged: Keyed[] = []
  for (let [from, other] = [0, 0]; ;) {
    const [a, b] = [left[from], right[other]]
    const next = a !== undefined && (b === undefined || a.key <= b.key) ? a : b
    if (next === undefined) return merged
    if (next === a) from++
    else other++
    if (merged.push(next) % SLICE !== 0) continue
    merging(SLICE)
    yield
  }
}

/** The position of an element among all, and that of the document before them. */
function positionOf(node: Document | Element): number {
  return isElement(node) ? (node.startIndex ?? 0) : -1
}

/** Most lists are in order already. */
function areInOrder<T>(list: readonly T[], of: (member: T) => number): boolean {
  let before = -Infinity
  return list.every((member) => {
    const key = of(member)
    const isNext = before <= key
    before = key
    return isNext
  })
}
