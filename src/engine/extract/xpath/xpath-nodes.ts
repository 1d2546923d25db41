import {
  isTag,
  isText,
  type ChildNode,
  type Document,
  type Element,
  type ParentNode,
  type Text,
} from 'domhandler'
import type { Tree } from '../tree/parse-tree.ts'
import { rawText } from '../tree/text-content.ts'
import type { PageBudget } from '../page/page-budget.ts'
import type { Axis, NodeTest } from './xpath-parts.ts'

/**
 * An attribute as a node. Each attribute has one node object, so that it can be compared by
 * identity.
 */
export interface AttributeNode {
  readonly attribute: string
  readonly value: string
  readonly owner: Element
}

/** A node that a path can select. */
export type XPathNode = Document | Element | Text | AttributeNode

/** True for elements and the document, which have children. */
export function isParent(node: XPathNode): node is Document | Element {
  return 'children' in node
}

/** True for elements, false for the document. */
export function isElement(node: Document | Element): node is Element {
  return isTag(node)
}

export function isAttribute(node: XPathNode): node is AttributeNode {
  return 'attribute' in node
}

/** Returns a node's text: all text below it, scripts included. */
export function stringOf(node: XPathNode, budget: PageBudget): string {
  // The work is paid for before it is done, because visiting nodes takes more time than reading
  // their text.
  if (isParent(node))
    budget.work(
      4 *
        (isElement(node)
          ? (node.endIndex ?? 0) - (node.startIndex ?? 0) + 1
          : node.children.length),
    )
  const text = isParent(node) ? rawText(node, budget) : isAttribute(node) ? node.value : node.data
  budget.work(1 + (text.length >> 3))
  return text
}

/** Returns a node's name; empty for text. */
export function nameOf(node: XPathNode): string {
  return isAttribute(node) ? node.attribute : 'name' in node && isTag(node) ? node.name : ''
}

/** Returns the node above; `null` for the document. */
export function parentOf(node: XPathNode, tree: Tree): Document | Element | null {
  if (isAttribute(node)) return node.owner
  const { parent } = node
  if (parent === null) return null
  return isTag(parent) ? parent : tree.document
}

/** The nodes of one tree, by axis. */
export class TreeNodes {
  readonly tree: Tree
  readonly #budget: PageBudget
  readonly #attributes = new Map<Element, readonly AttributeNode[]>()

  constructor(tree: Tree, budget: PageBudget) {
    this.tree = tree
    this.#budget = budget
  }

  /** Yields the nodes of an axis that pass the test, in the axis's order. */
  *along(node: XPathNode, axis: Axis, test: NodeTest): Generator<XPathNode> {
    if (test.kind === 'none') return
    const name = test.kind === 'name' ? this.#nameOf(test.name) : null
    const prefix = name?.endsWith(':*') === true ? name.slice(0, -1) : null
    const isNamed = (attribute: string): boolean =>
      name === null || (prefix === null ? attribute === name : attribute.startsWith(prefix))
    if (axis === 'attribute') {
      if (isParent(node) && isElement(node) && test.kind !== 'text')
        for (const attribute of this.attributesOf(node)) {
          this.#budget.work(2)
          if (isNamed(attribute.attribute)) yield attribute
        }
      return
    }
    // Visiting all siblings or ancestors of each of many nodes can take the square of a page.
    const cost = FAR.has(axis) ? 8 : 2
    for (const candidate of this.#nodes(node, axis, test)) {
      this.#budget.work(cost)
      if (
        test.kind === 'node' ||
        (test.kind === 'text'
          ? !isParent(candidate) && !isAttribute(candidate)
          : isParent(candidate) && isElement(candidate) && isNamed(candidate.name))
      )
        yield candidate
    }
  }

  /** Yields the children of a parent that pass the test. */
  *childrenOf(parent: ParentNode, test: NodeTest): Generator<Element | Text> {
    const node = isTag(parent) ? parent : this.tree.document
    for (const child of this.along(node, 'child', test)) if (isChild(child)) yield child
  }

  /** Returns the attributes of an element as nodes. Namespace declarations are not among them. */
  attributesOf(element: Element): readonly AttributeNode[] {
    const cached = this.#attributes.get(element)
    if (cached !== undefined) return cached
    const nodes = Object.entries(element.attribs)
      .filter(([attribute]) => !this.tree.xml || !/^xmlns(?:$|:)/.test(attribute))
      .map(([attribute, value]) => ({ attribute, value, owner: element }))
    this.#budget.work(4 * nodes.length)
    if (nodes.length > 0) this.#attributes.set(element, nodes)
    return nodes
  }

