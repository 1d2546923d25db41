import { Parser } from 'htmlparser2'
import { normaliseUrl } from '../../kernel/url.ts'
import { isObject } from '../../kernel/json.ts'
import { parseJson } from '../extract/page/parse-json.ts'
import { LongMarkup } from './long-markup.ts'
import type { NormalUrl } from '../../kernel/url.ts'

const MAX_TEXT = 4_096
/** A JSON Feed is parsed when it is complete, in one step: some 40 ms if all values in it are small. */
const MAX_JSON = 1024 * 1024
/** Elements that contain an address, by their parent element. */
const BARE: { readonly [name: string]: string } = { url: 'urlset', sitemap: 'sitemapindex' }
/** Number of URLs of a JSON Feed that are returned at a time. */
const URLS_AT_ONCE = 1_000
// No real sitemap or feed nests deeper than ten levels. Deeper nesting is an attack on the
// parser's stack.
const MAX_DEPTH = 64
/**
 * Maximum number of attributes of one tag, and of characters of an unfinished tag or declaration:
 * the parser keeps all of them until the end. The rest of a long comment or CDATA section is
 * dropped.
 */
const MAX_ATTRIBUTES = 1_000
const MAX_MARKUP = 1024 * 1024
/** Matches a text that is a single entity. Entities are not declared here. */
const ENTITY = /^&[\p{L}_][\p{L}\p{N}_.-]*;$/u
const WITH_HOST = /^https?:\/\//i
const ABSOLUTE = /^https?:\/\/[^\s\p{Cc}\ufffd]+$/iu

/**
 * A streaming parser for one sitemap or feed: sitemaps.org XML, RSS, Atom, JSON Feed, or one URL
 * per line. The first character tells the format. Entities that a DTD declares are never expanded.
 * Never throws.
 */
export class SitemapParser {
  readonly #base: string
  #pages: NormalUrl[] = []
  #format: 'unknown' | 'xml' | 'json' | 'text' = 'unknown'
  /** An incomplete line, or the JSON document so far. */
  #rest = ''
  readonly #path: string[] = []
  /** Attributes of the tag that is being read. */
  #attributes = 0
  /** The position of that tag; `null` outside of a tag. */
  #tagStart: number | null = null
  /** Number of characters of markup that were passed to the parser. */
  #written = 0
  readonly #long = new LongMarkup()
  #text: string | null = null
  /** State of the current feed item: whether it has a page link, and the text of its `guid`. */
  #itemLinked = false
  #itemGuid: string | null = null
  readonly #xml: Parser
  /** URLs of the sitemaps that an index lists, so far. */
  readonly children: NormalUrl[] = []
  /** The hostile content because of which the rest of the text is not read. `null`: none so far. */
  broken: string | null = null

