import { EgressError } from './types.ts'

/** Header names and values of a request; names in lower case. */
export type Headers = Readonly<Record<string, string>>

// Framing, routing and compression belong to the connection, not to a recipe.
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
// The only ones that another origin gets to see: any other header may hold a secret of the first
// one.
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
 * The defaults with the caller's headers over them; those that belong to the connection are left
 * out.
 *
 * @throws {EgressError} `protocol`
 */
export function mergeHeaders(defaults: Headers, own: Headers | undefined): Headers {
  if (own === undefined) return defaults
  const merged: Record<string, string> = { ...defaults }
  for (const [given, value] of Object.entries(own)) {
    const name = given.toLowerCase()
    if (!TOKEN.test(name) || !FIELD_VALUE.test(value))
      throw new EgressError('protocol', 'A request header is malformed.')
    if (!NOT_OURS.has(name)) merged[name] = value
  }
  return merged
}

/**
 * What is left of the headers when a redirect leads from one URL to another. A recipe may call a
 * secret anything, so another origin (scheme, host or port) gets only those headers that hold none.
 * The Fetch standard (HTTP-redirect fetch) takes `Authorization` alone away.
 */
export function headersAfterRedirect(headers: Headers, from: URL, to: URL): Headers {
  return from.origin === to.origin ? headers : withoutSecrets(headers)
}

/** The headers that any origin may see. */
export function withoutSecrets(headers: Headers): Headers {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => FOR_ANY_ORIGIN.has(name.toLowerCase())),
  )
}

/** The headers without those that describe a body. */
export function headersWithoutBody(headers: Headers): Headers {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !name.startsWith('content-')),
  )
}

/**
 * The target of a redirect; bytes outside of ASCII are UTF-8, as browsers read them. `null` if
 * there is none.
 *
 * @throws {EgressError} `invalid_url`
 */
export function redirectTarget(location: string | undefined, base: URL): URL | null {
  if (location === undefined) return null
  const text = /[\x80-\xff]/.test(location) ? utf8FromBytes(location) : location
  const target = URL.parse(text, base)
  if (target === null)
    throw new EgressError('invalid_url', 'A redirect leads to something that is no URL.')
  return target
}

function utf8FromBytes(bytes: string): string {
  return new TextDecoder().decode(Uint8Array.from(bytes, (char) => char.charCodeAt(0)))
}
