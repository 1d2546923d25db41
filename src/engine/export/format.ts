import type { Row } from '../../kernel/json.ts'
import type { Column, RowsPart } from '../../ports/row-work.ts'

/**
 * How large a part of a file is, in what it is made of: at most so many rows, and bytes of them as
 * they are stored.
 */
export interface PartSize {
  readonly rows: number
  readonly bytes: number
}

/** A part of a text: a few milliseconds of work. */
export const TEXT_PART: PartSize = { rows: 4_000, bytes: 262_144 }

/** What a file's end has to know of each part, and where in the file that begins. */
export interface NotedPart {
  readonly note: Uint8Array<ArrayBuffer>
  readonly at: number
}

/**
 * Makes parts of one file. It keeps nothing from one part to the next, so that any thread can make
 * any part.
 */
export interface RowWriter {
  /** `first`: the number of the first row, as the assembly asked for it. */
  part(rows: Iterable<Row>, first: number): RowsPart
  /**
   * The same of rows that are texts as `JSON.stringify` writes them; where the format can take them
   * as they are.
   */
  readonly lines?: (rows: Iterable<string>, first: number) => RowsPart
  /** The end of a file; where it depends on what is in the parts. */
  readonly end?: (parts: readonly NotedPart[]) => RowsPart
}

/** Where an assembly has its parts from. */
export interface PartSource {
  /**
   * The next part, of at most `most` rows, the first of them numbered `first`. `null`: there are no
   * more rows.
   */
  next(first: number, most: number): Promise<RowsPart | null>
  /** What {@link RowWriter.end} makes. */
  end(parts: readonly NotedPart[]): Promise<RowsPart>
}

/**
 * One kind of file that rows can be written as. Rows become parts, which is work; an assembly joins
 * them, which is none.
 */
export interface ExportFormat {
  /** What `format=` names it. */
  readonly name: string
  /** Without the dot. */
  readonly extension: string
  readonly contentType: string
  /** Whether gzip makes the file smaller; what is compressed by itself stays as it is. */
  readonly compressible: boolean
  /** Whether every column's type must be known before the first row is written. */
  readonly needsTypes: boolean
  /** Whether an object of a row is written as such, and not as the text of a cell. */
  readonly keepsObjects: boolean
  readonly partSize: PartSize
  /** Of each row the given columns are written, in their order. */
  open(columns: readonly Column[]): Promise<RowWriter>
  /**
   * The file in chunks of about 64 KiB, made as they are asked for, in constant memory. No rows
   * make a valid file too. What fails breaks the chunks off before the end of the file is written.
   */
  assemble(columns: readonly Column[], parts: PartSource): AsyncIterable<Uint8Array<ArrayBuffer>>
}
