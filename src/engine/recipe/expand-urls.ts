import type { Issue } from '../../kernel/errors.ts'
import { identityOfNormalised, normaliseParsed } from '../../kernel/url.ts'

/** URLs that the start URLs of one recipe may stand for, those that lead to one page included. */
export const MAX_START_URLS = 10_000

const RANGE = /^(\d{1,9})\.\.(\d{1,9})$/
const GROUP = /\{([^{}]*)\}/g

/** Texts that follow one another in a URL: each piece is one of its choices. */
type Pieces = readonly (readonly string[])[]

/**
 * Expands `{1..20}`, `{01..20}` and `{a,b,c}` in start URLs, and normalises them; the same page is named once.
 * Every expanded URL counts towards {@link MAX_START_URLS}, whether it is new or not: each costs as much.
 */
export function expandUrls(urls: readonly string[], path: string, issues: Issue[]): string[] {
  const found = new Map<string, string>()
  let room = MAX_START_URLS
  for (const [at, pattern] of urls.entries()) {
    const pieces = piecesOf(pattern, room)
    room -= pieces === null ? room + 1 : countOf(pieces)
    if (pieces === null || room < 0) {
      issues.push({ path: `${path}.${at}`, message: tooMany() })
      break
    }
    for (const one of combinationsOf(pieces)) {
      const parsed = URL.parse(one)
      const url = parsed === null ? null : normaliseParsed(parsed)
      if (url === null) {
        issues.push({ path: `${path}.${at}`, message: `${JSON.stringify(one)} ${problemOf(one, parsed)}` })
        break
      }
      const identity = identityOfNormalised(url)
      if (!found.has(identity)) found.set(identity, url)
    }
  }
  return [...found.values()]
}

/** How many URLs a start URL stands for, counted up to one more than `most`. */
export function countExpanded(pattern: string, most = MAX_START_URLS): number {
  const pieces = piecesOf(pattern, most)
  return pieces === null ? most + 1 : countOf(pieces)
}

/** Why a URL cannot be fetched; `null` if it can. */
export function urlProblem(url: string): string | null {
  const parsed = URL.parse(url)
  return parsed !== null && normaliseParsed(parsed) !== null ? null : problemOf(url, parsed)
}

function problemOf(url: string, parsed: URL | null): string {
  if (parsed === null) return /^[a-z][a-z\d+.-]*:/i.test(url) ? 'is not a URL' : 'is not an absolute URL: it must begin with http:// or https://'
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') return 'must begin with http:// or https://'
  if (parsed.username !== '' || parsed.password !== '') return 'must not hold a user name or a password'
  return 'is longer than 2,048 characters'
}

function tooMany(): string {
  const most = MAX_START_URLS.toLocaleString('en')
  return `the start URLs stand for more than ${most} URLs up to here, and ${most} is the most; divide them among several tasks`
}

/** The pieces of a pattern; `null` where it stands for more than `most` URLs. What has one choice alone is part of the text around it. */
function piecesOf(pattern: string, most: number): Pieces | null {
  const pieces: (readonly string[])[] = []
  let text = ''
  let end = 0
  let count = 1
  for (const group of pattern.matchAll(GROUP)) {
    const choices = choicesOf(group[1] ?? '', most)
    if (choices === null) return null
    text += pattern.slice(end, group.index)
    end = group.index + group[0].length
    // A group that is no range and no list is part of the URL.
    if (choices.length < 2) text += choices[0] ?? group[0]
    else {
      count *= choices.length
      if (count > most) return null
      pieces.push([text], choices)
      text = ''
    }
  }
  pieces.push([text + pattern.slice(end)])
  return pieces
}

function countOf(pieces: Pieces): number {
  return pieces.reduce((count, { length }) => count * length, 1)
}

/** Every text that the pieces make; the last changes first. */
function* combinationsOf(pieces: Pieces, at = 0, head = ''): Generator<string> {
  const choices = pieces[at]
  if (choices === undefined) yield head
  else for (const choice of choices) yield* combinationsOf(pieces, at + 1, head + choice)
}

function choicesOf(body: string, most: number): readonly string[] | null {
  const range = RANGE.exec(body)
  if (range === null) return body.includes(',') ? body.split(',').map((choice) => choice.trim()) : []
  const [, first = '', last = ''] = range
  const width = /^0\d/.test(first) || /^0\d/.test(last) ? Math.max(first.length, last.length) : 0
  const [from, to] = [Number(first), Number(last)]
  if (Math.abs(to - from) + 1 > most) return null
  const step = from <= to ? 1 : -1
  return Array.from({ length: Math.abs(to - from) + 1 }, (_, at) => String(from + at * step).padStart(width, '0'))
}
