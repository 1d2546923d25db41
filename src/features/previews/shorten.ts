import { isList } from '../../kernel/json.ts'
import type { Json, Row } from '../../kernel/json.ts'
import { Pace } from '../../kernel/pace.ts'

const MOST_CHARACTERS = 5_000
const MOST_ENTRIES = 50
/** Characters of all rows together, or so. */
const MOST_OF_ALL = 2_000_000
/** Characters of one row, or so: a value may be a document of a million small parts. */
const MOST_OF_ROW = 500_000
/** What a value counts for beside its text. */
const EACH = 4
const CUT = '…'

/** Characters that may still be shown. */
export interface Room {
  left: number
}

/**
 * A value that is no longer than a glance needs: long texts and lists are cut, and so is what lies
 * deep, or beyond the room.
 */
export function shorten(
  value: Json,
  characters = MOST_CHARACTERS,
  entries = MOST_ENTRIES,
  depth = 8,
  room: Room = { left: MOST_OF_ROW },
): Json {
  if (room.left <= 0) return CUT
  room.left -= EACH
  if (typeof value === 'string') {
    room.left -= Math.min(value.length, characters)
    return value.length <= characters ? value : `${value.slice(0, characters)}${CUT}`
  }
  if (value === null || typeof value !== 'object') return value
  if (depth === 0) return CUT
  const inner = (one: Json): Json => shorten(one, characters, entries, depth - 1, room)
  if (isList(value)) return value.slice(0, entries).map(inner)
  const members: [string, Json][] = []
  for (const name in value) {
    if (room.left <= 0) break
    room.left -= name.length
    members.push([name, inner(value[name] ?? null)])
  }
  return Object.fromEntries(members)
}

/** The first rows, shortened, as many as fit. */
export async function firstRows(
  rows: readonly Row[],
  most: number,
  pace = new Pace(),
): Promise<Row[]> {
  const first: Row[] = []
  let left = MOST_OF_ALL
  for (const row of rows.slice(0, most)) {
    const room: Room = { left: MOST_OF_ROW }
    const short = Object.fromEntries(
      Object.entries(row).map(([column, value]) => [
        column,
        shorten(value, MOST_CHARACTERS, MOST_ENTRIES, 8, room),
      ]),
    )
    left -= MOST_OF_ROW - room.left
    if (first.length > 0 && left < 0) break
    first.push(short)
    const rest = pace.step()
    if (rest) await rest
  }
  return first
}
