import { cookieDate } from './cookie-date.ts'
import { addressOf } from './guard.ts'

/**
 * Maximum number of cookies in a jar, of characters of a cookie, and of characters that are sent at
 * once.
 */
const MOST_COOKIES = 50
const MOST_LENGTH = 4_096
const MOST_SENT = 16_384
/** Maximum number of lines of one answer, and of parts of a line, that are read. */
const MOST_LINES = 1_000
const MOST_PARTS = 100
/** Several `Set-Cookie` lines in one: a comma before the name of a cookie. */
const BETWEEN = /,\s*(?=[!#$%&'*+.^_`|~\w-]+=)/

interface Cookie {
  readonly name: string
  readonly value: string
  readonly domain: string
  readonly isHostOnly: boolean
  readonly path: string
  readonly isSecure: boolean
  /** Unix milliseconds. `null`: it is a session cookie. */
  readonly expires: number | null
}

/** Splits the `Set-Cookie` lines that a fetcher has joined. */
export function setCookieLines(header: string): readonly string[] {
  return header.split(BETWEEN, MOST_LINES)
}

/**
 * The cookies of one chain of redirects (RFC 6265). A cookie for a domain of one label, or for an
 * address other than its own, is refused; `isPublicSuffix` refuses more.
 */
export class CookieJar {
  readonly #isPublicSuffix: (domain: string) => boolean
  #cookies: Cookie[] = []

  constructor(isPublicSuffix = (domain: string): boolean => !domain.includes('.')) {
    this.#isPublicSuffix = isPublicSuffix
  }

  /** Stores the cookie of a `Set-Cookie` line of an answer (5.3). */
  store(line: string, from: URL, now: number): void {
    const cookie = this.#read(line, from, now)
    if (cookie === null) return
    const index = this.#cookies.findIndex(
      ({ name, domain, path }) =>
        name === cookie.name && domain === cookie.domain && path === cookie.path,
    )
    const isOver = cookie.expires !== null && cookie.expires <= now
    if (index !== -1) this.#cookies.splice(index, 1, ...(isOver ? [] : [cookie]))
    else if (!isOver && this.#cookies.length < MOST_COOKIES) this.#cookies.push(cookie)
  }

  /** The cookies that a request carries: those of longer paths first, then the older ones (5.4). */
  cookiesFor(to: URL, now: number): readonly (readonly [name: string, value: string])[] {
    const path = pathOf(to)
    let left = MOST_SENT
    return this.#cookies
      .filter(
        (cookie) =>
          (cookie.isHostOnly ? to.hostname === cookie.domain : isOfDomain(to, cookie.domain)) &&
          isOfPath(path, cookie.path) &&
          (!cookie.isSecure || to.protocol === 'https:') &&
          (cookie.expires === null || cookie.expires > now),
      )
      .toSorted((a, b) => b.path.length - a.path.length)
      .filter(({ name, value }) => (left -= name.length + value.length + 3) >= 0)
      .map(({ name, value }) => [name, value] as const)
  }

  #read(line: string, from: URL, now: number): Cookie | null {
    const [pair = '', ...attributes] = line.split(';', MOST_PARTS)
    const sign = pair.indexOf('=')
    const name = pair.slice(0, Math.max(0, sign)).trim()
    const value = pair.slice(sign + 1).trim()
    if (name === '' || name.length + value.length > MOST_LENGTH) return null
    if (/[\0-\x08\n-\x1f\x7f]/.test(name + value)) return null
    let domain = ''
    let path = ''
    let isSecure = false
    let expires: number | null = null
    let maxAge: number | null = null
    for (const attribute of attributes) {
      const equals = attribute.indexOf('=')
      const key = (equals === -1 ? attribute : attribute.slice(0, equals)).trim().toLowerCase()
      const text = equals === -1 ? '' : attribute.slice(equals + 1).trim()
      if (key === 'secure') isSecure = true
      else if (key === 'path') path = text
      else if (key === 'domain' && text !== '') domain = text.replace(/^\./, '').toLowerCase()
      else if (key === 'expires') expires = cookieDate(text) ?? expires
      else if (key === 'max-age' && /^-?\d{1,15}$/.test(text)) maxAge = Number(text)
    }
    if (domain !== '' && domain !== from.hostname)
      if (!isOfDomain(from, domain) || this.#isPublicSuffix(domain)) return null
    return {
      name,
      value,
      domain: domain === '' ? from.hostname : domain,
      // An IP address or a public suffix is a domain of only one host.
      isHostOnly: domain === '' || addressOf(from) !== null || this.#isPublicSuffix(domain),
      path: path.startsWith('/') ? path : folderOf(pathOf(from)),
      isSecure,
      expires: maxAge === null ? expires : now + maxAge * 1_000,
    }
  }
}

/** True if a host is the domain or below it (5.1.3). */
function isOfDomain(url: URL, domain: string): boolean {
  const { hostname } = url
  return hostname === domain || (hostname.endsWith(`.${domain}`) && addressOf(url) === null)
}

/** True if a path is the cookie's path or below it (5.1.4). */
function isOfPath(path: string, of: string): boolean {
  return path === of || (path.startsWith(of) && (of.endsWith('/') || path[of.length] === '/'))
}

function pathOf({ pathname }: URL): string {
  return pathname.startsWith('/') ? pathname : '/'
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(1, path.lastIndexOf('/')))
}
