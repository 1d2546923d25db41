import { isTag, isText, type ChildNode, type Element } from 'domhandler'
import { filterParts, QuickPass, type Parts } from '../page/in-turns.ts'
import type { PageContent } from '../page/page-content.ts'
import { BLOCK, collapse, textStart } from '../tree/text-content.ts'
import { nameOf } from './beside.ts'

/** Names of meta elements with an author, best first. */
const STATED = [
  'author',
  'article:author',
  'dc.creator',
  'dcterms.creator',
  'citation_author',
  'parsely-author',
  'sailthru.author',
  'cxenseparse:author',
  'byl',
  'twitter:data1',
]
/** Those that a page has for each of its authors. */
const FOR_EACH = new Set(['author', 'dc.creator', 'dcterms.creator', 'citation_author'])
/** Maximum number of authors that are read of one name. */
const MOST_AUTHORS = 50

/** Names of a box about the author of a text. */
export const BOX = new RegExp(
  String.raw`(?:^|[\s_-])(?:author|autor|auteur|writer)s?[\s_-]?(?:bio|box|card|info|profile|profil|` +
    String.raw`container|details)(?:$|[\s_-])|(?:^|[\s_-])about-(?:the-)?author(?:$|\s)`,
  'i',
)
/** Text of the elements of a box that may be the name. */
const NAMING = /^(?:h[2-6]|a|strong|b)$/
const LONGEST_NAME = 60
/** Two to four words with capitals: the name of a person. */
export const PERSON =
  /^\p{Lu}[\p{L}.'’-]{1,30}(?: (?:(?:von|van|de|der|den|di|da|du|la|le|el|al|bin) )?\p{Lu}[\p{L}.'’-]{0,30}){1,3}$/u

/** A word before the author, which begins a line. */
const WORD = /^(?:autor|author|auteur|verfasser|von|by|text|words|written)/i
/** The same with its colon, and perhaps the author. */
const LABELLED =
  /^(?:autor(?:in|en)?|authors?|auteurs?|autore|verfasser(?:in)?|von|by|texte?|words|written by)\s?:\s?/i
/** Words that a term or a heading of a row has without a colon. */
const TERM = /^(?:autor(?:in|en)?|authors?|auteurs?|autore|verfasser(?:in)?)$/i
const LINES = new Set(['span', 'b', 'strong', 'i', 'em'])
/** Nodes at the start of an element among which its first text is looked for. */
const MOST_BEFORE = 3
/** Nodes between a label and the name: line breaks and white space. */
const MOST_BREAKS = 6
/** Maximum number of nodes of a line. */
const MOST_IN_LINE = 50
/** Steps to check the names of an element. */
const NAMING_STEPS = 3

/** Returns the texts of meta elements that state authors, best first, with those of several. */
export function* statedAuthors(page: PageContent): Parts<readonly (readonly string[])[]> {
  const names = STATED.filter((name) => page.meta(name) !== null)
  const several = names.some((name) => FOR_EACH.has(name))
    ? yield* filterParts(page.tree.elements, ({ name }) => name === 'meta', page.budget)
    : []
  return names.map((name) =>
    FOR_EACH.has(name)
      ? several
          .filter(({ attribs }) => (attribs['name'] ?? attribs['property'])?.toLowerCase() === name)
          .slice(0, MOST_AUTHORS)
          .map(({ attribs }) => attribs['content'] ?? '')
      : [page.meta(name) ?? ''],
  )
}

/** Returns the name of a person in a box about the author: a heading or a link. */
export function* boxedNames(
  page: PageContent,
  elements: readonly Element[],
): Parts<readonly string[]> {
  page.budget.work(NAMING_STEPS * elements.length)
  const pass = new QuickPass(page.budget)
  let end = -1
  for (const element of elements) {
    if (pass.ends()) yield
    if ((element.startIndex ?? 0) > end) {
      if (BOX.test(nameOf(element))) end = element.endIndex ?? -1
      continue
    }
    if (!NAMING.test(element.name)) continue
    const text = textStart(element, LONGEST_NAME + 1, page.budget)
    if (PERSON.test(text)) return [text]
  }
  return []
}

