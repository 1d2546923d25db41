/**
 * Values of a query. The items of a list are separated by commas, and an item that contains a comma
 * is quoted as in JSON. `undefined` is left out.
 */
export type Query = Readonly<
  Record<string, string | number | boolean | readonly (string | number)[] | undefined>
>

/**
 * A path below that of the API, with each value as one segment, percent-encoded.
 *
 * @example
 *   path`/tasks/${'a/b'}` // /tasks/a%2Fb
 *
 * @throws {TypeError} for an empty value, for `.` and `..`, which cannot be encoded as a segment
 *   (URL Standard), and for a lone surrogate.
 */
export function path(fixed: TemplateStringsArray, ...values: readonly string[]): string {
  return String.raw({ raw: fixed }, ...values.map(segment))
}

/** Adds a query to a path. */
export function withQuery(pathname: string, query: Query): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined)
      search.set(name, String(typeof value === 'object' ? value.map(inList) : value))
  return search.size === 0 ? pathname : `${pathname}?${search}`
}

/** An item of a list, in quotes if it contains a comma. */
function inList(entry: string | number): string | number {
  return /,/.test(String(entry)) ? JSON.stringify(entry) : entry
}

function segment(value: string): string {
  if (/^\.{0,2}$/.test(value) || !value.isWellFormed())
    throw new TypeError(`Not an id: ${JSON.stringify(value)}`)
  return encodeURIComponent(value)
}
