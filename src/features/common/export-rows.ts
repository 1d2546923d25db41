import type { ColumnType } from '../../engine/export/column.ts'
import type { ExportFormat } from '../../engine/export/format.ts'
import { formatOf } from '../../engine/export/formats.ts'
import { inferColumns } from '../../engine/export/infer-columns.ts'
import type { Row } from '../../kernel/json.ts'
import { fileName } from './file-name.ts'
import { pullStream } from './pull-stream.ts'
import type { PullStreamOptions } from './pull-stream.ts'

/** Rows as a file, made while it is read. */
export interface ExportFile {
  readonly name: string
  readonly contentType: string
  /** Breaks with an error if the rest cannot be made. Cancelling it stops the work. */
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>
}

/** What {@link exportRows} writes. */
export interface RowsToExport extends PullStreamOptions {
  /** Name of the format; absent: CSV. */
  readonly format: string | undefined
  readonly columns: readonly string[]
  /**
   * What columns hold, where that is certain. A format that must know of every column reads all rows once more to find out the
   * rest.
   */
  readonly types?: ReadonlyMap<string, ColumnType>
  /** What the rows are called, for the file's name. */
  readonly title: string
  /** Stands for the title where that gives no name. */
  readonly id: string
  /** Rows in batches; not read before the file is. Each call begins at the first row. */
  rows(): AsyncIterable<readonly Row[]>
  /** The same rows as JSON texts, each with exactly the columns, in their order; where they are at hand so. */
  readonly lines?: () => AsyncIterable<readonly string[]>
}

/** Writes rows as a file. @throws {PlatformError} 400 for an unknown format, with the known ones; 429 where the account has as many downloads as it may */
export async function exportRows(wanted: RowsToExport): Promise<ExportFile> {
  const format = formatOf(wanted.format)
  return { name: fileName(wanted.title, wanted.id, format.extension), contentType: format.contentType, body: await pullStream(chunksOf(format, wanted), wanted) }
}

/** Rows are read in small batches, and the event loop has its turns between them. */
async function* chunksOf(format: ExportFormat, { columns, types, rows: read, lines }: RowsToExport): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const { paced } = await import('../../kernel/pace.ts')
  const rows = (): AsyncIterable<readonly Row[]> => paced(read())
  if (lines !== undefined && format.writeLines !== undefined) return yield* format.writeLines(paced(lines()))
  const declared = columns.map((name) => ({ name, type: types?.get(name) ?? null }))
  yield* format.write(rows(), format.needsTypes ? await inferColumns(rows(), declared) : declared)
}
