import { cutUrl, identityOf, partsOf, urlIdentity } from '../../kernel/url.ts'
import type { NormalUrl, UrlParts } from '../../kernel/url.ts'
import { domainOf } from './prepare-recipe.ts'
import type { Recipe } from '../recipe/schema.ts'

type Scope = NonNullable<NonNullable<Recipe['crawl']>['scope']>

/**
 * Compiles the rule for which URLs a run may visit: the scope around `anchors` (start URLs, search
 * results, the sitemap, the feed), then `include` and `exclude`.
 */
export function compileScope(
  crawl: Recipe['crawl'],
  scope: Scope,
  anchors: readonly NormalUrl[],
): (url: string) => boolean {
  const near = inside(scope, anchors)
  const include = crawl?.include?.map(compileGlob) ?? []
  const exclude = crawl?.exclude?.map(compileGlob) ?? []
  return (url) => {
    const parts = partsOf(url)
    if (parts === null || !near(parts, url)) return false
    return (
      (include.length === 0 || include.some((matches) => matches(url))) &&
      !exclude.some((matches) => matches(url))
    )
  }
}

// The scope is computed when the first URL is checked. A recipe is compiled much more often than it
// is run, and compiling does not load what a run needs, such as the list of public suffixes.
function inside(
  scope: Scope,
  anchors: readonly NormalUrl[],
): (parts: UrlParts, url: string) => boolean {
  switch (scope) {
    case 'any':
      return () => true
    case 'page': {
      const pages = onceOf(() => new Set(anchors.map(identityOf)))
      // A text that is no URL of a page is its own identity, which no page has.
      return (_, url) => pages().has(urlIdentity(url))
    }
    case 'path': {
      const folders = onceOf(() =>
        outermost(
          setOf(
            anchors,
            (parts) => hostOf(parts) + parts.pathname.slice(0, parts.pathname.lastIndexOf('/') + 1),
          ),
        ),
      )
      return (parts) => beginsWithOne(hostOf(parts) + parts.pathname, folders())
    }
    case 'host': {
      const hosts = onceOf(() => setOf(anchors, hostOf))
      return (parts) => hosts().has(hostOf(parts))
    }
    case 'domain': {
      const domains = onceOf(() => setOf(anchors, domainOf))
      return (parts) => domains().has(domainOf(parts))
    }
  }
}

function setOf(
  anchors: readonly NormalUrl[],
  partOf: (parts: UrlParts) => string,
): ReadonlySet<string> {
  return new Set(anchors.map((anchor) => partOf(cutUrl(anchor))))
}

function onceOf<T extends object>(make: () => T): () => T {
  let made: T | null = null
  return () => (made ??= make())
}

/** Returns the folders sorted, without those inside another one. */
function outermost(folders: ReadonlySet<string>): readonly string[] {
  const roots: string[] = []
  for (const folder of [...folders].toSorted()) {
    const last = roots.at(-1)
    if (last === undefined || !folder.startsWith(last)) roots.push(folder)
  }
  return roots
}

/**
 * True if a text begins with one of these prefixes. No prefix begins with another, so only the last
 * one that sorts before the text can match.
 */
function beginsWithOne(text: string, sorted: readonly string[]): boolean {
  let [from, to] = [0, sorted.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((sorted[middle] ?? '') <= text) from = middle + 1
    else to = middle
  }
  const before = sorted[from - 1]
  return before !== undefined && text.startsWith(before)
}

// A site serves both its bare name and www, and mostly redirects from one to the other.
function hostOf({ host }: UrlParts): string {
  return host.replace(/^www\./, '')
}

/**
 * Compiles a URL glob. `*` is any run of characters within a path segment, `**` is any run at all,
 * and every other character matches itself (ignoring case). The pattern must cover the whole URL. A
 * pattern without a scheme (`/products/**`, `shop.example/**`) may start to match later: at the
 * path or at the host.
 *
 * Matching takes one step per character of the URL and 32 characters of the pattern, whatever they
 * are.
 */
