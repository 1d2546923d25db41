import type { Json, Row } from './json.ts'
import { jsonPieces } from './json-pieces.ts'
import type { Pace } from './pace.ts'
import { ShortKey } from './short-key.ts'

/** What tells a row apart by its `unique` columns; made in slices, as one value may be megabytes. */
export async function rowKey(row: Row, unique: readonly string[], pace: Pace): Promise<string> {
  const key = new ShortKey()
  for (const piece of jsonPieces(unique.map((column): Json => row[column] ?? null))) {
    key.add(piece)
    const rest = pace.step()
    if (rest) await rest
  }
  return key.value
}
