import type { PartSize } from '../../engine/export/format.ts'
import { BlockBuilder } from '../common/block-builder.ts'
import type { Row } from '../../kernel/json.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { RowBlock } from '../../ports/row-work.ts'
import type { RowOrigins } from './row-origins.ts'
import { PAGE_SIZE } from '../../records/paginate.ts'
import type { Records } from '../records.ts'
import { rowsPart } from '../executions/records.ts'
import type { SegmentRecord } from '../executions/records.ts'

/** Position of a row: its segment, and its index in the segment from 0. */
export type RowPosition = readonly [segment: number, row: number]

/**
 * Number of segments in one read. It is small, because their records stay in memory for long: an
 * object that survives two collections of young garbage stays until the next full collection.
 */
const SEGMENTS_AT_ONCE = 25
const LINE_FEED = 10
/**
 * Maximum number of characters of rows that are read backwards at once, because all of them are
 * merged in one step.
 */
const BEFORE_SIZE = 500_000
/** A line with more bytes is decoded and parsed in slices. */
const LARGE = 1_000_000
const decoder = new TextDecoder()

/** A line of a segment: its text or, of a large one, its bytes. */
type StoredLine = string | Uint8Array

/** The error for rows that were committed, but are missing or damaged. */
export class DamagedRows extends Error {}

/**
 * Reads the committed rows of one execution, in the order they were written. It holds at most one
 * segment in memory.
 */
export class RowReader {
  readonly #records: Records
  readonly #blobs: Blobs
  readonly #account: string
  readonly #execution: string
  readonly #origins: RowOrigins | null
  /** Number of segments when all rows were first requested. */
  #count: number | null = null
  #kept: { readonly blob: string; readonly lines: StoredLine[] } | null = null

  /** `origins`: adds where each row comes from. */
  constructor(
    records: Records,
    blobs: Blobs,
    account: string,
    execution: string,
    origins: RowOrigins | null = null,
  ) {
    this.#records = records
    this.#blobs = blobs
    this.#account = account
    this.#execution = execution
    this.#origins = origins
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
      let index = start
      for await (const line of this.#lines(segment, start, end)) {
        size += line.length
        if (rows.length > 0 && size > PAGE_SIZE) return { rows, next: [segment.index, index] }
        rows.push(rowOf(typeof line === 'string' ? parsedText(line) : await parsed(line)))
        index++
      }
      if (end < segment.rows) return { rows, next: [segment.index, end] }
    }
    return { rows, next: null }
  }

  /**
   * Reads the last `count` rows before a position, in order, fewer if they are large. Each has the
   * number of its page in the receipt. It also returns the position of the first row. `null`: there
   * are no rows before the position.
   */
  async before(
    [index, row]: RowPosition,
    count: number,
  ): Promise<{ rows: (readonly [page: number, row: Row])[]; next: RowPosition | null }> {
    const rows: (readonly [page: number, row: Row])[] = []
    let [position, end, missing, size] = [index, row, count, 0]
    for (;;) {
      if (end === 0) {
        if (position === 0) return { rows: rows.toReversed(), next: null }
        end = (await this.#segment(--position)).rows
        continue
      }
      if (missing === 0) return { rows: rows.toReversed(), next: [position, end] }
      const lines = await this.#keptLines(await this.#segment(position))
      for (const line of lines.slice(Math.max(0, end - missing), end).toReversed()) {
        size += line.length
        if (size > BEFORE_SIZE && rows.length > 0)
          return { rows: rows.toReversed(), next: [position, end] }
        // Rows are read here without origins.
        rows.push((await parsed(line)) as [number, Row])
        end--
        missing--
      }
      if (size > BEFORE_SIZE) missing = 0
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
      for (let index = 0; index < body.length;) {
        const part = block.take(body, index)
        rows += part.rows
        index = part.end
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
      throw new DamagedRows(`Rows of execution ${this.#execution} are missing: segment ${index}`)
    return stored.value
  }

  /** A caller that reads in small steps reads the same segment repeatedly, so its lines are cached. */
  async #keptLines(segment: SegmentRecord): Promise<StoredLine[]> {
    if (this.#kept?.blob === segment.blob) return this.#kept.lines
    const lines: StoredLine[] = []
    for await (const line of this.#lines(segment, 0, segment.rows)) lines.push(line)
    this.#kept = { blob: segment.blob, lines }
    return lines
  }

  /**
   * Decodes some lines of a segment, except large ones. The other lines are skipped, because they
   * may be very many or very long.
   */
  async *#lines(segment: SegmentRecord, start: number, end: number): AsyncGenerator<StoredLine> {
    const bytes = await this.#bytes(segment)
    const { Pace } = await import('../../kernel/pace.ts')
    const pace = new Pace()
    const lines: Uint8Array[] = []
    let counted = 0
    let searched = 0
    for (let position = 0; position < bytes.length; counted++) {
      const feed = bytes.indexOf(LINE_FEED, position)
      const stop = feed < 0 ? bytes.length : feed
      if (counted >= start && counted < end) lines.push(bytes.subarray(position, stop))
      position = stop + 1
      if (position - searched < LARGE) continue
      searched = position
      const turn = pace.step()
      if (turn) await turn
    }
    this.#check(segment, counted)
    for (const line of lines) {
      const text = line.length < LARGE ? decoder.decode(line) : line
      const decoded = pace.step()
      if (decoded) await decoded
      yield text
      const rest = pace.step()
      if (rest) await rest
    }
  }

  async #bytes(segment: SegmentRecord): Promise<Uint8Array> {
    const bytes = await this.#blobs.get(segment.blob)
    if (bytes === null)
      throw new DamagedRows(
        `Rows of execution ${this.#execution} are missing: blob ${segment.blob}`,
      )
    return this.#origins?.lines(segment, bytes) ?? rowsPart(segment, bytes)
  }

  #check({ blob, rows }: SegmentRecord, counted: number): void {
    if (counted !== rows)
      throw new DamagedRows(
        `Rows of execution ${this.#execution} are damaged: blob ${blob} has ${counted} of ${rows}`,
      )
  }
}

/** The content of a line: the number of the page, or the origins in its place, and the row. */
type ParsedLine = readonly [beside: number | Row, row: Row]

// Only the worker writes segments, as lines of `[seq, row]`. If origins are wanted, they replace
// `seq`.
function parsedText(line: string): ParsedLine {
  return JSON.parse(line) as ParsedLine
}

async function parsed(line: StoredLine): Promise<ParsedLine> {
  if (typeof line === 'string') return parsedText(line)
  const { parseInSlices } = await import('../common/parse-in-slices.ts')
  return (await parseInSlices(line)) as [number | Row, Row]
}

function rowOf([beside, row]: ParsedLine): Row {
  return typeof beside === 'number' ? row : { ...row, ...beside }
}
