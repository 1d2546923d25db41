type Data = { readonly [name: string]: unknown }

/** Rows that are looked at to tell what a column holds. */
export const SAMPLE = 100

/**
 * A value of a row as text; nothing is empty. A file that was downloaded is the address it came
 * from.
 */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value !== 'object') return String(value)
  if ('sourceUrl' in value && 'url' in value) return String(value.sourceUrl)
  return JSON.stringify(value)
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

/** The address that a value is; `null`: it is another text. */
export function addressIn(value: unknown): string | null {
  return typeof value === 'string' && /^https?:\/\/\S+$/i.test(value) && URL.canParse(value)
    ? value
    : null
}

/**
 * The link of a picture that this server keeps, `null` for other values. The console shows no
 * picture of another server.
 */
export function pictureOf(value: unknown, origin: string): string | null {
  if (typeof value !== 'object' || value === null) return null
  if (!('url' in value && 'contentType' in value)) return null
  const { url, contentType } = value
  if (typeof url !== 'string' || !String(contentType).startsWith('image/')) return null
  return URL.canParse(url) && new URL(url).origin === origin ? url : null
}
