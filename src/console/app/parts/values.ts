type Data = { readonly [name: string]: unknown }

/** Rows that are looked at to tell what a column holds. */
const SAMPLE = 100

/** A value of a row as text; nothing is empty. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
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
