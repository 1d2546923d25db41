import { isTag, type Document, type Element } from 'domhandler'
import { parseAsBrowser } from './browser-tree.ts'
import { HtmlBuilder } from './html-builder.ts'
import { numberElements } from './number-elements.ts'
import { TokenReader } from './token-reader.ts'
import { XmlBuilder } from './xml-builder.ts'

/**
 * A page's elements. `elements` has document order; an element's `startIndex` is its place there and its `endIndex`
 * the place of its last descendant, so that a subtree is a stretch of the list and nothing has to be walked twice.
 */
export interface Tree {
  readonly document: Document
  readonly elements: readonly Element[]
  /** The `html` element, or the root element of XML. */
  readonly root: Element | null
  /** Names are compared as they are written. */
  readonly xml: boolean
}

/**
 * Parses HTML to the tree that a browser makes of it, or XML as it is written. At most 500 levels and 500,000 nodes;
 * never throws, whatever the text.
 */
export function parseTree(text: string, xml: boolean): Tree {
  if (xml) {
    const builder = new XmlBuilder()
    new TokenReader(text, builder, true).read()
    builder.tree.closeAll()
    return treeOf(builder.tree.document, builder.tree.elements, true)
  }
  const source = text.includes('\0') ? text.replaceAll('\0', '') : text
  const quick = build(source, false)
  if (!quick.needsBrowser) return treeOf(quick.document, quick.reordered ? numberElements(quick.document) : quick.elements, false)
  const document = parseAsBrowser(source) ?? build(source, true).document
  return treeOf(document, numberElements(document), false)
}

function build(text: string, lenient: boolean): HtmlBuilder {
  const builder = new HtmlBuilder(text, lenient)
  new TokenReader(text, builder, false).read()
  builder.finish()
  return builder
}

function treeOf(document: Document, elements: readonly Element[], xml: boolean): Tree {
  return { document, elements, root: document.children.find(isTag) ?? null, xml }
}
