import type { Issue } from '../../kernel/errors.ts'
import { normaliseUrl, urlIdentity } from '../../kernel/url.ts'

/** Start URLs of one recipe, after expansion. */
export const MAX_START_URLS = 10_000

const RANGE = /^(\d{1,9})\.\.(\d{1,9})$/
const GROUP = /\{([^{}]*)\}/

/** Expands `{1..20}`, `{01..20}` and `{a,b,c}` in start URLs, and normalises them; the same page is named once. */
export function expandUrls(urls: readonly string[], path: string, issues: Issue[]): string[] {
  const found = new Map<string, string>()
  for (const [at, pattern] of urls.entries()) {
    const expanded = expand(pattern, MAX_START_URLS - found.size)
    if (expanded === null) {
      issues.push({ path: `${path}.${at}`, message: `the start URLs stand for more than ${MAX_START_URLS.toLocaleString('en')} pages` })
      break
    }
    for (const one of expanded) {
      const problem = urlProblem(one)
      if (problem !== null) {
        issues.push({ path: `${path}.${at}`, message: `${JSON.stringify(one)} ${problem}` })
        break
      }
      const url = normaliseUrl(one)
      if (url !== null && !found.has(urlIdentity(url))) found.set(urlIdentity(url), url)
    }
  }
  return [...found.values()]
}

/** Why a URL cannot be fetched; `null` if it can. */
export function urlProblem(url: string): string | null {
  const parsed = URL.parse(url)
  if (parsed === null) return /^[a-z][a-z\d+.-]*:/i.test(url) ? 'is not a URL' : 'is not an absolute URL: it must begin with http:// or https://'
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') return 'must begin with http:// or https://'
  if (parsed.username !== '' || parsed.password !== '') return 'must not hold a user name or a password'
  return normaliseUrl(url) === null ? 'is longer than 2,048 characters' : null
}

function expand(pattern: string, room: number): string[] | null {
  let done = ['']
  let rest = pattern
  for (let group = GROUP.exec(rest); group !== null; group = GROUP.exec(rest)) {
    const choices = choicesOf(group[1] ?? '', room)
    if (choices === null || choices.length * done.length > room) return null
    const before = rest.slice(0, group.index)
    // A group that is no range and no list is part of the URL.
    done = choices.length === 0 ? done.map((head) => head + before + (group?.[0] ?? '')) : done.flatMap((head) => choices.map((choice) => head + before + choice))
    rest = rest.slice(group.index + group[0].length)
  }
  return done.length > room ? null : done.map((head) => head + rest)
}

function choicesOf(body: string, room: number): string[] | null {
  const range = RANGE.exec(body)
  if (range === null) return body.includes(',') ? body.split(',').map((choice) => choice.trim()) : []
  const [, first = '', last = ''] = range
  const width = /^0\d/.test(first) || /^0\d/.test(last) ? Math.max(first.length, last.length) : 0
  const [from, to] = [Number(first), Number(last)]
  if (Math.abs(to - from) + 1 > room) return null
  const step = from <= to ? 1 : -1
  return Array.from({ length: Math.abs(to - from) + 1 }, (_, at) => String(from + at * step).padStart(width, '0'))
}
