import type { Row } from '../../kernel/json.ts'

/** One kind of file that rows can be written as. */
export interface ExportFormat {
  /** What `format=` names it. */
  readonly name: string
  /** Without the dot. */
  readonly extension: string
  readonly contentType: string
  /**
   * The file in chunks of about 64 KiB, made as they are asked for, in constant memory. No rows make a valid file too.
   * Of each row the given columns are written, in their order.
   */
  write(rows: AsyncIterable<readonly Row[]>, columns: readonly string[]): AsyncIterable<Uint8Array<ArrayBuffer>>
}
