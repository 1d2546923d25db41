import type { Row } from '../../kernel/json.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { Records } from '../../records/records.ts'
import type { SegmentRecord } from '../../records/types.ts'

/** Where a row is: its segment, and its place in it from 0. */
export type RowPosition = readonly [segment: number, row: number]

const SEGMENTS_AT_ONCE = 100
const decoder = new TextDecoder()

/** Reads the committed rows of one execution, in the order they were written. Memory is bounded by one segment. */
export class RowReader {
  readonly #records: Records
  readonly #blobs: Blobs
  readonly #account: string
  readonly #execution: string

  constructor(records: Records, blobs: Blobs, account: string, execution: string) {
    this.#records = records
    this.#blobs = blobs
    this.#account = account
    this.#execution = execution
  }

  /** Up to `count` rows from a position on, with the position after them; `null` if there are no more rows for now. */
  async slice([from, skipped]: RowPosition, count: number): Promise<{ rows: Row[]; next: RowPosition | null }> {
    const rows: Row[] = []
    for await (const segment of this.#segments(from)) {
      const start = segment.index === from ? skipped : 0
      if (start >= segment.rows) continue
      if (rows.length === count) return { rows, next: [segment.index, start] }
      const end = Math.min(segment.rows, start + count - rows.length)
      for (const line of (await this.#lines(segment)).slice(start, end)) rows.push(rowOf(line))
      if (end < segment.rows) return { rows, next: [segment.index, end] }
    }
    return { rows, next: null }
  }

  /** All rows, a segment at a time; rows that are committed after the call may be left out. */
  async *all(): AsyncGenerator<readonly Row[]> {
    const progress = await this.#records.progress.get(this.#account, this.#execution)
    const segments = progress?.value.segments ?? 0
    for await (const segment of this.#segments(0)) {
      if (segment.index >= segments) return
      yield (await this.#lines(segment)).map(rowOf)
    }
  }

  async *#segments(from: number): AsyncGenerator<SegmentRecord> {
    let after = from - 1
    for (;;) {
      const found = await this.#records.segments.list(this.#account, { within: [this.#execution], after: [this.#execution, after], limit: SEGMENTS_AT_ONCE })
      for (const { value } of found) yield value
      const last = found.at(-1)
      if (!last || found.length < SEGMENTS_AT_ONCE) return
      after = last.value.index
    }
  }

  async #lines(segment: SegmentRecord): Promise<string[]> {
    const bytes = await this.#blobs.get(segment.blob)
    if (bytes === null) throw new Error(`Rows of execution ${this.#execution} are missing: blob ${segment.blob}`)
    const lines = decoder.decode(bytes).split('\n')
    if (lines.at(-1) === '') lines.pop()
    if (lines.length !== segment.rows) throw new Error(`Rows of execution ${this.#execution} are damaged: blob ${segment.blob} has ${lines.length} of ${segment.rows}`)
    return lines
  }
}

// Only the worker writes segments, as lines of `[seq, row]`.
function rowOf(line: string): Row {
  const [, row] = JSON.parse(line) as [number, Row]
  return row
}
