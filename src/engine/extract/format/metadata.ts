import { isList } from '../../../kernel/json.ts'
import type { Json } from '../../../kernel/json.ts'
import type { PageContent } from '../page/page-content.ts'
import { channelOf } from './feed.ts'
import { hasWord } from '../select/attribute-matcher.ts'
import { textOf, textStart } from '../tree/text-content.ts'
import { compileJsonPath, matchesIn, type JsonPath } from '../value/json-path.ts'
import { parseDate } from '../value/parse-date.ts'

const ld = {
  title: compileJsonPath('$..headline'),
  author: compileJsonPath('$..author'),
  date: compileJsonPath('$..datePublished'),
  type: compileJsonPath("$..['@type']"),
  description: compileJsonPath('$..description'),
}

/** Longer text is not a title. */
const LONGEST_TITLE = 1_000
/** Maximum number of headings checked as the title of a page without one. */
const MOST_HEADINGS = 50

/** The result of {@link metadata}. */
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
 * Core), JSON-LD and the markup, machine-readable data first. Those of a feed are
 * what it says of itself, with the type `feed`. Missing values are `null`.
 */
export function metadata(page: PageContent): Metadata {
  if (page.isFeed) return feedMetadata(page)
  const meta = (...names: readonly string[]): string | null => {
    for (const name of names) {
      const value = page.meta(name)
      if (value !== null && value !== '') return value
    }
    return null
  }
  const site = meta('og:site_name', 'application-name')
  return {
    title: titleOf(page, meta('og:title', 'twitter:title', 'dc.title', 'dcterms.title'), site),
    description: meta('description', 'og:description', 'twitter:description', 'dc.description'),
    author: authorOf(
      page,
      meta(
        'author',
        'article:author',
        'dc.creator',
        'dcterms.creator',
        'parsely-author',
        'sailthru.author',
        'twitter:data1',
      ),
    ),
    date: dateOf(
      page,
      meta(
        'article:published_time',
        'datepublished',
        'date',
        'dc.date',
        'dc.date.issued',
        'dcterms.created',
        'dcterms.date',
        'parsely-pub-date',
        'sailthru.date',
        'pubdate',
        'publish-date',
        'og:published_time',
      ),
    ),
    site,
    language:
      page.tree.root?.attribs['lang']?.trim() ||
      meta('og:locale', 'content-language', 'dc.language'),
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
  const said = (column: string): string | null => {
    const value = channel[column]
    return typeof value === 'string' ? value : null
  }
  return {
    title: said('title'),
    description: said('description'),
    author: said('author'),
    date: said('date') ?? said('updated'),
    site: null,
    language: said('language'),
    canonical: said('url'),
    image: said('image'),
    type: 'feed',
  }
}

function titleOf(page: PageContent, tagged: string | null, site: string | null): string | null {
  if (tagged !== null) return withoutSite(tagged, site)
  const headline = text(page, ld.title)
  if (headline !== null) return headline
  const title = page.tree.elements.find((element) => element.name === 'title')
  const written = title === undefined ? '' : textStart(title, LONGEST_TITLE, page.budget)
  const headings = page.tree.elements
    .filter((element) => element.name === 'h1')
    .slice(0, MOST_HEADINGS)
    .map((heading) => textStart(heading, LONGEST_TITLE, page.budget))
    .filter((heading) => heading !== '')
  // If the title repeats a heading, the heading is the title without the site's additions.
  return (
    headings.find((heading) => heading.length > 3 && written.includes(heading)) ??
    (withoutSite(written, site) || (headings[0] ?? null))
  )
}

function withoutSite(title: string, site: string | null): string {
  if (site === null || !title.toLowerCase().endsWith(site.toLowerCase())) return title
  const head = title.slice(0, -site.length).trimEnd()
  if (!/[-–—|·:»]$/.test(head)) return title
  return head.slice(0, -1).trimEnd() || title
}

function authorOf(page: PageContent, tagged: string | null): string | null {
  if (tagged !== null && !/^https?:|^@/.test(tagged)) return tagged
  const names = matchesIn(page.data, ld.author, page.budget).flatMap(nameIn)
  if (names.length > 0) return [...new Set(names)].join(', ')
  const element =
    page.tree.elements.find(
      ({ attribs }) => attribs['itemprop'] === 'author' || rel(attribs['rel'], 'author'),
    ) ??
    page.tree.elements.find(({ attribs }) =>
      /(?:^|[\s_-])(?:byline|author)(?:[\s_-]name)?(?:$|\s)/i.test(attribs['class'] ?? ''),
    )
  const written =
    element === undefined
      ? ''
      : textOf(element, page.budget).replace(/^\s*(?:written\s+)?by:?\s+/i, '')
  return written === '' || written.length > 100 ? null : written
}

function nameIn(value: Json): string[] {
  if (typeof value === 'string') return /^https?:/.test(value) ? [] : [value]
  if (value === null || typeof value !== 'object') return []
  if (isList(value)) return value.flatMap(nameIn)
  const name = Object.hasOwn(value, 'name') ? value['name'] : undefined
  return typeof name === 'string' && name !== '' ? [name] : []
}

function dateOf(page: PageContent, tagged: string | null): string | null {
  const candidates = [
    tagged,
    text(page, ld.date),
    first(
      page,
      'time',
      (attribs) => attribs['itemprop'] === 'datePublished' || Object.hasOwn(attribs, 'pubdate'),
    )?.attribs['datetime'],
    first(page, 'time', (attribs) => Object.hasOwn(attribs, 'datetime'))?.attribs['datetime'],
  ]
  for (const candidate of candidates) {
    const date = typeof candidate === 'string' ? parseDate(candidate) : null
    if (date !== null) return date
  }
  const element = page.tree.elements.find(
    ({ name, attribs }) =>
      name === 'time' ||
      /(?:^|[\s_-])(?:date|published|posted|timestamp|pubdate)(?:$|[\s_-])/i.test(
        `${attribs['class'] ?? ''} ${attribs['id'] ?? ''}`,
      ),
  )
  if (element !== undefined) {
    const date = parseDate(textOf(element, page.budget))
    if (date !== null) return date
  }
  const inUrl = /\/(20\d\d)[/-](\d{1,2})[/-](\d{1,2})(?:\/|-|$)/.exec(page.url)
  return inUrl === null ? null : parseDate(`${inUrl[1]}-${inUrl[2]}-${inUrl[3]}`)
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
