import { isTag } from 'domhandler'
import type { ChildNode, Document, Element } from 'domhandler'
import type { PageBudget } from '../page/page-budget.ts'
import { isAttribute, isElement, isParent, nextBelow } from './xpath-nodes.ts'
import type { TreeNodes, XPathNode } from './xpath-nodes.ts'

/** Steps per node to sort, and to number. */
const SORT_STEPS = 4
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
    this.#budget.work(SORT_STEPS * nodes.size)
    const list = [...nodes]
    if (list.length < 2) return list
    const positions = list.every(isParent) ? null : this.#numbered()
    const keys = new Map(list.map((node) => [node, this.#keyOf(node, positions)]))
    return list.toSorted((a, b) => (keys.get(a) ?? 0) - (keys.get(b) ?? 0))
  }

  #keyOf(node: XPathNode, positions: Map<object, number> | null): number {
    if (positions === null) return isParent(node) && isElement(node) ? (node.startIndex ?? 0) : -1
    if (!isAttribute(node)) return positions.get(node) ?? -1
    // Attributes stand between their element and its first child.
    const attributes = this.#nodes.attributesOf(node.owner)
    return (
      (positions.get(node.owner) ?? 0) + (attributes.indexOf(node) + 1) / (attributes.length + 1)
    )
  }

  /**
   * The position of each node. Elements know their positions; those of texts need a walk over the
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
