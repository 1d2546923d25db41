import type { Row } from '../../kernel/json.ts'
import type { Column } from './column.ts'

/** One kind of file that rows can be written as. */
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
  /**
   * The file in chunks of about 64 KiB, made as they are asked for, in constant memory. No rows make a valid file too.
   * Of each row the given columns are written, in their order. What fails breaks the chunks off before the end of the file
   * is written.
   */
  write(rows: AsyncIterable<readonly Row[]>, columns: readonly Column[]): AsyncIterable<Uint8Array<ArrayBuffer>>
  /** The same of rows that are JSON texts with exactly these columns, in this order; where the format can take them as they are. */
  readonly writeLines?: (lines: AsyncIterable<readonly string[]>) => AsyncIterable<Uint8Array<ArrayBuffer>>
}
