/** The target of a request, below its host. */
export interface Address {
  readonly path: string
  /** From `?` on; empty for none. */
  readonly search: string
}

/**
 * Splits a normalised URL, such as `Request.url`. The URL parser has written it, so it is not
 * parsed again.
 */
export function addressOf(url: string): Address {
  const start = url.startsWith('http') ? url.indexOf('/', url.indexOf('://') + 3) : -1
  if (start < 0) {
    const { pathname, search } = new URL(url)
    return { path: pathname, search }
  }
  const hash = url.indexOf('#', start)
  const end = hash < 0 ? url.length : hash
  const query = url.indexOf('?', start)
  return query < 0 || query > end
    ? { path: url.slice(start, end), search: '' }
    : { path: url.slice(start, query), search: url.slice(query, end) }
}
