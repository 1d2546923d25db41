import type { Row } from '../kernel/json.ts'
import { Pace } from '../kernel/pace.ts'
import { rowKey } from '../kernel/row-key.ts'
import type { PageOutcome } from './outcome.ts'

/** What tells rows apart, by row. */
export type RowKeys = ReadonlyMap<Row, string>

/**
 * The keys of all rows that must be unique; worked out in slices, as rows may be many, and one may
 * be long.
 */
export async function rowKeys(
  outcomes: readonly PageOutcome[],
  unique: readonly string[] | null,
  pace = new Pace(),
): Promise<RowKeys> {
  const keys = new Map<Row, string>()
  if (unique === null) return keys
  for (const { rows } of outcomes)
    for (const row of rows) keys.set(row, await rowKey(row, unique, pace))
  return keys
}
