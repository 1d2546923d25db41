/** One host as a header names it: a list is what is left of several lines (RFC 9112, 3.2). */
const HOST = /^[\w.:[\]-]+$/

/**
 * The request with an address that can be taken apart; `null` where it names no valid host,
 * several, or something else than `http:` and `https:`. Servers hand over what came: Bun a path
 * alone where there was no host (as probes by HTTP/1.0 have none) or an invalid one, Deno
 * anything.
 */
export function addressed(request: Request): Request | null {
  const { url } = request
  const host = request.headers.get('host')
  if (url.startsWith('/')) return host ? null : new Request(`http://localhost${url}`, request)
  const parsed = URL.parse(url)
  if (
    parsed === null ||
    parsed.username !== '' ||
    parsed.password !== '' ||
    !/^https?:$/.test(parsed.protocol)
  )
    return null
  return !host || HOST.test(host) ? request : null
}
