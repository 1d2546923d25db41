import type { Json, Row } from '../kernel/json.ts'
import { jsonPieces } from '../kernel/json-pieces.ts'
import { Pace } from '../kernel/pace.ts'
import { ShortKey } from '../kernel/short-key.ts'
import type { PageOutcome } from './outcome.ts'

/** What tells rows apart, by row. */
export type RowKeys = ReadonlyMap<Row, string>

/** The keys of all rows that must be unique; worked out in slices, as rows may be many, and one may be long. */
export async function rowKeys(outcomes: readonly PageOutcome[], unique: readonly string[] | null, pace = new Pace()): Promise<RowKeys> {
  const keys = new Map<Row, string>()
  if (unique === null) return keys
  for (const { rows } of outcomes) {
    for (const row of rows) {
      const key = new ShortKey()
      for (const piece of jsonPieces(unique.map((column): Json => row[column] ?? null))) {
        key.add(piece)
        const rest = pace.step()
        if (rest) await rest
      }
      keys.set(row, key.value)
    }
  }
  return keys
}
