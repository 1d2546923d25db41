import type { Row } from '../../kernel/json.ts'
import type { Column, RowsPart } from '../../ports/row-work.ts'

/** The size of a part of a file: maximum number of rows and of their stored bytes. */
export interface PartSize {
  readonly rows: number
  readonly bytes: number
}

/** The size of a part of a text file: a few milliseconds of work. */
export const TEXT_PART: PartSize = { rows: 4_000, bytes: 262_144 }

/** Facts about a part that the end of the file needs, with the part's position in the file. */
export interface NotedPart {
  readonly note: Uint8Array<ArrayBuffer>
  readonly at: number
}

/** Writes parts of one file. It keeps no state between parts, so any thread can write any part. */
export interface RowWriter {
  /** `first`: the number of the first row, as the assembly requested it. */
  part(rows: Iterable<Row>, first: number): RowsPart
  /**
   * Like `part`, for rows given as `JSON.stringify` texts. Present if the format can use such texts
   * unchanged.
   */
  readonly lines?: (rows: Iterable<string>, first: number) => RowsPart
  /** Writes the end of a file. Present if the end depends on the parts. */
  readonly end?: (parts: readonly NotedPart[]) => RowsPart
}

/** The source of an assembly's parts. */
export interface PartSource {
  /**
   * Returns the next part with at most `most` rows, numbered from `first`, or `null` if no rows are
   * left.
   */
  next(first: number, most: number): Promise<RowsPart | null>
  /** Returns the result of {@link RowWriter.end}. */
  end(parts: readonly NotedPart[]): Promise<RowsPart>
}

/**
 * A file format for rows. Making parts out of rows is the costly step; joining the parts costs
 * almost nothing.
 */
export interface ExportFormat {
  /** The name in `format=`. */
  readonly name: string
  /** The file extension without the dot. */
  readonly extension: string
  readonly contentType: string
  /** True if gzip makes the file smaller. False for formats that are already compressed. */
  readonly compressible: boolean
  /** True if every column's type must be known before the first row is written. */
  readonly needsTypes: boolean
  /** True if nested objects are written as structure and not as the text of a cell. */
  readonly keepsObjects: boolean
  readonly partSize: PartSize
  /** Opens a writer for the given columns, in their order. */
  open(columns: readonly Column[]): Promise<RowWriter>
  /**
   * Yields the file in chunks of about 64 KiB, on demand and in constant memory. Without rows the
   * file is still valid. After an error the chunks stop before the end of the file is written.
   */
  assemble(columns: readonly Column[], parts: PartSource): AsyncIterable<Uint8Array<ArrayBuffer>>
}
