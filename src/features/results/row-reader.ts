import type { PartSize } from '../../engine/export/format.ts'
import { BlockBuilder } from '../common/block-builder.ts'
import type { Row } from '../../kernel/json.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { RowBlock } from '../../ports/row-work.ts'
import { PAGE_SIZE } from '../../records/paginate.ts'
import type { Records } from '../records.ts'
import type { SegmentRecord } from '../executions/records.ts'

/** Position of a row: its segment, and its index in the segment from 0. */
export type RowPosition = readonly [segment: number, row: number]

/**
 * Kept small because these objects live long: an object that survives two collections of young
 * garbage stays until the next full collection.
 */
const SEGMENTS_AT_ONCE = 25
const LINE_FEED = 10
const decoder = new TextDecoder()

/**
 * Reads the committed rows of one execution, in the order they were written. It holds at most one
 * segment in memory.
 */
export class RowReader {
  readonly #records: Records
  readonly #blobs: Blobs
  readonly #account: string
  readonly #execution: string
  /** Number of segments when all rows were first requested. */
  #count: number | null = null
  #kept: { readonly blob: string; readonly lines: string[] } | null = null

  constructor(records: Records, blobs: Blobs, account: string, execution: string) {
    this.#records = records
    this.#blobs = blobs
    this.#account = account
    this.#execution = execution
  }

  /**
   * Reads up to `count` rows from a position on, fewer if they are large, with the position after
   * them. `null`: no more rows for now.
   */
  async slice(
    [from, skipped]: RowPosition,
    count: number,
  ): Promise<{ rows: Row[]; next: RowPosition | null }> {
    const rows: Row[] = []
    let size = 0
    for await (const segment of this.#segments(from)) {
      const start = segment.index === from ? skipped : 0
      if (start >= segment.rows) continue
      if (rows.length === count) return { rows, next: [segment.index, start] }
      const end = Math.min(segment.rows, start + count - rows.length)
      let at = start
      for await (const line of this.#lines(segment, start, end)) {
        size += line.length
        if (rows.length > 0 && size > PAGE_SIZE) return { rows, next: [segment.index, at] }
        rows.push(rowOf(line))
        at++
      }
      if (end < segment.rows) return { rows, next: [segment.index, end] }
    }
    return { rows, next: null }
  }

  /**
   * Reads the last `count` rows before a position, fewer if they are large, in order, with the
   * position of the first of them. `null`: no rows are before it.
   */
  async before(
    [index, row]: RowPosition,
    count: number,
  ): Promise<{ rows: Row[]; next: RowPosition | null }> {
    const parts: Row[][] = []
    let [at, end, missing, size] = [index, row, count, 0]
    for (;;) {
      if (end === 0) {
        if (at === 0) return { rows: parts.toReversed().flat(), next: null }
        end = (await this.#segment(--at)).rows
        continue
      }
      if (missing === 0) return { rows: parts.toReversed().flat(), next: [at, end] }
      const lines = await this.#keptLines(await this.#segment(at))
      let start = end
      for (const least = Math.max(0, end - missing); start > least; start--) {
        size += lines[start - 1]?.length ?? 0
        if (size > PAGE_SIZE && (parts.length > 0 || start < end)) break
      }
      parts.push(lines.slice(start, end).map(rowOf))
      missing = size > PAGE_SIZE ? 0 : missing - (end - start)
      end = start
    }
  }

  /**
   * All rows as stored, in blocks of about `size`: larger for a single large row, smaller at the
   * end of a segment. Every call gives the rows that were committed at the time of the first call.
   */
  async *blocks(size: PartSize): AsyncGenerator<RowBlock> {
    this.#count ??=
      (await this.#records.progress.get(this.#account, this.#execution))?.value.segments ?? 0
    const block = new BlockBuilder(size)
    for await (const segment of this.#segments(0)) {
      if (segment.index >= this.#count) break
      const body = await this.#bytes(segment)
      let rows = 0
      for (let at = 0; at < body.length;) {
        const taken = block.take(body, at)
        rows += taken.rows
        at = taken.end
        if (block.isFull) yield block.build()
      }
      this.#check(segment, rows)
      if (block.isAmple) yield block.build()
    }
    if (block.rows > 0) yield block.build()
  }

  async *#segments(from: number): AsyncGenerator<SegmentRecord> {
    let after = from - 1
    for (;;) {
      const stored = await this.#records.segments.list(this.#account, {
        within: [this.#execution],
        after: [this.#execution, after],
        limit: SEGMENTS_AT_ONCE,
      })
      for (const { value } of stored) yield value
      const last = stored.at(-1)
      if (!last || stored.length < SEGMENTS_AT_ONCE) return
      after = last.value.index
    }
  }

  async #segment(index: number): Promise<SegmentRecord> {
    const stored = await this.#records.segments.get(this.#account, this.#execution, index)
    if (!stored)
      throw new Error(`Rows of execution ${this.#execution} are missing: segment ${index}`)
    return stored.value
  }

  /** A caller that reads in small steps reads the same segment repeatedly, so its lines are cached. */
  async #keptLines(segment: SegmentRecord): Promise<string[]> {
    if (this.#kept?.blob === segment.blob) return this.#kept.lines
    const lines: string[] = []
    for await (const line of this.#lines(segment, 0, segment.rows)) lines.push(line)
    this.#kept = { blob: segment.blob, lines }
    return lines
  }

  /**
   * Decodes some lines of a segment. The other lines are skipped, because they may be very many or
   * very long.
   */
  async *#lines(segment: SegmentRecord, start: number, end: number): AsyncGenerator<string> {
    const bytes = await this.#bytes(segment)
    const wanted: Uint8Array[] = []
    let counted = 0
    for (let at = 0; at < bytes.length; counted++) {
      const feed = bytes.indexOf(LINE_FEED, at)
      const stop = feed < 0 ? bytes.length : feed
      if (counted >= start && counted < end) wanted.push(bytes.subarray(at, stop))
      at = stop + 1
    }
    this.#check(segment, counted)
    const { Pace } = await import('../../kernel/pace.ts')
    const pace = new Pace()
    for (const line of wanted) {
      const text = decoder.decode(line)
      const decoded = pace.step()
      if (decoded) await decoded
      yield text
      const rest = pace.step()
      if (rest) await rest
    }
  }

  async #bytes({ blob }: SegmentRecord): Promise<Uint8Array> {
    const bytes = await this.#blobs.get(blob)
    if (bytes === null)
      throw new Error(`Rows of execution ${this.#execution} are missing: blob ${blob}`)
    return bytes
  }

  #check({ blob, rows }: SegmentRecord, counted: number): void {
    if (counted !== rows)
      throw new Error(
        `Rows of execution ${this.#execution} are damaged: blob ${blob} has ${counted} of ${rows}`,
      )
  }
}

// Only the worker writes segments, as lines of `[seq, row]`.
function rowOf(line: string): Row {
  const [, row] = JSON.parse(line) as [number, Row]
  return row
}
