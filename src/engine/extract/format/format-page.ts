import { replaceEach } from '../../../kernel/text/long-text.ts'
import type { Element } from 'domhandler'
import type { Json } from '../../../kernel/json.ts'
import type { FORMATS } from '../../recipe/schema.ts'
import { atOnce, QuickPass, type Parts } from '../page/in-turns.ts'
import { makeJsonParts } from '../page/parse-json.ts'
import { relParts } from '../page/microformats.ts'
import { isDocument } from '../page/content-type.ts'
import type { PageBudget } from '../page/page-budget.ts'
import type { PageContent } from '../page/page-content.ts'
import { outerParts } from '../tree/serialise.ts'
import { collapse, readableParts, textOf } from '../tree/text-content.ts'
import { commentParts } from './comments.ts'
import { contentParts } from './main-content.ts'
import { markdownParts } from './markdown.ts'
import { metadataParts } from './metadata.ts'
import type { Metadata } from './metadata.ts'
import type { DocumentText } from '../../../ports/document-reader.ts'

const LEFT_OUT = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'iframe',
  'object',
  'embed',
  'link',
  'meta',
  'base',
])

/**
 * Converts a whole page to a format, or returns `null` if the page has nothing for it. `text` and
 * `markdown` cover the main content. `html` is the body without scripts, styles and event handlers,
 * with absolute links.
 */
export function formatPage(page: PageContent, format: (typeof FORMATS)[number]): Json {
  return atOnce(formatParts(page, format))
}

/** Like {@link formatPage} in parts. */
export function* formatParts(page: PageContent, format: (typeof FORMATS)[number]): Parts<Json> {
  const value = yield* makeFormat(page, format)
  yield
  yield* makeJsonParts(value, page.budget)
  return value
}

function* makeFormat(page: PageContent, format: (typeof FORMATS)[number]): Parts<Json> {
  if (page.kind === 'other' || (isDocument(page.kind) && page.document === null)) return null
  switch (format) {
    case 'markdown':
      return (yield* markdownOf(page)) || null
    case 'text':
      return (yield* textOfPage(page)) || null
    case 'html':
      return (yield* htmlOf(page)) || null
    case 'links':
      return page.kind === 'html' ? pageLinks(page) : []
    case 'metadata':
      return page.kind === 'html' || page.isFeed
        ? { ...(yield* metadataParts(page)) }
        : page.document !== null
          ? { ...documentFacts(page.document) }
          : null
    case 'article':
      return page.kind === 'html'
        ? yield* article(
            yield* metadataParts(page),
            yield* textOfPage(page),
            yield* markdownOf(page),
            page.budget,
          )
        : page.document !== null
          ? yield* article(
              documentFacts(page.document),
              yield* textOfPage(page),
              yield* markdownOf(page),
              page.budget,
            )
          : null
    case 'structured':
      return page.kind === 'html' ? yield* structured(page) : null
    case 'comments':
      return page.kind === 'html' ? yield* commentParts(page) : null
    case 'screenshot':
      // The screenshot itself is taken when the page is rendered.
      return page.kind === 'html' ? { sourceUrl: page.url } : null
  }
}

function* markdownOf(page: PageContent): Parts<string> {
  if (page.kind === 'text' || page.kind === 'csv' || page.document !== null) return page.text.trim()
  if (page.kind === 'json' || page.kind === 'lines')
    return `\`\`\`json\n${page.text.trim()}\n\`\`\``
  const main = yield* contentParts(page)
  yield
  return main === null ? '' : yield* markdownParts(main.root, page, main.keeps)
}

function* textOfPage(page: PageContent): Parts<string> {
  if (page.document !== null) return plainText(page.document)
  if (page.kind === 'text' || page.isData) return page.text.trim()
  if (page.kind === 'xml')
    return page.tree.root === null
      ? ''
      : linesOf(yield* readableParts(page.tree.root, '\n', page.budget))
  const main = yield* contentParts(page)
  yield
  if (main === null) return ''
  const text = yield* readableParts(
    main.root,
    '\n',
    page.budget,
    (element: Element) => main.keeps(element) && element !== main.heading,
  )
  yield
  return linesOf(text)
}

function linesOf(text: string): string {
  return text
    .split('\n')
    .map((line) => collapse(line))
    .filter((line) => line !== '')
    .join('\n')
}

function* htmlOf(page: PageContent): Parts<string> {
  if (page.kind !== 'html') return ''
  const body = page.tree.elements.find((element) => element.name === 'body')
  if (body === undefined) return ''
  return yield* outerParts(body, page.budget, {
    keep: (element) => !LEFT_OUT.has(element.name),
    attribute: (name, value) =>
      name.startsWith('on') || name === 'style'
        ? null
        : (name === 'href' || name === 'src') && !value.startsWith('#')
          ? page.resolve(value)
          : value,
  })
}

/** The page as an article: author, site, date, title and text. `null` if the page has no text. */
function* article(
  { title, author, date, site, language, description, image }: Metadata,
  text: string,
  markdown: string,
  budget: PageBudget,
): Parts<Json> {
  if (text === '') return null
  return {
    title,
    byline: author,
    published: date,
    siteName: site,
    language,
    excerpt: description,
    image,
    text,
    markdown,
    wordCount: yield* countWordParts(text, budget),
  }
}

const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}'’-]*/gu
/** Scripts without spaces between words. Each character counts as a word, as in word processors. */
const IDEOGRAPH = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu

/** Counts the words of a text. */
export function countWords(text: string): number {
  return countOf(IDEOGRAPH, text) + countOf(WORD, replaceEach(text, IDEOGRAPH, ' '))
}

