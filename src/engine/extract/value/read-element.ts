import type { Element } from 'domhandler'
import type { Json } from '../../../kernel/json.ts'
import { typeOfReading } from '../../recipe/field-schema.ts'
import type { ValueReading } from '../../recipe/recipe-input.ts'
import { markdownParts, toMarkdown } from '../format/markdown.ts'
import { mediaAddress } from '../media.ts'
import type { Parts } from '../page/in-turns.ts'
import type { PageContent } from '../page/page-content.ts'
import { innerHtml, outerHtml, outerParts } from '../tree/serialise.ts'
import { hasLongText, rawText, textOf, textParts } from '../tree/text-content.ts'
import { convertText } from './convert.ts'
import { isTag } from 'domhandler'
import type { PageBudget } from '../page/page-budget.ts'
import { parseTree } from '../tree/parse-tree.ts'

/** Longer texts are not prices. */
const LONGEST_PRICE = 60
/** Elements that cannot have text, or whose text is not visible. */
const WITHOUT_TEXT: ReadonlySet<string> = new Set(['script', 'style', 'noscript', 'meta', 'input'])
const LINKS = ['href', 'src', 'content', 'data', 'action', 'poster'] as const
const VALUE_OF: Readonly<Record<string, string>> = {
  meta: 'content',
  input: 'value',
  option: 'value',
  data: 'value',
  meter: 'value',
  progress: 'value',
}

/**
 * Converts a matched element to a value. Without `attr` and `as` the value is the text, or `null`
 * if it has no text. HTML in a feed is read as HTML.
 */
export function readElement(
  element: Element,
  attr: string | undefined,
  as: ValueReading | undefined,
  page: PageContent,
): Json {
  const text = writtenValue(element, attr, as, page)
  if (text === null) return null
  if (attr !== undefined) {
    if (as === 'boolean' && (text === '' || text === attr)) return true
    return as === undefined || as === 'text' ? text : convertText(text, as, page)
  }
  return as === undefined || as === 'text' || as === 'html' || as === 'markdown'
    ? text
    : convertText(text, as, page, machineValue(element) === null)
}

/**
 * Returns the source text of a value: an attribute, the machine-readable value if wanted, or the
 * element's text.
 */
export function writtenValue(
  element: Element,
  attr: string | undefined,
  as: ValueReading | undefined,
  page: PageContent,
): string | null {
  if (as === 'media') return mediaAddress(element, attr, page.budget)
  if (attr !== undefined) return attributeOf(element, attr)
  switch (as && typeOfReading(as)) {
    case 'json':
      return rawText(element, page.budget)
    case 'url':
      for (const name of LINKS) {
        const value = attributeOf(element, name)
        if (value !== null) return value
      }
      return textHere(element, page)
    case 'date':
      return attributeOf(element, 'datetime') ?? machineValue(element) ?? textHere(element, page)
    case 'number':
    case 'integer':
    case 'boolean':
      return machineValue(element) ?? withCents(element, textHere(element, page), page.budget)
    default: {
      const decoded = page.kind === 'xml' ? feedBase64(element, page) : null
      if (decoded !== null) return decoded
      const embedded = page.kind === 'xml' ? feedHtml(element, page) : null
      return (
        (embedded === null ? readContent(element, as, page) : readEmbedded(embedded, as, page)) ||
        null
      )
    }
  }
}

/** Types that are read in a language. */
const OF_LANGUAGE: ReadonlySet<string> = new Set(['number', 'integer', 'date'])

/** Elements, and characters of text, in an element whose content is read in parts. */
const LARGE = 2_000
const LONG = 200_000

/** Reads the content of a large element of an HTML page in parts, before its value is read. */
export function* prepareContent(
  element: Element,
  as: ValueReading | undefined,
  page: PageContent,
): Parts<void> {
  if (page.kind !== 'html') return
  // Numbers and dates are read in the language of the page.
  if (as !== undefined && OF_LANGUAGE.has(typeOfReading(as))) yield* page.readMeta()
  const form = contentOf(as)
  if (form === null || (form === 'text' && isRead(element, as))) return
  const isLarge = (element.endIndex ?? 0) - (element.startIndex ?? 0) >= LARGE
  if (!isLarge && !(form === 'text' && hasLongText(element, LONG))) return
  const { budget } = page
  const text =
    as === 'html'
      ? yield* outerParts(element, budget)
      : as === 'markdown'
        ? yield* markdownParts(element, page)
        : yield* textParts(element, budget)
  page.prepare({ element, as: form, text })
}

/** The form in which the content of an element is read. `null`: its value is none of these. */
function contentOf(as: ValueReading | undefined): 'html' | 'markdown' | 'text' | null {
  const type = as === undefined ? 'text' : typeOfReading(as)
  if (type === 'html' || type === 'markdown') return type
  return type === 'json' || type === 'media' ? null : 'text'
}

