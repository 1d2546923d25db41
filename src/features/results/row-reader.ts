import { createExactLines } from '../../engine/export/exact-line.ts'
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
  /** Segments there were when all were first asked for. */
  #count: number | null = null
  #kept: { readonly blob: string; readonly lines: string[] } | null = null

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

  /** The last `count` rows before a position, in their order, with the position of the first of them; `null` if none are before it. */
  async before([index, row]: RowPosition, count: number): Promise<{ rows: Row[]; next: RowPosition | null }> {
    const parts: Row[][] = []
    let [at, end, missing] = [index, row, count]
    for (;;) {
      if (end === 0) {
        if (at === 0) return { rows: parts.toReversed().flat(), next: null }
        end = (await this.#segment(--at)).rows
        continue
      }
      if (missing === 0) return { rows: parts.toReversed().flat(), next: [at, end] }
      const start = Math.max(0, end - missing)
      parts.push((await this.#keptLines(await this.#segment(at))).slice(start, end).map(rowOf))
      missing -= end - start
      end = start
    }
  }

  /** All rows, a segment at a time. Whenever it is called, they are those that were committed when it was called first. */
  async *all(): AsyncGenerator<readonly Row[]> {
    for await (const lines of this.#all()) yield lines.map(rowOf)
  }

  /** The same as JSON texts with exactly these columns, in their order. */
  async *lines(columns: readonly string[]): AsyncGenerator<readonly string[]> {
    const exact = createExactLines(columns)
    for await (const lines of this.#all()) yield lines.map((line) => exact(line.slice(line.indexOf(',') + 1, -1)))
  }

  async *#all(): AsyncGenerator<readonly string[]> {
    this.#count ??= (await this.#records.progress.get(this.#account, this.#execution))?.value.segments ?? 0
    for await (const segment of this.#segments(0)) {
      if (segment.index >= this.#count) return
      yield await this.#lines(segment)
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

  async #segment(index: number): Promise<SegmentRecord> {
    const found = await this.#records.segments.get(this.#account, this.#execution, index)
    if (!found) throw new Error(`Rows of execution ${this.#execution} are missing: segment ${index}`)
    return found.value
  }

  /** Who reads in small steps comes back to the same segment. */
  async #keptLines(segment: SegmentRecord): Promise<string[]> {
    if (this.#kept?.blob !== segment.blob) this.#kept = { blob: segment.blob, lines: await this.#lines(segment) }
    return this.#kept.lines
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
