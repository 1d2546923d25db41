import { isTag, type Element } from 'domhandler'
import { isObject, type Json } from '../../../kernel/json.ts'
import { filterParts, SlicePay, type Parts } from '../page/in-turns.ts'
import type { PageContent } from '../page/page-content.ts'
import { channelOf } from './feed.ts'
import { hasWord } from '../select/attribute-matcher.ts'
import { languageOf } from '../tree/page-tree.ts'
import { collapse, textStart } from '../tree/text-content.ts'
import { compileJsonPath, matchesIn, type JsonPath } from '../value/json-path.ts'
import { placementOf } from './beside.ts'
import { authorOf, companiesOf } from './metadata-author.ts'
import { dateOf } from './metadata-date.ts'
import { isFirstPage, namesOfSite, sharesWord, titleOf } from './metadata-title.ts'

const ld = {
  title: compileJsonPath('$..headline'),
  date: compileJsonPath('$..datePublished'),
  type: compileJsonPath("$..['@type']"),
  site: compileJsonPath("$..[?@['@type'] == 'WebSite'].name"),
  articles: compileJsonPath('$..[?@.headline]'),
}

/** Names of meta elements with the day of publication, best first. */
const PUBLISHED = [
  'article:published_time',
  'datepublished',
  'dc.date.issued',
  'dcterms.created',
  'parsely-pub-date',
  'pubdate',
  'publish-date',
  'og:published_time',
  'og:article:published_time',
  'article:published',
  'dcterms.issued',
  'dcterms.available',
  'dc.date.created',
  'citation_publication_date',
  'citation_date',
  'publication_date',
  'publish_date',
  'publishdate',
  'datecreated',
]

/** Longer text is not a title. */
const LONGEST_TITLE = 1_000
/** Steps to find the placement of an element. */
const PLACING_STEPS = 10

/** The result of {@link metadataParts}. */
export interface Metadata {
  readonly title: string | null
  readonly description: string | null
  readonly author: string | null
  readonly date: string | null
  readonly site: string | null
  readonly language: string | null
  readonly canonical: string | null
  readonly image: string | null
  readonly type: string | null
}

/**
 * Returns a page's metadata: `title`, `description`, `author`, `date` (ISO 8601), `site`,
 * `language`, `canonical`, `image`, `type`. It reads meta elements (OpenGraph, Twitter, Dublin
 * Core), JSON-LD and the markup. The title is the heading that a reader sees, if it says what is
 * stated. Stated authors and dates are preferred to visible ones. The metadata of a feed are those
 * that it states about itself, with the type `feed`. Missing values are `null`.
 */
export function* metadataParts(page: PageContent): Parts<Metadata> {
  if (page.isFeed) return feedMetadata(page)
  const meta = (...names: readonly string[]): string | null => {
    for (const name of names) {
      const value = page.meta(name)
      if (value !== null && value !== '') return value
    }
    return null
  }
  const all = (...names: readonly string[]): string[] =>
    names.flatMap((name) => page.meta(name) || [])
  const elements = yield* statingElements(page)
  yield* page.readData()
  const site =
    meta('og:site_name', 'application-name') ??
    text(page, ld.site) ??
    companiesOf(page).values().next().value ??
    meta('apple-mobile-web-app-title')
  const element = first(page, 'title', () => true)
  const title = yield* titleOf(
    page,
    elements,
    [
      ...all('og:title', 'twitter:title', 'dc.title', 'dcterms.title'),
      text(page, ld.title) ?? '',
      element === undefined ? '' : textStart(element, LONGEST_TITLE, page.budget),
    ],
    site,
  )
  yield
  const descriptions = all('description', 'og:description', 'twitter:description', 'dc.description')
  const ofArticle = articleDescription(page)
  return {
    title: title.text,
    description:
      (yield* repeatedOf([...descriptions, ofArticle ?? ''], elements, page)) ??
      uncut(ofPage(descriptions, title.text ?? '', isFirstPage(page))) ??
      ofArticle,
    author: yield* authorOf(page, elements, title.heading, namesOfSite(page, site)),
    date: yield* dateOf(page, elements, title.heading, {
      published: [meta(...PUBLISHED), text(page, ld.date)],
      unnamed:
        meta('article:published_time', 'datepublished') === null
          ? meta('date', 'dc.date', 'dcterms.date')
          : null,
      changed: meta('sailthru.date'),
    }),
    site,
    language: languageOf(page.tree.root) || meta('og:locale', 'content-language', 'dc.language'),
    canonical: resolved(
      page,
      first(page, 'link', (attribs) => rel(attribs['rel'], 'canonical'))?.attribs['href'] ??
        meta('og:url'),
    ),
    image: resolved(
      page,
      meta('og:image', 'og:image:url', 'twitter:image', 'twitter:image:src', 'thumbnailurl'),
    ),
    type: meta('og:type') ?? text(page, ld.type),
  }
}

