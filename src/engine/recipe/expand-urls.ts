import type { Issue } from '../../kernel/errors.ts'
import { identityOf, normaliseParsed, originOf, unparsed } from '../../kernel/url.ts'
import type { NormalUrl } from '../../kernel/url.ts'
import type { Recipe } from './schema.ts'

/** Maximum number of URLs that the start URLs of one recipe expand to. Duplicates count. */
export const MAX_START_URLS = 10_000

/** The message for the start URL that exceeds {@link MAX_START_URLS}. */
export const TOO_MANY_URLS =
  `the start URLs up to here expand to more than ${MAX_START_URLS.toLocaleString('en')} ` +
  'URLs; divide them among several tasks'

/** A group with choices: a range of numbers, or a list with a comma. Others are part of the URL. */
const GROUP = /\{(?:(\d{1,9})\.\.(\d{1,9})|([^{},]*,[^{}]*))\}/g

/**
 * A part of a URL with one or more alternative texts. The texts are made on demand, because many
 * start URLs are only counted.
 */
interface Piece {
  readonly count: number
  readonly choices: () => readonly string[]
}

/**
 * Expands `{1..20}`, `{01..20}` and `{a,b,c}` in start URLs, normalises the URLs and removes
 * duplicates. Every expanded URL counts towards {@link MAX_START_URLS}, because a duplicate costs
 * as much as a new URL.
 */
export function expandUrls(urls: readonly string[], path: string, issues: Issue[]): NormalUrl[] {
  const expanded = new Map<string, NormalUrl>()
  let room = MAX_START_URLS
  for (const [index, pattern] of urls.entries()) {
    const pieces = piecesOf(pattern, room)
    room -= pieces === null ? room + 1 : countOf(pieces)
    if (pieces === null || room < 0) {
      issues.push({ path: `${path}.${index}`, message: TOO_MANY_URLS })
      break
    }
    for (const address of combinationsOf(pieces)) {
      const { url, problem } = readUrl(address)
      if (url === null) {
        issues.push({ path: `${path}.${index}`, message: `${JSON.stringify(address)} ${problem}` })
        break
      }
      const identity = identityOf(url)
      if (!expanded.has(identity)) expanded.set(identity, url)
    }
  }
  return [...expanded.values()]
}

/** Returns the number of URLs that a start URL expands to. Counting stops at `most + 1`. */
export function countExpanded(pattern: string, most = MAX_START_URLS): number {
  const pieces = piecesOf(pattern, most)
  return pieces === null ? most + 1 : countOf(pieces)
}

/** Reads a URL of a recipe. `problem`: why it cannot be fetched. */
export function readUrl(
  text: string,
):
  | { readonly url: NormalUrl; readonly problem: null }
  | { readonly url: null; readonly problem: string } {
  const normal = unparsed(text)
  if (normal !== null) return { url: normal, problem: null }
  const parsed = URL.parse(text)
  const url = parsed === null ? null : normaliseParsed(parsed)
  return url === null ? { url, problem: problemOf(text, parsed) } : { url, problem: null }
}

function problemOf(url: string, parsed: URL | null): string {
  if (parsed === null)
    return /^[a-z][a-z\d+.-]*:/i.test(url)
      ? 'is not a URL'
      : 'is not an absolute URL: it must begin with http:// or https://'
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')
    return 'must begin with http:// or https://'
  if (parsed.username !== '' || parsed.password !== '')
    return 'must not contain a user name or a password'
  return 'is longer than 2,048 characters'
}

/**
 * Returns the pieces of a pattern, or `null` if its groups have more than `most` combinations. A
 * pattern without choices has its one piece even if `most` is 0, and the caller counts it. A range
 * of a single number becomes part of the surrounding text.
 */
function piecesOf(pattern: string, most: number): readonly Piece[] | null {
  if (!pattern.includes('{')) return [textPiece(pattern)]
  const pieces: Piece[] = []
  let text = ''
  let end = 0
  let count = 1
  for (const group of pattern.matchAll(GROUP)) {
    const [whole, first, last = '', list = ''] = group
    text += pattern.slice(end, group.index)
    end = group.index + whole.length
    if (first !== undefined && Number(first) === Number(last)) {
      // The range has one number. With leading zeros, it is as long as the longer bound.
      text += first.length < last.length ? last : first
      continue
    }
    const piece = first === undefined ? listPiece(list) : rangePiece(first, last)
    count *= piece.count
    if (count > most) return null
    pieces.push(textPiece(text), piece)
    text = ''
  }
  pieces.push(textPiece(text + pattern.slice(end)))
  return pieces
}

function textPiece(text: string): Piece {
  return { count: 1, choices: () => [text] }
}

function listPiece(list: string): Piece {
  const choices = list.split(',')
  return { count: choices.length, choices: () => choices.map((choice) => choice.trim()) }
}

function rangePiece(first: string, last: string): Piece {
  const width = /^0\d/.test(first) || /^0\d/.test(last) ? Math.max(first.length, last.length) : 0
  const [from, to] = [Number(first), Number(last)]
  const step = from <= to ? 1 : -1
  const count = Math.abs(to - from) + 1
  return {
    count,
    choices: () =>
      Array.from({ length: count }, (_, index) => String(from + index * step).padStart(width, '0')),
  }
}

function countOf(pieces: readonly Piece[]): number {
  return pieces.reduce((all, { count }) => all * count, 1)
}

/** Yields every text that the pieces can form. The last piece changes first. */
function* combinationsOf(pieces: readonly Piece[]): Generator<string> {
  const choices = pieces.map((piece) => piece.choices())
  yield* textsFrom(choices, 0, '')
}

function* textsFrom(
  choices: readonly (readonly string[])[],
  index: number,
  head: string,
): Generator<string> {
  const here = choices[index]
  if (here === undefined) yield head
  else for (const choice of here) yield* textsFrom(choices, index + 1, head + choice)
}

/** Returns the distinct origins of URLs. */
export function originsOf(urls: readonly NormalUrl[]): readonly string[] {
  return [...new Set(urls.map(originOf))]
}

/** Returns the origins that a recipe names itself: those of its start URLs, sitemap and feed. */
export function namedOrigins({ urls = [], sitemap, feed }: Recipe['start']): readonly string[] {
  const lists = [sitemap, feed].flatMap((list) =>
    list === undefined ? [] : (readUrl(list).url ?? []),
  )
  return originsOf([...expandUrls(urls, 'start.urls', []), ...lists])
}
