const MAX_LENGTH = 2_048

/** Query parameters that say how a visitor came to the page. They never identify the page. */
const TRACKING =
  /^(?:utm_[a-z_]+|gclid|gclsrc|dclid|gbraid|wbraid|fbclid|msclkid|yclid|twclid|ttclid|igshid|mc_cid|mc_eid)(?:=|$)/i

/** Bytes that RFC 3986 section 2.3 calls unreserved: percent-encoded or not, they mean the same. */
const UNRESERVED = /^[\w.~-]$/

/**
 * Matches a URL that the parser would not change: its host is in lower case and ends in letters,
 * its path has no dot segments, and it has no fragment. Parsing takes ten times as long.
 */
const NORMAL =
  /^https?:\/\/(?:[a-z\d-]+\.)+[a-z]+\/[\w\-.~!$&'()*+,;=:@%/]*(?:\?[\w\-.~!$&()*+,;=:@%/?]*)?$/
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
  // A URL that matches the pattern has all that the type promises, so it is not parsed.
  if (href.length <= MAX_LENGTH && NORMAL.test(href) && !SUSPECT.test(href))
    return href as NormalUrl
  const url = URL.parse(href, base)
  return url === null ? null : normaliseParsed(url)
}

/** The same for a parsed URL. It changes the given object. */
export function normaliseParsed(url: URL): NormalUrl | null {
  if (
    (url.protocol !== 'https:' && url.protocol !== 'http:') ||
    url.username !== '' ||
    url.password !== ''
  )
    return null
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.replace(/(?<!\.)\.+$/, '')
  const href = url.href
  const hash = href.indexOf('#')
  const absolute = hash === -1 ? href : href.slice(0, hash)
  // All that the type promises was checked above. Only this file makes values of it.
  return absolute.length > MAX_LENGTH ? null : (absolute as NormalUrl)
}

/** The scheme, the host and the port of a URL. */
export function originOf(url: NormalUrl): string {
  return url.slice(0, url.indexOf('/', url.indexOf('//') + 2))
}

/**
 * The path and the query of a URL (`pathname + search`), which rules of robots.txt are matched
 * against. An empty query counts as absent.
 */
export function pathOf(url: NormalUrl): string {
  const path = url.slice(originOf(url).length)
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
