import { isTag, type ChildNode, type Element } from 'domhandler'

/** The element before this one, below the same parent. */
export function previousElement(element: Element): Element | null {
  let node: ChildNode | null = element.prev
  while (node !== null && !isTag(node)) node = node.prev
  return node
}

/** The element after this one, below the same parent. */
export function nextElement(element: Element): Element | null {
  let node: ChildNode | null = element.next
  while (node !== null && !isTag(node)) node = node.next
  return node
}