function feedMetadata(page: PageContent): Metadata {
  const channel = channelOf(page)
  const textOf = (column: string): string | null => {
    const value = channel[column]
    return typeof value === 'string' ? value : null
  }
  return {
    title: textOf('title'),
    description: textOf('description'),
    author: textOf('author'),
    date: textOf('date') ?? textOf('updated'),
    site: null,
    language: textOf('language'),
    canonical: textOf('url'),
    image: textOf('image'),
    type: 'feed',
  }
}

/**
 * Returns the elements that may state facts of the page. Navigation, footer, side columns, comments
 * and hidden parts are excluded.
 */
function* statingElements(page: PageContent): Parts<readonly Element[]> {
  const { elements } = page.tree
  const stating: Element[] = []
  let heading: Element | null = null
  const pay = new SlicePay(page.budget, PLACING_STEPS, elements.length)
  // Of several articles with footers, the page is about the one that has its heading.
  let footers: number | null = null
  const isOfPage = ({ parent }: Element): boolean =>
    (footers ??= elements.filter(isOfArticle).length) === 1 ||
    (parent?.startIndex ?? 0) < (heading?.startIndex ?? -1)
  for (let index = 0; index < elements.length; index++) {
    const element = elements[index]
    if (element === undefined) break
    if (pay.begins(index)) yield
    const placement = placementOf(element, true)
    const isLeftOut =
      (placement === 'never' && !(isOfArticle(element) && isOfPage(element))) ||
      placement === 'comments' ||
      (element.name === 'aside' && !isBesideTitle(element, heading))
    if (isLeftOut) index = element.endIndex ?? index
    else stating.push(element)
    if (!isLeftOut && element.name === 'h1') heading = element
  }
  pay.end()
  return stating
}

/** Search engines show no more of a description. A longer one may be a copy of the text. */
const LONGEST_DESCRIPTION = 320
/** The same for a text that is not cut off: a few sentences that somebody wrote. */
const LONGEST_WHOLE = 500
/** Letters of a word of the title that a description of the page has. */
const TELLING_WORD = 4
/** Letters and number of the words that another description shares: longer than "with" and "your". */
const SURE_WORD = 5
const LEAST_SHARED = 2

/**
 * The texts that describe the page. A description without any word of the title may be that of the
 * site, so another one with several of them is preferred, except on the first page of the site. So
 * is a short one to a copy of the text.
 */
function ofPage(texts: readonly string[], title: string, isFirst: boolean): readonly string[] {
  const short = texts.filter(
    (line) => line.length <= (isWhole(line) ? LONGEST_WHOLE : LONGEST_DESCRIPTION),
  )
  const [stated = '', ...others] = short.length === 0 ? texts : short
  // The words of a copy are read only up to the length of a description.
  const says = (line: string, letters: number, least: number): boolean =>
    sharesWord(title, line.slice(0, LONGEST_WHOLE), letters, least)
  if (isFirst || says(stated, TELLING_WORD, 1)) return [stated, ...others]
  const closer = others.filter((line) => says(line, SURE_WORD, LEAST_SHARED))
  return closer.length === 0 ? [stated, ...others] : closer
}

