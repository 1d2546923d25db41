const MAX_LENGTH = 2_048

/** Query parameters that say how a visitor came to the page. They never identify the page. */
const TRACKING =
  /^(?:utm_[a-z_]+|gclid|gclsrc|dclid|gbraid|wbraid|fbclid|msclkid|yclid|twclid|ttclid|igshid|mc_cid|mc_eid)(?:=|$)/i

/** Bytes that RFC 3986 section 2.3 calls unreserved: percent-encoded or not, they mean the same. */
const UNRESERVED = /^[\w.~-]$/

/**
 * Matches a URL that the parser would not change: its host is in lower case and ends in letters,
 * its port is no default, its path has no dot segments, and it has no fragment. Parsing takes ten
 * times as long.
 */
const NORMAL =
  /^https?:\/\/(?:[a-z\d-]+\.)+[a-z]+(?::[1-9]\d{3})?\/[\w\-.~!$&'()*+,;=:@%/]*(?:\?[\w\-.~!$&()*+,;=:@%/?]*)?$/
/** The beginning of a possible dot segment, and of a label that the parser decodes. */
const SUSPECT = /\/(?:\.|%2e)|xn--/i

declare const normal: unique symbol

/**
 * A URL that {@link normaliseUrl} gave. It is absolute, http(s), and has neither a fragment nor
 * credentials, so it can be compared, used as a key and cut at its slashes without parsing it
 * again.
 */
export type NormalUrl = string & { readonly [normal]: true }

/**
 * Makes a link absolute: http(s), without fragment and credentials, without the default port (URL
 * Standard) and without the host's trailing dot.
 *
 * @returns `null` for an invalid URL, another scheme, or more than 2,048 characters.
 */
export function normaliseUrl(href: string, base?: string): NormalUrl | null {
  if (href.length > MAX_LENGTH * 2) return null
  const usual = unparsed(href, base)
  if (usual !== null) return usual
  const url = URL.parse(href, base)
  return url === null ? null : normaliseParsed(url)
}

/**
 * The same without a parser. `null`: only a parser can tell. A relative reference is put behind the
 * part of the base that it keeps.
 */
export function unparsed(href: string, base = ''): NormalUrl | null {
  const text = before('#', href)
  if (isNormal(text)) return text
  if (OTHER.test(text)) return null
  const page = before('?', before('#', base))
  // Of a base such as `/a/..`, a parser drops more than what follows its last slash.
  if (!isNormal(page)) return null
  const path = text.startsWith('/') ? endOfOrigin(page) : page.lastIndexOf('/') + 1
  const url = (text.startsWith('?') ? page : page.slice(0, path)) + text
  return isNormal(url) ? url : null
}

/** References that are empty, begin with another host or a dot, or may have a scheme. */
const OTHER = /^(?:\/\/|\.|$|[^/?]*:)/

// A text that matches the pattern has all that the type promises, so it is not parsed.
function isNormal(text: string): text is NormalUrl {
  return text.length <= MAX_LENGTH && NORMAL.test(text) && !SUSPECT.test(text)
}

function before(sign: string, text: string): string {
  const end = text.indexOf(sign)
  return end === -1 ? text : text.slice(0, end)
}

/** The same for a parsed URL. It changes this object. */
export function normaliseParsed(url: URL): NormalUrl | null {
  if (
    (url.protocol !== 'https:' && url.protocol !== 'http:') ||
    url.username !== '' ||
    url.password !== ''
  )
    return null
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.replace(/(?<!\.)\.+$/, '')
  const absolute = before('#', url.href)
  // The checks above establish all that the type promises. Only this file makes values of it.
  return absolute.length > MAX_LENGTH ? null : (absolute as NormalUrl)
}

/** Parts of a URL, as the URL Standard names them. */
export type UrlParts = Pick<URL, 'protocol' | 'hostname' | 'port' | 'host' | 'origin' | 'pathname'>

/** The parts of a URL, which is only parsed if its form is not the usual one. */
export function partsOf(url: string): UrlParts | null {
  return isNormal(url) ? cutUrl(url) : URL.parse(url)
}

/** An IPv6 address has colons too, in brackets. */
const PARTS = /^(\w+:)\/\/((\[.*?\]|[^:/]+):?(\d*))([^?]*)/

/** The parts of a URL, cut out of its text. */
export function cutUrl(url: NormalUrl): UrlParts {
  const [, protocol = '', host = '', hostname = '', port = '', pathname = ''] =
    PARTS.exec(url) ?? []
  return { protocol, hostname, port, host, origin: `${protocol}//${host}`, pathname }
}

/** The scheme, the host and the port of a URL. */
export function originOf(url: NormalUrl): string {
  return url.slice(0, endOfOrigin(url))
}

/** The first slash behind `https://`, or behind the first letter of a host after `http://`. */
function endOfOrigin(url: NormalUrl): number {
  return url.indexOf('/', 8)
}

/**
 * The path and the query of a URL (`pathname + search`), which rules of robots.txt are matched
 * against. An empty query counts as absent.
 */
export function pathOf(url: NormalUrl): string {
  const path = url.slice(endOfOrigin(url))
  return path.indexOf('?') === path.length - 1 ? path.slice(0, -1) : path
}

/**
 * The host and the port of an absolute URL, cut out of its text. This is cheaper than parsing the
 * URL. For any other text, the result is only good for comparison.
 */
export function authorityOf(url: string): string {
  const from = url.indexOf('//') + 2
  const to = url.indexOf('/', from)
  return to < 0 ? url.slice(from) : url.slice(from, to)
}

/**
 * The identity under which a URL is visited once in a run. Two URLs with the same identity count as
 * the same page: tracking parameters and an empty query are dropped, and percent-encodings are
 * normalised (RFC 3986 section 6.2.2: unreserved characters bare, hexadecimal digits in capitals,
 * forbidden characters encoded). The order of parameters, the scheme, `www.` and a trailing slash
 * are kept, because servers distinguish them; if they are the same page, a redirect shows it.
 * Idempotent. A string that {@link normaliseUrl} refuses is its own identity.
 */
export function urlIdentity(url: string): string {
  const absolute = normaliseUrl(url)
  return absolute === null ? url : identityOf(absolute)
}

/** The same for a URL that {@link normaliseUrl} returned. */
export function identityOf(absolute: NormalUrl): string {
  const mark = absolute.indexOf('?')
  if (mark === -1) return sameEncoding(absolute)
  const query = absolute
    .slice(mark + 1)
    .split('&')
    .filter((part) => part !== '' && !TRACKING.test(part))
    .join('&')
  return sameEncoding(
    query === '' ? absolute.slice(0, mark) : `${absolute.slice(0, mark)}?${query}`,
  )
}

/**
 * Characters that the URL Standard leaves as they are, although RFC 3986 allows them only
 * percent-encoded.
 */
const UNSAFE = /%(?![\da-f]{2})|[\^`{|}\\]/gi

function sameEncoding(url: string): string {
  if (!/[%^`{|}\\]/.test(url)) return url
  const bare = url
    .replace(UNSAFE, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
    .replace(/%[\da-f]{2}/gi, (code) => {
      const character = String.fromCharCode(Number.parseInt(code.slice(1), 16))
      return UNRESERVED.test(character) ? character : code.toUpperCase()
    })
  // A decoded dot can make a dot segment. If the parser would change the path because of it, the
  // encoding is kept.
  return URL.parse(bare)?.href === bare ? bare : url
}
