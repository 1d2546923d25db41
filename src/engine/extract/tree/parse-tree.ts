import { isTag } from 'domhandler'
import type { Document, Element } from 'domhandler'
import { TextParts } from '../../../kernel/text/text-parts.ts'
import { atOnce, type Parts } from '../page/in-turns.ts'
import type { PageBudget } from '../page/page-budget.ts'
import { HtmlBuilder } from './html-builder.ts'
import { HtmlReader } from './html-reader.ts'
import { XmlBuilder } from './xml-builder.ts'
import { XmlReader } from './xml-reader.ts'
import { expandEntities } from './xml-entities.ts'

/**
 * A page's elements. `elements` is in document order. An element's `startIndex` is its index there,
 * and its `endIndex` is the index of its last descendant. So a subtree is a contiguous range of the
 * list, and no walk over the tree is needed.
 */
export interface Tree {
  readonly document: Document
  readonly elements: readonly Element[]
  /** The `html` element, or the root element of XML. */
  readonly root: Element | null
  /** True if names are compared with case. */
  readonly xml: boolean
}

/** An element costs time and memory besides its text: 0.3 to 0.8 µs, with the text node in it. */
const ELEMENT_STEPS = 20
const ELEMENT_BYTES = 16

/**
 * Parses HTML to the same tree as a browser, or XML as written. Keeps at most 500 levels and
 * 500,000 nodes. Never throws for any text unless the page's budget is used up.
 *
 * @throws {PageTooCostly}
 */
export function parseTree(text: string | TextParts, xml: boolean, budget: PageBudget): Tree {
  return atOnce(treeParts(text, xml, budget))
}

/** Characters that are read in one part. */
export const PART = 60_000

/** Like {@link parseTree} in parts: an HTML text is read in the parts that it has. */
export function* treeParts(
  text: string | TextParts,
  xml: boolean,
  budget: PageBudget,
): Parts<Tree> {
  // A part is paid after it is read. If the budget has ended, none is.
  budget.work(0)
  const pay = new ElementPay(budget)
  const lines = withLineFeeds(typeof text === 'string' ? new TextParts([text]) : text)
  if (xml) {
    budget.workAhead(text.length)
    const builder = new XmlBuilder()
    const whole = new TextParts([expandEntities(lines.toString(), budget)])
    const reader = new XmlReader(whole.divided(PART), builder)
    for (const length of reader.windows()) {
      budget.did(length)
      pay.upTo(builder.tree.elements.length)
      yield
    }
    budget.did()
    builder.tree.closeAll()
    reader.noteCuts(budget)
    builder.tree.noteCuts(budget)
    return treeOf(builder.tree.document, builder.tree.elements, true, pay)
  }
  const source = lines.has('\0')
    ? new TextParts(lines.parts.map((part) => part.replaceAll('\0', '')))
    : lines
  const builder = new HtmlBuilder(source.length)
  const reader = new HtmlReader(source, builder)
  let unpaid = source.length
  for (const length of reader.windows()) {
    budget.work(length + builder.takeSteps())
    pay.upTo(builder.elements.length)
    unpaid -= length
    yield
  }
  budget.work(unpaid + builder.takeSteps())
  builder.finish()
  reader.noteCuts(budget)
  builder.noteCuts(budget)
  const { document, reordered, elements } = builder
  return treeOf(document, reordered ? numberElements(document) : elements, false, pay)
}

/** Pays for the elements of a tree part by part, so that turns are as long as their work. */
class ElementPay {
  readonly #budget: PageBudget
  #count = 0

  constructor(budget: PageBudget) {
    this.#budget = budget
  }

  /** Pays for all elements up to this number of them. */
  upTo(count: number): void {
    const more = Math.max(0, count - this.#count)
    this.#budget.work(ELEMENT_STEPS * more)
    this.#budget.make(ELEMENT_BYTES * more)
    this.#count += more
  }
}

/** Ends each line with a line feed (HTML Standard, 13.2.3.5, "normalize newlines"). */
function withLineFeeds(text: TextParts): TextParts {
  if (!text.has('\r')) return text
  return new TextParts(
    text.parts.map((part, index) => {
      const isSplit = part.endsWith('\r') && text.parts[index + 1]?.startsWith('\n') === true
      return (isSplit ? part.slice(0, -1) : part).replace(/\r\n?/g, '\n')
    }),
  )
}

function treeOf(
  document: Document,
  elements: readonly Element[],
  xml: boolean,
  pay: ElementPay,
): Tree {
  pay.upTo(elements.length)
  return { document, elements, root: document.children.find(isTag) ?? null, xml }
}

/**
 * Lists a document's elements in document order. Writes each element's index and its last
 * descendant's index into `startIndex` and `endIndex`.
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