export function compileGlob(pattern: string): (url: string) => boolean {
  const glob = pattern.toLowerCase()
  let made: GlobAutomaton | null = null
  // Built when the first URL is checked: a recipe is compiled much more often than it is run.
  const matches = (text: string, from: number): boolean =>
    (made ??= new GlobAutomaton(glob)).matches(text, from)
  if (/^[a-z][a-z\d+.-]*:\/\//.test(glob) || glob.startsWith('*'))
    return (url) => matches(url.toLowerCase(), 0)
  return (url) => {
    const text = url.toLowerCase()
    const host = text.indexOf('://') + 3
    if (!glob.startsWith('/')) return matches(text, host)
    const path = text.indexOf('/', host)
    return path !== -1 && matches(text, path)
  }
}

const BITS = 32
const SLASH = 0x2f

/** Memory of each entry of a map in bytes, and of any automaton besides its tables. */
const ENTRY_BYTES = 60
const AUTOMATON_BYTES = 700

/** Bytes that a plan keeps for its globs after it has checked a URL. */
export function bytesOfGlobs(crawl: Recipe['crawl']): number {
  let bytes = 0
  for (const pattern of [...(crawl?.include ?? []), ...(crawl?.exclude ?? [])]) {
    const glob = pattern.toLowerCase()
    const characters = new Set(glob).size
    const words = Math.floor(glob.length / BITS) + 1
    bytes += AUTOMATON_BYTES + characters * (ENTRY_BYTES + words * Int32Array.BYTES_PER_ELEMENT)
  }
  return bytes
}

/**
 * The states of a glob as bits, one for each number of matched characters. All bits move at once
 * (the Shift-And method of Baeza-Yates and Gonnet). A state stays active if a star after it accepts
 * the character.
 */
class GlobAutomaton {
  readonly #words: number
  /** The state after all characters have matched. */
  readonly #last: number
  /**
   * The states that each character advances, one row of words for each character, and the start of
   * each row. One table for all characters takes a third of the memory of separate tables.
   */
  readonly #leads: Int32Array
  readonly #rows = new Map<number, number>()
  /**
   * States that stay active for any character, and states that stay active for any character except
   * a slash.
   */
  readonly #anyStays: Int32Array
  readonly #segmentStays: Int32Array

  constructor(glob: string) {
    const tokens = glob.match(/\*+|[^*]/gs) ?? []
    const characters = tokens.filter((token) => !token.startsWith('*'))
    this.#last = characters.length
    this.#words = Math.floor(this.#last / BITS) + 1
    this.#anyStays = new Int32Array(this.#words)
    this.#segmentStays = new Int32Array(this.#words)
    for (const char of characters) {
      const code = char.charCodeAt(0)
      if (!this.#rows.has(code)) this.#rows.set(code, this.#rows.size * this.#words)
    }
    this.#leads = new Int32Array(this.#rows.size * this.#words)
    let state = 0
    for (const token of tokens) {
      if (token.startsWith('**')) setBit(this.#anyStays, state)
      if (token.startsWith('*')) setBit(this.#segmentStays, state)
      else setBit(this.#leads, (this.#rows.get(token.charCodeAt(0)) ?? 0) * BITS + state++)
    }
  }

  /** True if the text from this position on matches the glob. */
  matches(text: string, from: number): boolean {
    const states = new Int32Array(this.#words)
    states[0] = 1
    for (let position = from; position < text.length; position++) {
      const code = text.charCodeAt(position)
      const stays = code === SLASH ? this.#anyStays : this.#segmentStays
      if (!this.#move(states, this.#rows.get(code), stays)) return false
    }
    return hasBit(states, this.#last)
  }

  /** Moves all states by one character. Returns `false` if no state is left. */
  #move(states: Int32Array, row: number | undefined, stays: Int32Array): boolean {
    let carry = 0
    let left = 0
    for (let word = 0; word < this.#words; word++) {
      const now = states[word] ?? 0
      const on = row === undefined ? 0 : now & (this.#leads[row + word] ?? 0)
      const next = (on << 1) | carry | (now & (stays[word] ?? 0))
      carry = on >>> (BITS - 1)
      states[word] = next
      left |= next
    }
    return left !== 0
  }
}

function setBit(words: Int32Array, bit: number): void {
  const word = Math.floor(bit / BITS)
  words[word] = (words[word] ?? 0) | (1 << (bit % BITS))
}

function hasBit(words: Int32Array, bit: number): boolean {
  return (((words[Math.floor(bit / BITS)] ?? 0) >>> (bit % BITS)) & 1) === 1
}
