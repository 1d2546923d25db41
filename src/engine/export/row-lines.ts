import { objectOf } from '../../kernel/json.ts'
import type { Json, Row } from '../../kernel/json.ts'

/**
 * Bytes that become rows at a time. The less data is alive when young garbage is collected, the
 * less memory the runtime requests over time. A text of 128 KiB or more survives the first
 * collection.
 */
const PIECE = 8_192
const LINE_FEED = 10
const decoder = new TextDecoder()

/** Yields the rows of a block. `member`: the member of the stored value that holds the row. */
export function* rowsOf(body: Uint8Array, member?: string): Generator<Row> {
  for (const lines of linesOf(body)) for (const line of lines) yield rowOf(line, member)
}

/** Yields rows as JSON texts, if the stored value is the row itself. */
export function* textsOf(body: Uint8Array): Generator<string> {
  for (const lines of linesOf(body))
    for (const line of lines) yield line.slice(line.indexOf(',') + 1, -1)
}

/** Returns the position after the last line feed of that many lines, or the end of the body. */
export function endOfLines(body: Uint8Array, lines: number): number {
  let position = 0
  for (let line = 0; line < lines; line++) {
    const end = body.indexOf(LINE_FEED, position)
    if (end < 0) return body.length
    position = end + 1
  }
  return position
}

/** Yields the lines in groups of about {@link PIECE} bytes; the last line of a group is complete. */
export function* linesOf(bytes: Uint8Array): Generator<string[]> {
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf(LINE_FEED, start + PIECE)
    const stop = end < 0 ? bytes.length - Number(bytes.at(-1) === LINE_FEED) : end
    yield decoder.decode(bytes.subarray(start, stop)).split('\n')
    start = end < 0 ? bytes.length : end + 1
  }
}

/** Reads the row of a line, which is `[x, stored]`; see `RowBlock`. */
function rowOf(line: string, member: string | undefined): Row {
  const [beside, stored]: [Json, Row] = JSON.parse(line)
  const row = member === undefined ? stored : objectOf(stored[member])
  return typeof beside === 'object' ? { ...objectOf(beside), ...row } : row
}
