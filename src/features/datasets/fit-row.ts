import { jsonSize } from '../../kernel/json.ts'
import type { Json, Row } from '../../kernel/json.ts'

/**
 * Maximum size of an item, in characters of JSON or so. Merges run on the thread that serves, and
 * each item is parsed, compared and written in one turn of it.
 */
export const MOST_ITEM = 1_000_000
/** Work on a row that is too large: at most this multiple of {@link MOST_ITEM} characters is read. */
const MOST_PASSES = 2

/**
 * Leaves out columns that make a row too large for an item: in order, each that does not fit beside
 * those before it. `first`: columns that come before all others. A row that fits is returned
 * itself.
 */
export function fitRow(row: Row, first: readonly string[] = []): Row {
  if (jsonSize(row, MOST_ITEM) <= MOST_ITEM) return row
  const ahead = first.filter((column) => Object.hasOwn(row, column))
  const fitting: [string, Json][] = []
  let [room, steps] = [MOST_ITEM, MOST_PASSES * MOST_ITEM]
  for (const column of new Set([...ahead, ...Object.keys(row)])) {
    const value = row[column] ?? null
    const size = column.length + 4 + jsonSize(value, room)
    steps -= Math.min(size, room)
    if (steps < 0) break
    if (size > room) continue
    room -= size
    fitting.push([column, value])
  }
  return Object.fromEntries(fitting)
}