/** Characters whose words are counted in one part, and the steps of each of them. */
const COUNTED = 200_000
const COUNT_STEPS = 0.5

/** Like {@link countWords} in parts, which end between two words. */
export function* countWordParts(text: string, budget: PageBudget): Parts<number> {
  let count = 0
  for (let start = 0; start < text.length;) {
    const space = text.length - start > COUNTED ? text.indexOf(' ', start + COUNTED) : -1
    const end = space === -1 ? text.length : space
    count += countWords(text.slice(start, end))
    budget.unpaid(COUNT_STEPS * (end - start))
    yield
    start = end
  }
  return count
}

/** Counts matches without making a list of them. */
function countOf(pattern: RegExp, text: string): number {
  let count = 0
  pattern.lastIndex = 0
  while (pattern.test(text)) count++
  return count
}

const MAX_LINKS = 10_000
/** How often the page's text may be read for its links. Nested links share this limit. */
const READINGS = 3

/** Returns the page's links as `{ url, text }`, each URL once, with its first non-empty text. */
function pageLinks(page: PageContent): Json {
  const links = new Map<string, string>()
  let left = READINGS * (page.source.length + page.tree.elements.length)
  for (const element of page.tree.elements) {
    if (
      (element.name !== 'a' && element.name !== 'area') ||
      !Object.hasOwn(element.attribs, 'href')
    )
      continue
    const url = page.resolve(element.attribs['href'] ?? '')
    if (url === null || links.get(url)) continue
    if (links.size === MAX_LINKS && !links.has(url)) {
      page.budget.cut('links', MAX_LINKS)
      break
    }
    if (left <= 0) page.budget.cut('readings of the page for the texts of links', READINGS)
    const text = left > 0 ? textOf(element, page.budget) : ''
    left -= text.length + (element.endIndex ?? 0) - (element.startIndex ?? 0)
    links.set(url, text || (element.attribs['title'] ?? element.attribs['alt'] ?? ''))
  }
  return [...links].map(([url, text]) => ({ url, text }))
}

const NOTHING: Metadata = {
  title: null,
  description: null,
  author: null,
  date: null,
  site: null,
  language: null,
  canonical: null,
  image: null,
  type: null,
}

/** Returns a document's metadata in the form of a page's metadata, with the number of pages. */
function documentFacts({
  title,
  author,
  date,
  language,
  pages,
}: DocumentText): Metadata & { readonly pages: number } {
  return { ...NOTHING, title, author, date, language, pages }
}

/** Joins the pages with form feeds and removes the heading marks. */
function plainText({ texts }: DocumentText): string {
  return texts
    .map((text) => text.replace(/^## /gm, ''))
    .join('\n\f')
    .trim()
}

const MAX_PROPERTIES = 500
/** Steps to look for a property in an element. */
const PROPERTY_STEPS = 8

/**
 * Returns a page's machine-readable data: JSON-LD, the outermost items of microdata and RDFa, and
 * OpenGraph and Twitter properties. `null` if it has no metadata.
 */
function* structured(page: PageContent): Parts<Json> {
  yield* page.readData()
  const jsonld = page.data.flatMap((document) => (Array.isArray(document) ? document : [document]))
  yield* page.readMicrodata()
  yield* page.readRdfa()
  yield* page.readMicroformats()
  const [microdata, rdfa] = [topOf(page.microdata), topOf(page.rdfa)]
  const microformats = yield* microformatsOf(page)
  const openGraph = yield* propertyParts(
    page,
    /^(?:og|article|book|profile|product|music|video|fb):/,
  )
  const twitter = yield* propertyParts(page, /^twitter:/)
  const isEmpty =
    jsonld.length === 0 &&
    microdata.length === 0 &&
    rdfa.length === 0 &&
    microformats === null &&
    Object.keys(openGraph).length === 0 &&
    Object.keys(twitter).length === 0
  return isEmpty ? null : { jsonld, microdata, rdfa, microformats, openGraph, twitter }
}

/** The microformats of a page and the relations of its links. `null`: it has no microformats. */
function* microformatsOf(page: PageContent): Parts<Json> {
  const items = topOf(page.microformats)
  if (items.length === 0) return null
  return { items, ...(yield* relParts(page.tree, page.budget, (href) => page.nameOf(href))) }
}

function topOf(items: readonly { readonly value: Json; readonly isTop: boolean }[]): Json[] {
  return items.flatMap(({ value, isTop }) => (isTop ? [value] : []))
}

/** Collects properties. A property that occurs several times becomes a list. */
function* propertyParts(page: PageContent, names: RegExp): Parts<{ [name: string]: Json }> {
  const valuesByName = new Map<string, string[]>()
  let count = 0
  const pass = new QuickPass(page.budget, PROPERTY_STEPS)
  for (const { name, attribs } of page.tree.elements) {
    if (pass.ends()) yield
    const property = (attribs['property'] ?? attribs['name'])?.trim().toLowerCase()
    const content = attribs['content']?.trim()
    if (
      name !== 'meta' ||
      property === undefined ||
      content === undefined ||
      content === '' ||
      !names.test(property)
    )
      continue
    if (++count > MAX_PROPERTIES) {
      page.budget.cut('properties of one kind', MAX_PROPERTIES)
      break
    }
    const values = valuesByName.get(property)
    if (values === undefined) valuesByName.set(property, [content])
    else values.push(content)
  }
  return Object.fromEntries(
    [...valuesByName].map(([name, values]) => [
      name,
      values.length === 1 ? (values[0] ?? null) : values,
    ]),
  )
}
