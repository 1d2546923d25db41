import { parseDocument } from 'htmlparser2'
import { isTag, type Document, type Element } from 'domhandler'
import { numberElements } from './number-elements.ts'

/**
 * A page's elements. `elements` has document order; an element's `startIndex` is its place there and its `endIndex`
 * the place of its last descendant, so that a subtree is a stretch of the list and nothing has to be walked twice.
 */
export interface Tree {
  readonly document: Document
  readonly elements: readonly Element[]
  /** The `html` element, or the root element of XML. */
  readonly root: Element | null
}

export function parseTree(text: string, xml: boolean): Tree {
  const document = parseDocument(text, { xmlMode: xml })
  return { document, elements: numberElements(document), root: document.children.find(isTag) ?? null }
}
