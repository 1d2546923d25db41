import { Parser } from 'htmlparser2'
import { normaliseUrl } from '../../kernel/url.ts'
import { isObject } from '../../kernel/json.ts'
import { parseJson } from '../extract/page/parse-json.ts'

const MAX_TEXT = 4_096
/** A JSON Feed is read when it is whole, and in one go: some 40 ms where all of it is small values. */
const MAX_JSON = 1024 * 1024
/** URLs of a JSON Feed that are read at once. */
const URLS_AT_ONCE = 1_000
// No sitemap or feed nests deeper than ten; deeper is an attack on the parser's stack.
const MAX_DEPTH = 64
const ABSOLUTE = /^https?:\/\/[^\s\p{Cc}\ufffd]+$/iu

/**
 * Reads the text of one sitemap or feed bit by bit: sitemaps.org XML, RSS, Atom, JSON Feed, or a
 * URL a line. What it is shows in its first character. Entities that a DTD declares are never
 * expanded. Never throws.
 */
export class SitemapParser {
  readonly #base: string
  #pages: string[] = []
  #format: 'unknown' | 'xml' | 'json' | 'text' = 'unknown'
  /** A line that is not whole yet, or a JSON document so far. */
  #rest = ''
  readonly #path: string[] = []
  #text: string | null = null
  /** Of the feed item that is being read: whether it has named a page, and what its `guid` says. */
  #itemLinked = false
  #itemGuid: string | null = null
  readonly #xml: Parser
  /** Sitemaps that an index names, so far. */
  readonly children: string[] = []
  /** True once the text turned out to be hostile; the rest is not read. */
  isBroken = false

  constructor(base: string) {
    this.#base = base
    this.#xml = new Parser(
      {
        onopentag: (name, attributes) => this.#open(localName(name), attributes),
        ontext: (text) => {
          if (this.#text !== null && this.#text.length < MAX_TEXT) this.#text += text
        },
        onclosetag: (_, isImplied) => this.#close(isImplied),
      },
      { xmlMode: true },
    )
  }

  /** Page URLs found since the last call: absolute, http(s). */
  take(): string[] {
    const pages = this.#pages
    this.#pages = []
    return pages
  }

  write(text: string): void {
    if (this.isBroken) return
    let more = text
    if (this.#format === 'unknown') {
      more = text.trimStart()
      if (more === '') return
      this.#format = more.startsWith('<') ? 'xml' : more.startsWith('{') ? 'json' : 'text'
    }
    if (this.#format === 'xml') this.#xml.write(more)
    else if (this.#format === 'json') this.#json(more)
    else this.#lines(more)
  }

  /**
   * Reads what is left; gives the page URLs that were not taken before, in steps: a JSON Feed names
   * all of its pages here.
   */
  *end(): Generator<string[]> {
    if (this.#format === 'xml' && !this.isBroken) this.#xml.end()
    else if (this.#format === 'json') {
      const urls = jsonFeedUrls(this.#rest)
      for (let at = 0; at < urls.length; at += URLS_AT_ONCE) {
        for (const url of urls.slice(at, at + URLS_AT_ONCE)) this.#page(url)
        yield this.take()
      }
    } else this.#line(this.#rest)
    this.#rest = ''
    yield this.take()
  }

  #json(text: string): void {
    this.#rest += text
    this.isBroken = this.#rest.length > MAX_JSON
    if (this.isBroken) this.#rest = ''
  }

  #lines(text: string): void {
    const lines = (this.#rest + text).split(/\r\n|\r|\n/)
    const rest = lines.pop() ?? ''
    for (const line of lines) this.#line(line)
    this.isBroken = rest.length > MAX_TEXT
    this.#rest = this.isBroken ? '' : rest
  }

  /**
   * A text sitemap spells its URLs out (sitemaps.org); any other line, or a file of noise, names
   * none.
   */
  #line(line: string): void {
    const url = line.trim()
    if (ABSOLUTE.test(url)) this.#page(url)
  }

  #open(name: string, attributes: Readonly<Record<string, string>>): void {
    const parent = this.#path.at(-1)
    this.#path.push(name)
    if (this.#path.length > MAX_DEPTH) {
      this.isBroken = true
      this.#xml.reset()
      return
    }
    if (name === 'loc' && (parent === 'url' || parent === 'sitemap')) this.#text = ''
    else if (name === 'link' && parent === 'item') this.#text = ''
    else if (name === 'guid' && parent === 'item' && attributes['isPermaLink'] !== 'false')
      this.#text = ''
    else if (name === 'item') {
      this.#itemLinked = false
      this.#itemGuid = null
    } else if (
      name === 'link' &&
      parent === 'entry' &&
      (attributes['rel'] ?? 'alternate') === 'alternate'
    )
      this.#page(attributes['href'] ?? '')
  }

  #close(isImplied: boolean): void {
    const name = this.#path.pop()
    const text = this.#text
    this.#text = null
    if (isImplied) return // of a file that ends early, the last link may be a part of one
    // RSS: the guid is the page's URL where no link is given.
    if (
      name === 'item' &&
      !this.#itemLinked &&
      this.#itemGuid !== null &&
      ABSOLUTE.test(this.#itemGuid)
    )
      this.#page(this.#itemGuid)
    if (text === null) return
    if (name === 'guid') this.#itemGuid = text.trim()
    else if (this.#path.at(-1) !== 'sitemap') this.#page(text)
    else {
      const child = normaliseUrl(text.trim(), this.#base)
      if (child !== null) this.children.push(child)
    }
  }

  #page(text: string): void {
    const href = text.trim()
    const url = href === '' ? null : normaliseUrl(href, this.#base)
    if (url === null) return
    this.#itemLinked = true
    this.#pages.push(url)
  }
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1).toLowerCase()
}

/** The page URLs of a JSON Feed (jsonfeed.org), as they are written; none of any other document. */
export function jsonFeedUrls(text: string): string[] {
  const document = parseJson(text)
  const items = isObject(document) && Array.isArray(document['items']) ? document['items'] : []
  return items.flatMap((item: unknown) => {
    if (!isObject(item)) return []
    const url = [item['url'], item['external_url']].find(
      (one) => typeof one === 'string' && one !== '',
    )
    return typeof url === 'string' ? [url] : []
  })
}