  /** HTML compares names without the case of ASCII letters. */
  #nameOf(name: string | null): string | null {
    return name === null || this.tree.xml ? name : name.replace(/[A-Z]+/g, (s) => s.toLowerCase())
  }

  *#nodes(node: XPathNode, axis: Axis, test: NodeTest): Generator<XPathNode> {
    if (axis === 'self' || axis === 'descendant-or-self' || axis === 'ancestor-or-self') yield node
    switch (axis) {
      case 'child':
        if (isParent(node)) for (const child of node.children) if (isNode(child)) yield child
        return
      case 'descendant':
      case 'descendant-or-self':
        if (isParent(node))
          yield* test.kind === 'name' ? elementsBelow(node, this.tree) : this.#below(node)
        return
      case 'parent':
      case 'ancestor':
      case 'ancestor-or-self':
        for (
          let above = parentOf(node, this.tree);
          above !== null;
          above = parentOf(above, this.tree)
        ) {
          yield above
          if (axis === 'parent') return
        }
        return
      case 'following-sibling':
        if (isChild(node)) yield* this.#nodesAfter(node)
        return
      case 'preceding-sibling':
        if (isChild(node)) yield* this.#nodesBefore(node)
        return
      case 'following':
        if (isAttribute(node)) yield* this.#below(node.owner)
        for (const ancestor of this.#lineOf(node))
          for (const sibling of this.#nodesAfter(ancestor)) {
            yield sibling
            if (isParent(sibling)) yield* this.#below(sibling)
          }
        return
      case 'preceding':
        for (const ancestor of this.#lineOf(node))
          for (const sibling of this.#nodesBefore(ancestor)) yield* this.#backwards(sibling)
    }
  }

  /** Yields a node and its ancestors, as far as they are below the document. */
  *#lineOf(node: XPathNode): Generator<Element | Text> {
    for (
      let ancestor: XPathNode | null = isAttribute(node) ? node.owner : node;
      ancestor !== null && isChild(ancestor);
      ancestor = parentOf(ancestor, this.tree)
    )
      yield ancestor
  }

  *#nodesAfter(node: Element | Text): Generator<Element | Text> {
    for (let sibling: ChildNode | null = node.next; sibling !== null; sibling = sibling.next)
      if (isNode(sibling)) yield sibling
  }

  *#nodesBefore(node: Element | Text): Generator<Element | Text> {
    for (let sibling: ChildNode | null = node.prev; sibling !== null; sibling = sibling.prev)
      if (isNode(sibling)) yield sibling
  }

  /** Yields the elements and texts below a node, in document order. */
  *#below(root: Document | Element): Generator<Element | Text> {
    let node: ChildNode | null = root.firstChild
    while (node !== null) {
      this.#budget.work(1)
      if (isNode(node)) yield node
      node = (isTag(node) ? node.firstChild : null) ?? nextBelow(node, root)
    }
  }

  /** Yields a node and the nodes below it, in reverse document order. */
  *#backwards(root: Element | Text): Generator<Element | Text> {
    let node: ChildNode = deepestLast(root)
    for (;;) {
      this.#budget.work(1)
      if (isNode(node)) yield node
      if (node === root) return
      const before: ChildNode | null = node.prev
      if (before !== null) node = deepestLast(before)
      else if (node.parent !== null && isTag(node.parent)) node = node.parent
      else return
    }
  }
}

const FAR: ReadonlySet<Axis> = new Set<Axis>([
  'ancestor',
  'ancestor-or-self',
  'following',
  'following-sibling',
  'preceding',
  'preceding-sibling',
])

/** Yields the elements below a node, a contiguous range of the tree's list. */
export function* elementsBelow(node: Document | Element, { elements }: Tree): Generator<Element> {
  const isWhole = !isElement(node)
  const to = isWhole ? elements.length - 1 : (node.endIndex ?? -1)
  for (let index = isWhole ? 0 : (node.startIndex ?? 0) + 1; index <= to; index++) {
    const element = elements[index]
    if (element !== undefined) yield element
  }
}

/** The node after another one and all that is below it, as far as it is below `root`. */
export function nextBelow(node: ChildNode, root: Document | Element): ChildNode | null {
  let ancestor: ChildNode = node
  while (ancestor.next === null) {
    const { parent } = ancestor
    if (parent === null || parent === root || !isTag(parent)) return null
    ancestor = parent
  }
  return ancestor.next
}

function deepestLast(node: ChildNode): ChildNode {
  let deepest = node
  while (isTag(deepest) && deepest.lastChild !== null) deepest = deepest.lastChild
  return deepest
}

/** True for elements and texts. Text outside of the root element does not belong to the document. */
function isNode(node: ChildNode): node is Element | Text {
  return isTag(node) || (isText(node) && node.parent !== null && isTag(node.parent))
}

/** True for elements and texts, which have siblings. */
export function isChild(node: XPathNode): node is Element | Text {
  return !isAttribute(node) && (isTag(node) || isText(node))
}
