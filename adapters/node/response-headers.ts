// A second value makes no sense for these, and a joined one would be neither.
const SINGLE = new Set(['content-length', 'content-type', 'location', 'retry-after'])

/**
 * Lower-case names with their values; repeated ones are joined with `, `, or the first is kept
 * where only one can be meant.
 */
export function headersOf(rawHeaders: readonly string[]): Readonly<Record<string, string>> {
  // Without a prototype: a server may call a header `__proto__` or `constructor`.
  const headers: Record<string, string> = Object.create(null)
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase()
    const value = rawHeaders[at + 1] ?? ''
    const earlier = headers[name]
    if (earlier === undefined) headers[name] = value
    else if (!SINGLE.has(name)) headers[name] = `${earlier}, ${value}`
  }
  return headers
}
