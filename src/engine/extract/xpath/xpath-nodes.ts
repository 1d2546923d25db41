import { isTag, isText, type ChildNode, type Document, type Element, type Text } from 'domhandler'
import type { Tree } from '../tree/parse-tree.ts'
import { rawText, walk } from '../tree/text-content.ts'
import type { PageBudget } from '../page/page-budget.ts'
import type { Axis, NodeTest } from './xpath-parts.ts'

/** An attribute as a node. */
export interface AttributeNode {
  readonly attribute: string
  readonly value: string
}

/** A node that a path can select. */
export type XPathNode = Document | Element | Text | AttributeNode

/** True for elements and the document, which have children. */
export function isParent(node: XPathNode): node is Document | Element {
  return 'children' in node
}

/** Returns a node's text: all text below it, scripts included. */
export function stringOf(node: XPathNode, budget: PageBudget): string {
  // Pay before the work: nodes take more time than their text.
  if (isParent(node))
    budget.work(
      4 *
        (isElement(node)
          ? (node.endIndex ?? 0) - (node.startIndex ?? 0) + 1
          : node.children.length),
    )
  const text = isParent(node) ? rawText(node, budget) : 'attribute' in node ? node.value : node.data
  budget.work(1 + (text.length >> 3))
  return text
}

/** Returns a node's name; empty for text. */
export function nameOf(node: XPathNode): string {
  return 'attribute' in node ? node.attribute : 'name' in node && isTag(node) ? node.name : ''
}

/** Yields the nodes of an axis that pass the test, in the axis's order. */
export function* alongAxis(
  node: XPathNode,
  axis: Axis,
  test: NodeTest,
  tree: Tree,
  budget: PageBudget,
): Generator<XPathNode> {
  const name =
    test.kind === 'name' && test.name !== null && !tree.xml
      ? test.name.toLowerCase()
      : test.kind === 'name'
        ? test.name
        : null
  const passes = (one: XPathNode): boolean =>
    test.kind === 'node' ||
    (test.kind === 'text'
      ? !isParent(one) && !('attribute' in one)
      : isParent(one) && isElement(one) && (name === null || one.name === name))
  // Visiting all siblings or ancestors of each of many nodes can take the square of a page.
  const cost = axis.includes('sibling') || axis.startsWith('ancestor') ? 8 : 2
  for (const one of axis === 'attribute'
    ? attributes(node, name, test)
    : nodesOf(node, axis, test, tree, budget)) {
    budget.work(cost)
    if (axis === 'attribute' || passes(one)) yield one
  }
}

function* attributes(node: XPathNode, name: string | null, test: NodeTest): Generator<XPathNode> {
  if (!isParent(node) || !isElement(node) || test.kind === 'text') return
  for (const [attribute, value] of Object.entries(node.attribs))
    if (name === null || attribute === name) yield { attribute, value }
}

function* nodesOf(
  node: XPathNode,
  axis: Axis,
  test: NodeTest,
  tree: Tree,
  budget: PageBudget,
): Generator<XPathNode> {
  if (axis === 'self' || axis === 'descendant-or-self' || axis === 'ancestor-or-self') yield node
  if ('attribute' in node) return
  switch (axis) {
    case 'child':
      if (isParent(node))
        for (const child of node.children) if (isTag(child) || isText(child)) yield child
      return
    case 'descendant':
    case 'descendant-or-self':
      if (isParent(node))
        yield* test.kind === 'text' ? textsBelow(node, budget) : elementsBelow(node, tree)
      return
    case 'parent':
    case 'ancestor':
    case 'ancestor-or-self':
      for (let above = node.parent; above !== null; above = above.parent) {
        if (isTag(above) || above === tree.document) yield isTag(above) ? above : tree.document
        if (axis === 'parent') return
      }
      return
    case 'following-sibling':
    case 'preceding-sibling': {
      if (!('next' in node)) return
      const onward = (one: ChildNode): ChildNode | null =>
        axis === 'following-sibling' ? one.next : one.prev
      for (
        let sibling = isChild(node) ? onward(node) : null;
        sibling !== null;
        sibling = onward(sibling)
      )
        if (isTag(sibling) || isText(sibling)) yield sibling
    }
  }
}

/** Yields the elements below a node, a contiguous range of the tree's list. */
export function* elementsBelow(node: Document | Element, { elements }: Tree): Generator<Element> {
  const isWhole = !isElement(node)
  const to = isWhole ? elements.length - 1 : (node.endIndex ?? -1)
  for (let at = isWhole ? 0 : (node.startIndex ?? 0) + 1; at <= to; at++) {
    const element = elements[at]
    if (element !== undefined) yield element
  }
}

function textsBelow(node: Document | Element, budget: PageBudget): Text[] {
  const found: Text[] = []
  walk(
    node,
    (child) => {
      budget.work(1)
      if (isText(child)) found.push(child)
      return true
    },
    () => {},
  )
  return found
}

/** True for elements, false for the document. */
export function isElement(node: Document | Element): node is Element {
  return isTag(node)
}

function isChild(node: XPathNode): node is Element | Text {
  return !('attribute' in node) && (isTag(node) || isText(node))
}
