import { createHash } from 'node:crypto'
import type { ShopRow } from '../shop.ts'

/** A multiset of rows: how many, and a digest that does not depend on their order. */
export interface RowsDigest {
  readonly count: number
  readonly sha256: string
}

const FIELDS = [
  'title',
  'price',
  'sku',
  'rating',
  'description',
] as const satisfies readonly (keyof ShopRow)[]

// Only the five fields count, by value and type: a contender may add columns of its own, such as
// the URL.
const canonical = (row: { readonly [field: string]: unknown }) =>
  JSON.stringify(FIELDS.map((field) => row[field] ?? null))

/** Count and digest of rows as written by a contender or told by the site. */
export function digestRows(rows: readonly object[]): RowsDigest {
  const lines = rows.map((row) => canonical({ ...row })).toSorted()
  return {
    count: lines.length,
    sha256: createHash('sha256').update(lines.join('\n')).digest('hex'),
  }
}

/**
 * Fails unless `rows` holds exactly the rows of `expected`, each once and in any order.
 *
 * @throws {Error} saying how many rows there are and naming the first that is missing and the first
 *   that is too much.
 */
export function checkRows(
  name: string,
  expected: readonly object[],
  rows: readonly object[],
): RowsDigest {
  const right = digestRows(expected)
  const digest = digestRows(rows)
  if (digest.sha256 === right.sha256) return digest
  const left = new Map<string, number>()
  for (const row of expected)
    left.set(canonical({ ...row }), (left.get(canonical({ ...row })) ?? 0) + 1)
  let extra: string | undefined
  for (const row of rows) {
    const line = canonical({ ...row })
    const count = left.get(line) ?? 0
    if (count === 0) extra ??= line
    else if (count === 1) left.delete(line)
    else left.set(line, count - 1)
  }
  const missing = left.keys().next().value
  throw new Error(
    `${name} wrote ${digest.count} rows where ${right.count} are right. Missing: ` +
      `${missing ?? 'none'}. Wrong or twice: ${extra ?? 'none'}`,
  )
}