/** Of several descriptions, the one that the page's microdata repeats to its end. */
function* repeatedOf(
  texts: readonly string[],
  elements: readonly Element[],
  page: PageContent,
): Parts<string | null> {
  const stated = new Set(
    texts.filter((line) => line !== '' && line.length <= LONGEST_WHOLE).map(collapse),
  )
  if (stated.size < 2) return null
  const isRepeating = ({ attribs }: Element): boolean => attribs['itemprop'] === 'description'
  const [element] = yield* filterParts(elements, isRepeating, page.budget, 1)
  if (element === undefined) return null
  const content = element.attribs['content'] ?? textStart(element, LONGEST_WHOLE + 1, page.budget)
  const repeated = collapse(content.slice(0, LONGEST_WHOLE + 1))
  return stated.has(repeated) && !CUT.test(repeated) ? repeated : null
}

const CUT = /[[(]?(?:\.{3}|…)[\])]?$/
/** The end of a sentence. A text without it may be cut off, too. */
const WHOLE = /[.!?。！？]["'”’»)]?$/
/** A shorter beginning may be that of any text. */
const LEAST_KEPT = 20

/** The first of some texts. If its end is cut off, another one that continues it to its end. */
function uncut(texts: readonly string[]): string | null {
  const stated = texts[0] || null
  if (stated === null || !CUT.test(stated)) return stated
  const beginning = stated.replace(CUT, '').trimEnd()
  const whole = texts.find((other) => other.startsWith(beginning) && isWhole(other))
  return beginning.length < LEAST_KEPT ? stated : (whole ?? stated)
}

function isWhole(line: string): boolean {
  return WHOLE.test(line) && !CUT.test(line)
}

/** The description of the article in the page's data. Several articles are a list of others. */
function articleDescription(page: PageContent): string | null {
  const articles = [...page.data, ...matchesIn(page.data, ld.articles, page.budget)]
    .filter((part) => isObject(part))
    .filter(({ headline }) => headline !== undefined)
  if (new Set(articles.map(({ headline }) => headline)).size !== 1) return null
  for (const { description } of articles)
    if (typeof description === 'string' && description.trim() !== '') return description.trim()
  return null
}

/** Maximum number of elements of the lines beside the title of an article. */
const MOST_BESIDE_TITLE = 60

/** True for a few lines after the title of an article: its author and its day. */
function isBesideTitle(aside: Element, heading: Element | null): boolean {
  const { parent, startIndex, endIndex } = aside
  return (
    heading !== null &&
    parent !== null &&
    isTag(parent) &&
    parent.name === 'article' &&
    (parent.startIndex ?? 0) < (heading.startIndex ?? -1) &&
    (endIndex ?? 0) - (startIndex ?? 0) <= MOST_BESIDE_TITLE
  )
}

/** True for the footer of an article, which may name its author and its day. */
function isOfArticle({ name, parent }: Element): boolean {
  return name === 'footer' && parent !== null && isTag(parent) && parent.name === 'article'
}

/** Returns the first text that a path finds in the page's data. */
function text(page: PageContent, query: JsonPath): string | null {
  let firstText: string | null = null
  const take = (value: Json): boolean => {
    if (typeof value === 'string' && value.trim() !== '') firstText = value.trim()
    return firstText !== null
  }
  page.data.some((document) => query(document, page.budget, take))
  return firstText
}

function first(
  page: PageContent,
  name: string,
  test: (attribs: Readonly<Record<string, string>>) => boolean,
) {
  return page.tree.elements.find((element) => element.name === name && test(element.attribs))
}

function rel(value: string | undefined, word: string): boolean {
  return value !== undefined && hasWord(value.toLowerCase(), word)
}

function resolved(page: PageContent, href: string | null | undefined): string | null {
  return href === null || href === undefined ? null : page.resolve(href)
}
