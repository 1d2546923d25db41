import type { Json, Row } from './json.ts'
import { jsonPieces } from './json-pieces.ts'
import type { Pace } from './pace.ts'
import { ShortKey } from './short-key.ts'

/**
 * Returns the key of a row from its `unique` columns. Made in slices, because one value may have
 * megabytes.
 */
export async function rowKey(row: Row, unique: readonly string[], pace: Pace): Promise<string> {
  const key = new ShortKey()
  for (const piece of jsonPieces(unique.map((column): Json => row[column] ?? null))) {
    key.add(piece)
    const rest = pace.step()
    if (rest) await rest
  }
  return key.value
}
