import { formatOf } from '../../engine/export/formats.ts'
import type { Row } from '../../kernel/json.ts'
import { fileName } from './file-name.ts'
import { pullStream } from './pull-stream.ts'

/** Rows as a file, made while it is read. */
export interface ExportFile {
  readonly name: string
  readonly contentType: string
  /** Breaks with an error if the rest cannot be made. Cancelling it stops the work. */
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>
}

/** What {@link exportRows} writes. */
export interface RowsToExport {
  /** Name of the format; absent: CSV. */
  readonly format: string | undefined
  readonly columns: readonly string[]
  /** What the rows are called, for the file's name. */
  readonly title: string
  /** Stands for the title where that gives no name. */
  readonly id: string
  /** Rows in batches; not read before the file is. */
  rows(): AsyncIterable<readonly Row[]>
}

/** Writes rows as a file. @throws {PlatformError} 400 for an unknown format, with the known ones */
export async function exportRows({ format: name, columns, title, id, rows }: RowsToExport): Promise<ExportFile> {
  const format = formatOf(name)
  return { name: fileName(title, id, format.extension), contentType: format.contentType, body: await pullStream(format.write(rows(), columns)) }
}