/** True if a value is not the text below an element, but an attribute or all of its content. */
function isRead(element: Element, as: ValueReading | undefined): boolean {
  if (WITHOUT_TEXT.has(element.name)) return true
  const type = as === undefined ? 'text' : typeOfReading(as)
  if (type === 'text') return false
  if (type === 'url') return LINKS.some((name) => attributeOf(element, name) !== null)
  return (
    machineValue(element) !== null || (type === 'date' && attributeOf(element, 'datetime') !== null)
  )
}

/** The text of an element, which may have been read in parts. */
function textHere(element: Element, page: PageContent): string {
  return page.takePrepared(element, 'text') ?? textOf(element, page.budget)
}

function readContent(element: Element, as: ValueReading | undefined, page: PageContent): string {
  const prepared = page.takePrepared(element, contentOf(as) ?? 'text')
  if (prepared !== null) return prepared
  return as === 'html'
    ? outerHtml(element, page.budget)
    : as === 'markdown'
      ? toMarkdown(element, page)
      : readText(element, page)
}

function readEmbedded(html: string, as: ValueReading | undefined, page: PageContent): string {
  if (as === 'html') return html
  const body = feedHtmlBody(html, page.budget)
  if (body === null) return ''
  return as === 'markdown' ? toMarkdown(body, page) : textOf(body, page.budget)
}

/** Returns an element's text, or the content of an element that cannot have text. */
function readText(element: Element, page: PageContent): string {
  if (element.name === 'script' || element.name === 'style' || element.name === 'noscript')
    return rawText(element, page.budget).trim()
  if (element.name === 'meta' || element.name === 'input')
    return machineValue(element)?.trim() ?? ''
  return textOf(element, page.budget)
}

/**
 * Returns the machine-readable value: `<data value>`, `<meta content>`, or `itemprop` with
 * `content`.
 */
function machineValue(element: Element): string | null {
  const name = VALUE_OF[element.name] ?? 'content'
  return attributeOf(element, name)
}

function attributeOf(element: Element, name: string): string | null {
  return Object.hasOwn(element.attribs, name) ? (element.attribs[name] ?? null) : null
}

const MONEY_SIGN = /[$€£¥₹]|\b[A-Z]{3}\b/

/** Adds a point before raised cents of a price: `$12<sup>99</sup>`. */
function withCents(element: Element, text: string, budget: PageBudget): string {
  if (text.length > LONGEST_PRICE || !MONEY_SIGN.test(text)) return text
  budget.work(1 + (element.endIndex ?? 0) - (element.startIndex ?? 0))
  const raised = findSup(element)
  const cents = raised === null ? '' : textOf(raised, budget)
  if (!/^\d{2}$/.test(cents)) return text
  const [whole = '', ...more] = text.split(cents)
  const rest = more.join(cents)
  return /\d\s?$/.test(whole) && !/^\d/.test(rest) && !/[.,]\d{2}\s?$/.test(whole)
    ? `${whole.trimEnd()}.${cents}${rest}`
    : text
}

function findSup(element: Element): Element | null {
  for (const child of element.children) {
    if (!isTag(child)) continue
    const sup = child.name === 'sup' ? child : findSup(child)
    if (sup !== null) return sup
  }
  return null
}

const MARKUP = /<[a-z!/]|&(?:[a-z]{2,8}|#x?[\da-f]+);/i

/**
 * Returns the HTML that an element of a feed holds as text (RSS `description`, Atom `content
 * type="html"`) or as elements (Atom `type="xhtml"`), or `null` if its content is not HTML.
 */
function feedHtml(element: Element, page: PageContent): string | null {
  const type = element.attribs['type']
  if (!page.isFeed || type === 'text' || type === 'text/plain') return null
  const inner = element.children.find(isTag)
  if (inner !== undefined && (type === 'xhtml' || type === 'application/xhtml+xml'))
    return innerHtml(inner, page.budget)
  if (inner !== undefined && type !== 'html' && type !== 'text/html') return null
  const text = rawText(element, page.budget)
  return MARKUP.test(text) ? text.trim() : null
}

/** Types of Atom whose content is text. Any other is Base64 (RFC 4287, 4.1.3.3). */
const TEXT_TYPE = /^(?:text|html|xhtml|text\/.*|.*[+/]xml)$/

/** Steps to decode one letter of Base64. */
const DECODE_STEPS = 4

/** Returns the text that an element of a feed has in Base64; `null` if it has no such text. */
function feedBase64(element: Element, page: PageContent): string | null {
  const { mode, type = 'text' } = element.attribs
  const isContent = ['title', 'summary', 'content', 'subtitle', 'tagline', 'rights'].includes(
    element.name,
  )
  if (!page.isFeed || !isContent || (mode !== 'base64' && TEXT_TYPE.test(type))) return null
  if (element.children.some(isTag)) return null
  const text = rawText(element, page.budget)
  page.budget.work(DECODE_STEPS * text.length)
  page.budget.make(text.length)
  return decodeBase64(text)
}

function decodeBase64(text: string): string | null {
  try {
    const bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    // The text is not Base64, or the bytes are not text.
    return null
  }
}

/** Returns the body of a feed element's HTML. */
function feedHtmlBody(html: string, budget: PageBudget): Element | null {
  return parseTree(html, false, budget).elements.find(({ name }) => name === 'body') ?? null
}
