import { isTag, type Document, type Element } from 'domhandler'
import { parseAsBrowser } from './browser-tree.ts'
import type { PageBudget } from '../page/page-budget.ts'
import { HtmlBuilder } from './html-builder.ts'
import { numberElements } from './number-elements.ts'
import { TokenReader } from './token-reader.ts'
import { XmlBuilder } from './xml-builder.ts'

/**
 * A page's elements. `elements` has document order; an element's `startIndex` is its place there
 * and its `endIndex` the place of its last descendant, so that a subtree is a stretch of the list
 * and nothing has to be walked twice.
 */
export interface Tree {
  readonly document: Document
  readonly elements: readonly Element[]
  /** The `html` element, or the root element of XML. */
  readonly root: Element | null
  /** Names are compared as they are written. */
  readonly xml: boolean
}

/** A browser's tree takes several times the work of the quick one, for each character of the page. */
const BROWSER_STEPS = 4
/** An element costs time and room besides its text. */
const ELEMENT_STEPS = 8
const ELEMENT_BYTES = 16

/**
 * Parses HTML to the tree that a browser makes of it, or XML as it is written. At most 500 levels
 * and 500,000 nodes; throws for no text, unless the page's budget is used up.
 *
 * @throws {PageTooCostly}
 */
export function parseTree(text: string, xml: boolean, budget: PageBudget): Tree {
  budget.work(text.length)
  if (xml) {
    const builder = new XmlBuilder()
    const reader = new TokenReader(text, builder, true)
    reader.read()
    builder.tree.closeAll()
    reader.noteCuts(budget)
    builder.tree.noteCuts(budget)
    return treeOf(builder.tree.document, builder.tree.elements, true, budget)
  }
  const source = text.includes('\0') ? text.replaceAll('\0', '') : text
  const quick = build(source, false)
  if (!quick.builder.needsBrowser) return ofBuilt(quick, budget)
  budget.work(BROWSER_STEPS * source.length)
  const document = parseAsBrowser(source)
  return document === null
    ? ofBuilt(build(source, true), budget)
    : treeOf(document, numberElements(document), false, budget)
}

/** A tree of HTML as the quick builder has it. */
interface Built {
  readonly builder: HtmlBuilder
  readonly reader: TokenReader
}

function build(text: string, lenient: boolean): Built {
  const builder = new HtmlBuilder(text, lenient)
  const reader = new TokenReader(text, builder, false)
  reader.read()
  builder.finish()
  return { builder, reader }
}

function ofBuilt({ builder, reader }: Built, budget: PageBudget): Tree {
  reader.noteCuts(budget)
  builder.noteCuts(budget)
  const { document, reordered, elements } = builder
  return treeOf(document, reordered ? numberElements(document) : elements, false, budget)
}

function treeOf(
  document: Document,
  elements: readonly Element[],
  xml: boolean,
  budget: PageBudget,
): Tree {
  budget.work(ELEMENT_STEPS * elements.length)
  budget.make(ELEMENT_BYTES * elements.length)
  return { document, elements, root: document.children.find(isTag) ?? null, xml }
}