/** Returns the name of a person behind a word with a colon, or in the cell or the term after it. */
export function* labelledNames(
  page: PageContent,
  elements: readonly Element[],
): Parts<readonly string[]> {
  page.budget.work(NAMING_STEPS * elements.length)
  const pass = new QuickPass(page.budget)
  for (const element of elements) {
    if (pass.ends()) yield
    if (!(BLOCK.has(element.name) || LINES.has(element.name)) || !WORD.test(firstText(element)))
      continue
    const text = textStart(element, 2 * LONGEST_NAME, page.budget)
    const [label = ''] = LABELLED.exec(text) ?? []
    const isTerm = TERM.test(text) && (element.name === 'dt' || element.name === 'th')
    if (label === '' && !isTerm) continue
    const own = text.slice(label.length)
    const name = isTerm || own === '' ? textAfter(element, page) : own
    if (PERSON.test(name.split(/, | (?:und|and|et|y|&) /, 1)[0] ?? '')) return [name]
  }
  return []
}

/** The login of a site may have the words of a title. */
const TITLE = new Set(['title', 'h1'])

/** Returns the name that a line of the page spells out, if the page states its login: `@AnnField`. */
export function* namesOfLogin(page: PageContent): Parts<readonly string[]> {
  const login = (page.meta('twitter:creator') ?? '').replace(/^@/, '').toLowerCase()
  if (login === '') return []
  const { elements } = page.tree
  page.budget.work(NAMING_STEPS * elements.length)
  const pass = new QuickPass(page.budget)
  for (const element of elements) {
    if (pass.ends()) yield
    if (TITLE.has(element.name)) continue
    const text = firstText(element)
    if (PERSON.test(text) && text.replaceAll(' ', '').toLowerCase() === login) return [text]
  }
  return []
}

/** A line that names the agency or the house whose text it is. */
const SOURCE = /^(?:quelle|source|fuente|fonte|bron)\s?:\s?(?=\p{L})/iu
const SOURCE_WORD = /^(?:quelle|source|fuente|fonte|bron)\s?:/i
/** Elements around a line that say that it is about a picture, a chart, a table or a quotation. */
const PART_LEVELS = 3
const PART = new RegExp(
  'caption|picture|image|bild|figur|foto|photo|media|gallery|copyright|credit|chart|diagram|' +
    'graphic|grafik|quote|^(?:table|tr|td|th|li|dd) ',
  'i',
)

/**
 * Returns the name in the line such as `Source: Harbour Agency` that is not of a picture. Several
 * sources are those of charts, or references.
 */
export function* sourceNames(page: PageContent): Parts<readonly string[]> {
  const { elements } = page.tree
  page.budget.work(NAMING_STEPS * elements.length)
  const pass = new QuickPass(page.budget)
  const sources = new Set<string>()
  for (const element of elements) {
    if (pass.ends()) yield
    if (!(BLOCK.has(element.name) || LINES.has(element.name))) continue
    if (!SOURCE_WORD.test(firstText(element))) continue
    const text = textStart(element, LONGEST_NAME + 1, page.budget)
    if (text.length <= LONGEST_NAME && SOURCE.test(text) && !isOfPart(element))
      sources.add(text.replace(SOURCE, ''))
    if (sources.size > 1) return []
  }
  return [...sources]
}

function isOfPart(element: Element): boolean {
  let around: Element | null = element
  for (let level = 0; level < PART_LEVELS && around !== null; level++) {
    if (PART.test(`${around.name} ${nameOf(around)}`)) return true
    const { parent }: Element = around
    around = parent !== null && isTag(parent) ? parent : null
  }
  return false
}

function firstText({ children }: Element): string {
  for (const node of children.slice(0, MOST_BEFORE)) {
    const text = isText(node) ? node.data.slice(0, 2 * LONGEST_NAME).trim() : ''
    if (text !== '') return text
  }
  return ''
}

/** The text after an element, in the same line or in the next element. */
export function textAfter({ next }: Element, page: PageContent): string {
  for (let node = next, left = MOST_BREAKS; node !== null && left > 0; node = node.next, left--) {
    const text = textIn(node, page)
    if (text !== '') return text
  }
  return ''
}

function textIn(node: ChildNode, page: PageContent): string {
  if (isText(node)) return collapse(node.data.slice(0, 5 * LONGEST_NAME))
  return isTag(node) ? textStart(node, 2 * LONGEST_NAME, page.budget) : ''
}

/** The text of an element up to its first line break, if there is text before it. */
export function firstLine({ children }: Element, page: PageContent): string {
  let line = ''
  for (const node of children.slice(0, MOST_IN_LINE)) {
    if (isTag(node) && node.name === 'br' && line.trim() !== '') break
    line += isText(node) ? node.data.slice(0, 2 * LONGEST_NAME) : textIn(node, page)
    if (line.length > 5 * LONGEST_NAME) break
  }
  return collapse(line)
}