  constructor(base: string) {
    this.#base = base
    this.#xml = new Parser(
      {
        onopentagname: () => {
          this.#attributes = 0
          this.#tagStart = this.#xml.endIndex
        },
        onattribute: () => {
          if (++this.#attributes > MAX_ATTRIBUTES)
            this.#break(`a tag with more than ${MAX_ATTRIBUTES.toLocaleString('en')} attributes`)
        },
        onopentag: (name, attributes) => {
          this.#tagStart = null
          this.#open(localName(name), attributes)
        },
        ontext: (text) => {
          if (this.#text !== null && this.#text.length < MAX_TEXT) this.#text += text
        },
        onclosetag: (_, isImplied) => this.#close(isImplied),
      },
      { xmlMode: true },
    )
  }

  /** Returns the page URLs found since the last call: absolute, http(s). */
  take(): NormalUrl[] {
    const pages = this.#pages
    this.#pages = []
    return pages
  }

  write(text: string): void {
    if (this.broken !== null) return
    let more = text
    if (this.#format === 'unknown') {
      more = text.trimStart()
      if (more === '') return
      this.#format = more.startsWith('<') ? 'xml' : more.startsWith('{') ? 'json' : 'text'
    }
    if (this.#format === 'xml') this.#markup(more)
    else if (this.#format === 'json') this.#json(more)
    else this.#lines(more)
  }

  /**
   * Parses the rest and yields the remaining page URLs in steps, because a JSON Feed gives all of
   * its URLs here.
   */
  *end(): Generator<NormalUrl[]> {
    if (this.#format === 'xml' && this.broken === null) {
      this.#xml.end()
      if (this.#long.isDropping) this.broken = 'a comment or CDATA section without an end'
    } else if (this.#format === 'json') {
      const urls = jsonFeedUrls(this.#rest)
      for (let position = 0; position < urls.length; position += URLS_AT_ONCE) {
        for (const url of urls.slice(position, position + URLS_AT_ONCE)) this.#page(url)
        yield this.take()
      }
    } else this.#line(this.#rest)
    this.#rest = ''
    yield this.take()
  }

  #markup(text: string): void {
    const more = this.#long.after(text)
    this.#xml.write(more)
    if (this.broken !== null) return
    this.#written += more.length
    // The parser has reported all text up to `endIndex`, and keeps the text after it.
    const { endIndex } = this.#xml
    const from = this.#tagStart === null ? (endIndex === 0 ? 0 : endIndex + 1) : null
    const closing = this.#long.cut(more, this.#written, from)
    if (closing !== null) {
      this.#xml.write(closing)
      this.#written += closing.length
    } else if (this.#written - (this.#tagStart ?? endIndex) > MAX_MARKUP)
      this.#break(`markup without an end in ${MAX_MARKUP.toLocaleString('en')} characters`)
  }

  #break(what: string): void {
    this.broken ??= what
    this.#xml.reset()
  }

  #json(text: string): void {
    this.#rest += text
    if (this.#rest.length <= MAX_JSON) return
    this.broken = `JSON of more than ${MAX_JSON.toLocaleString('en')} characters`
    this.#rest = ''
  }

  #lines(text: string): void {
    const lines = (this.#rest + text).split(/\r\n|\r|\n/)
    const rest = lines.pop() ?? ''
    for (const line of lines) this.#line(line)
    this.#rest = rest
    if (rest.length <= MAX_TEXT) return
    this.broken = `a line of more than ${MAX_TEXT.toLocaleString('en')} characters`
    this.#rest = ''
  }

  /**
   * Reads a line of a text sitemap, which holds an absolute URL (sitemaps.org). Any other line, or
   * a file of noise, gives no URL.
   */
  #line(line: string): void {
    const url = line.trim()
    if (ABSOLUTE.test(url)) this.#page(url)
  }

  #open(name: string, attributes: Readonly<Record<string, string>>): void {
    const parent = this.#path.at(-1)
    this.#path.push(name)
    if (this.#path.length > MAX_DEPTH) {
      this.#break(`elements nested deeper than ${MAX_DEPTH} levels`)
      return
    }
    // An address without `loc`, as text of `url`, ends at the first element in `url`.
    this.#text = null
    if (name === 'loc' && (parent === 'url' || parent === 'sitemap')) this.#text = ''
    else if (BARE[name] !== undefined && BARE[name] === parent) this.#text = ''
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
    if (isImplied) return // in a truncated file the last link may be incomplete
    // RSS: without a link, the guid is the page's URL.
    if (
      name === 'item' &&
      !this.#itemLinked &&
      this.#itemGuid !== null &&
      ABSOLUTE.test(this.#itemGuid)
    )
      this.#page(this.#itemGuid)
    if (text === null) return
    if (name === 'guid') this.#itemGuid = text.trim()
    else if (name !== 'loc' && name !== 'link') this.#bare(name ?? '', text.trim())
    else if (this.#path.at(-1) !== 'sitemap') this.#page(text)
    else this.#child(text)
  }

  /** Reads an address that some generators write without its `loc`. */
  #bare(name: string, text: string): void {
    if (!ABSOLUTE.test(text)) return
    if (name === 'url') this.#page(text)
    else this.#child(text)
  }

  #child(text: string): void {
    const url = this.#urlOf(text)
    if (url !== null) this.children.push(url)
  }

  #page(text: string): void {
    const url = this.#urlOf(text)
    if (url === null) return
    this.#itemLinked = true
    this.#pages.push(url)
  }

  #urlOf(text: string): NormalUrl | null {
    const href = text.trim()
    if (href === '' || ENTITY.test(href)) return null
    // The base is parsed once, because parsing it for each address would take as long as the
    // address itself.
    return normaliseUrl(href, WITH_HOST.test(href) ? undefined : this.#base)
  }
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1).toLowerCase()
}

/** Returns the page URLs of a JSON Feed (jsonfeed.org) as written, or none for any other document. */
export function jsonFeedUrls(text: string): string[] {
  const document = parseJson(text)
  const items = isObject(document) && Array.isArray(document['items']) ? document['items'] : []
  return items.flatMap((item: unknown) => {
    if (!isObject(item)) return []
    const url = [item['url'], item['external_url']].find(
      (address) => typeof address === 'string' && address !== '',
    )
    return typeof url === 'string' ? [url] : []
  })
}
