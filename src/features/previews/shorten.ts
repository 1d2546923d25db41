import { isList } from '../../kernel/json.ts'
import type { Json, Row } from '../../kernel/json.ts'

const MOST_CHARACTERS = 5_000
const MOST_ENTRIES = 50
/** Characters of all rows together, or so. */
const MOST_OF_ALL = 2_000_000

/** A value that is no longer than a glance needs: long texts and lists are cut, and so is what lies deep. */
export function shorten(value: Json, characters = MOST_CHARACTERS, entries = MOST_ENTRIES, depth = 8): Json {
  if (typeof value === 'string') return value.length <= characters ? value : `${value.slice(0, characters)}…`
  if (value === null || typeof value !== 'object') return value
  if (depth === 0) return '…'
  const inner = (one: Json): Json => shorten(one, characters, entries, depth - 1)
  if (isList(value)) return value.slice(0, entries).map(inner)
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inner(one)]))
}

/** The first rows, shortened, as many as fit. */
export function firstRows(rows: readonly Row[], most: number): Row[] {
  const first: Row[] = []
  let size = 0
  for (const row of rows.slice(0, most)) {
    const short = Object.fromEntries(Object.entries(row).map(([column, value]) => [column, shorten(value)]))
    size += JSON.stringify(short).length
    if (first.length > 0 && size > MOST_OF_ALL) break
    first.push(short)
  }
  return first
}
