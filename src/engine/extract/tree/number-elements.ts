import { isTag, type Document, type Element } from 'domhandler'

/**
 * Lists a document's elements in document order and writes each one's place and its last
 * descendant's into `startIndex` and `endIndex`.
 */
export function numberElements(document: Document): Element[] {
  const elements: Element[] = []
  const open: Element[] = []
  let node = document.firstChild
  while (node !== null) {
    if (isTag(node)) {
      node.startIndex = elements.length
      node.endIndex = elements.length
      elements.push(node)
      if (node.firstChild !== null) {
        open.push(node)
        node = node.firstChild
        continue
      }
    }
    while (node !== null && node.next === null) {
      const parent = open.pop()
      if (parent !== undefined) parent.endIndex = elements.length - 1
      node = parent ?? null
    }
    node = node?.next ?? null
  }
  return elements
}
