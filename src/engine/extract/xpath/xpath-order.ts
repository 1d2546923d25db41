import { isTag } from 'domhandler'
import type { ChildNode, Document, Element } from 'domhandler'
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
    if (list.every(isParent)) return inOrder(list, positionOf)
    const positions = this.#numbered()
    const keys = new Map(list.map((node) => [node, this.#keyOf(node, positions)]))
    return inOrder(list, (node) => keys.get(node) ?? 0)
  }

  #keyOf(node: XPathNode, positions: ReadonlyMap<object, number>): number {
    if (!isAttribute(node)) return positions.get(node) ?? -1
    // Attributes stand between their element and its first child.
    const attributes = this.#nodes.attributesOf(node.owner)
    return (
      (positions.get(node.owner) ?? 0) + (attributes.indexOf(node) + 1) / (attributes.length + 1)
    )
  }

  /**
   * The position of each node. Elements know theirs; the positions of texts need a walk over the
   * whole tree.
   */
  #numbered(): Map<object, number> {
    if (this.#positions !== null) return this.#positions
    const positions = new Map<object, number>()
    const root: Document | Element = this.#nodes.tree.document
    let node: ChildNode | null = root.firstChild
    while (node !== null) {
      this.#budget.work(NUMBER_STEPS)
      positions.set(node, positions.size)
      node = (isTag(node) ? node.firstChild : null) ?? nextBelow(node, root)
    }
    this.#positions = positions
    return positions
  }
}

/** The position of an element among all, and that of the document before them. */
function positionOf(node: Document | Element): number {
  return isElement(node) ? (node.startIndex ?? 0) : -1
}

/** Most lists are in order already. */
function inOrder<T>(list: T[], keyOf: (node: T) => number): T[] {
  let before = -Infinity
  const isOrdered = list.every((node) => {
    const key = keyOf(node)
    const isNext = before <= key
    before = key
    return isNext
  })
  return isOrdered ? list : list.toSorted((a, b) => keyOf(a) - keyOf(b))
}
