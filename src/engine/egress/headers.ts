import { EgressError } from './types.ts'

/** Headers of a request by name. Names are in lower case. */
export type Headers = Readonly<Record<string, string>>

// Framing, routing and compression belong to the connection. A recipe cannot set these headers.
const NOT_OURS = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])
// Only these headers are sent to another origin. Any other header may hold a secret of the first
// origin.
const FOR_ANY_ORIGIN = new Set([
  'accept',
  'accept-language',
  'cache-control',
  'content-language',
  'content-type',
  'dnt',
  'if-modified-since',
  'if-none-match',
  'pragma',
  'range',
  'referer',
  'sec-fetch-dest',
  'sec-fetch-mode',
  'sec-fetch-site',
  'upgrade-insecure-requests',
  'user-agent',
  'x-requested-with',
])
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/**
 * Returns the defaults, overridden by the caller's headers. Headers that belong to the connection
 * are removed.
 *
 * @throws {EgressError} `protocol`
 */
export function mergeHeaders(defaults: Headers, own: Headers | undefined): Headers {
  if (own === undefined) return defaults
  const merged: Record<string, string> = { ...defaults }
  for (const [ownName, value] of Object.entries(own)) {
    const name = ownName.toLowerCase()
    if (!TOKEN.test(name) || !FIELD_VALUE.test(value))
      throw new EgressError('protocol', 'A request header is malformed.')
    if (!NOT_OURS.has(name)) merged[name] = value
  }
  return merged
}

/**
 * Returns the headers to send after a redirect. A recipe may use any header name for a secret, so
 * another origin (scheme, host or port) gets only headers that cannot hold one. The Fetch standard
 * (HTTP-redirect fetch) removes only `Authorization`.
 */
export function headersAfterRedirect(headers: Headers, from: URL, to: URL): Headers {
  return from.origin === to.origin ? headers : withoutSecrets(headers)
}

/** True if a header of this name may be a secret of its origin. */
export function mayBeSecret(name: string): boolean {
  return !FOR_ANY_ORIGIN.has(name.toLowerCase())
}

/** Returns only the headers that any origin may see. */
export function withoutSecrets(headers: Headers): Headers {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !mayBeSecret(name)))
}

/**
 * Returns the headers with these cookies, added to the cookies that they already have or in their
 * place.
 */
export function withCookies(
  headers: Headers,
  cookies: readonly (readonly [name: string, value: string])[],
): Headers {
  if (cookies.length === 0) return headers
  const names = new Set(cookies.map(([name]) => name))
  const own = (headers['cookie'] ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair !== '' && !names.has(pair.split('=', 1)[0] ?? ''))
  const more = cookies.map(([name, value]) => `${name}=${value}`)
  return { ...headers, cookie: [...own, ...more].join('; ') }
}

/** Returns the headers except those that describe a body. */
export function headersWithoutBody(headers: Headers): Headers {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !name.startsWith('content-')),
  )
}

/**
 * Returns the target of a redirect, or `null` without a `Location`. Bytes outside ASCII are read as
 * UTF-8, as browsers do.
 *
 * @throws {EgressError} `invalid_url`
 */
export function redirectTarget(location: string | undefined, base: URL): URL | null {
  if (location === undefined) return null
  const text = /[\x80-\xff]/.test(location) ? utf8FromBytes(location) : location
  const target = URL.parse(text, base)
  if (target === null)
    throw new EgressError('invalid_url', 'A redirect leads to something that is not a URL.')
  return target
}

function utf8FromBytes(bytes: string): string {
  return new TextDecoder().decode(Uint8Array.from(bytes, (char) => char.charCodeAt(0)))
}
