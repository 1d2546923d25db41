import { isList } from '../../kernel/json.ts'
import type { Json, Row } from '../../kernel/json.ts'

/**
 * Bytes that are made into rows at once. The less is alive when young garbage is collected, the
 * less memory the runtime asks for in the long run; a text of 128 KiB or more outlives the first
 * collection that it meets.
 */
const PIECE = 8_192
const LINE_FEED = 10
const decoder = new TextDecoder()

/** The rows of a block. `member`: the row is this one of what is stored. */
export function* rowsOf(body: Uint8Array, member?: string): Generator<Row> {
  for (const lines of linesOf(body)) for (const line of lines) yield rowOf(line, member)
}

/** The same as JSON texts, where what is stored is the row and nothing is beside it. */
export function* textsOf(body: Uint8Array): Generator<string> {
  for (const lines of linesOf(body))
    for (const line of lines) yield line.slice(line.indexOf(',') + 1, -1)
}

/** Where so many lines end: the place behind their last line feed, or the end. */
export function endOfLines(body: Uint8Array, lines: number): number {
  let at = 0
  for (let line = 0; line < lines; line++) {
    const end = body.indexOf(LINE_FEED, at)
    if (end < 0) return body.length
    at = end + 1
  }
  return at
}

/** The lines, in pieces of so many as are in {@link PIECE} bytes and the rest of the last one. */
export function* linesOf(bytes: Uint8Array): Generator<string[]> {
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf(LINE_FEED, start + PIECE)
    const stop = end < 0 ? bytes.length - Number(bytes.at(-1) === LINE_FEED) : end
    yield decoder.decode(bytes.subarray(start, stop)).split('\n')
    start = end < 0 ? bytes.length : end + 1
  }
}

/** The row of a line, which is `[x, stored]`; see `RowBlock`. */
function rowOf(line: string, member: string | undefined): Row {
  const [beside, stored]: [Json, Row] = JSON.parse(line)
  const row = member === undefined ? stored : membersOf(stored[member])
  return typeof beside === 'object' ? { ...membersOf(beside), ...row } : row
}

function membersOf(value: Json | undefined): Row {
  return typeof value === 'object' && value !== null && !isList(value) ? value : {}
}
