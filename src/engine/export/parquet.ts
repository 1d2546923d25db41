import type { ExportFormat } from './format.ts'

/**
 * Apache Parquet, every column optional: UTF-8 text, doubles, 64-bit integers, booleans, dates as
 * timestamps in milliseconds, in UTC; lists, objects and columns of several kinds of values as
 * JSON. Compressed by Snappy.
 */
export const parquetFormat: ExportFormat = {
  name: 'parquet',
  extension: 'parquet',
  contentType: 'application/vnd.apache.parquet',
  compressible: false,
  needsTypes: true,
  keepsObjects: false,
  // A row group.
  partSize: { rows: 10_000, bytes: 4_000_000 },
  async open(columns) {
    const { openGroups } = await import('./parquet/write-parquet.ts')
    return openGroups(columns)
  },
  async *assemble(_, parts) {
    const { assembleGroups } = await import('./parquet/write-parquet.ts')
    yield* assembleGroups(parts)
  },
}
