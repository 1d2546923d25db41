type Data = { readonly [name: string]: unknown }

/** Number of rows from which the kind of a column is determined. */
export const SAMPLE = 100

/**
 * A value of a row as text. An empty value is an empty text. A downloaded file is shown as its
 * original address.
 */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value !== 'object') return String(value)
  return isMedia(value) ? value.sourceUrl : JSON.stringify(value)
}

/** A file of a row that this platform has downloaded. */
interface MediaValue {
  readonly url: string
  readonly contentType: string
  readonly sourceUrl: string
}

/** The end of a media link's path: the account's pseudonym, the digest and the name. */
const MEDIA_PATH = /\/media\/[^/]+\/[\da-f]{64}\/[^/]+$/
/** All members of a media value, with their types. */
const MEDIA: Readonly<Record<string, (value: unknown) => boolean>> = {
  id: (value) => typeof value === 'string' && /^med_[\da-f]{64}$/.test(value),
  url: (value) => addressIn(value) !== null,
  contentType: (value) => typeof value === 'string',
  bytes: (value) => typeof value === 'number',
  sourceUrl: (value) => typeof value === 'string',
}

/**
 * True for media values of the API, and for no value with further members, because these would not
 * be shown.
 */
function isMedia(value: object): value is MediaValue {
  const entries = Object.entries(value)
  return (
    entries.length === Object.keys(MEDIA).length &&
    entries.every(([name, member]) => Object.hasOwn(MEDIA, name) && MEDIA[name]?.(member) === true)
  )
}

/** The columns whose values are numbers. */
export function figuresIn(rows: readonly Data[], columns: readonly string[]): ReadonlySet<string> {
  const sample = rows.slice(0, SAMPLE)
  return new Set(
    columns.filter((name) => {
      const values = sample.map((row) => row[name] ?? null).filter((value) => value !== null)
      return values.length > 0 && values.every((value) => typeof value === 'number')
    }),
  )
}

/** The address that a value is. `null`: it is not an address. */
export function addressIn(value: unknown): string | null {
  return typeof value === 'string' && /^https?:\/\/\S+$/i.test(value) && URL.canParse(value)
    ? value
    : null
}

/**
 * The link of a picture that this server stores, `null` for other values. The console shows no
 * pictures of other servers.
 */
export function pictureOf(value: unknown, origin: string): string | null {
  if (typeof value !== 'object' || value === null || !isMedia(value)) return null
  const { url, contentType } = value
  if (!contentType.startsWith('image/')) return null
  const { origin: from, pathname } = new URL(url)
  return from === origin && MEDIA_PATH.test(pathname) ? url : null
}
