import type { ExportFormat } from './format.ts'

/**
 * Apache Parquet, every column optional: UTF-8 text, doubles, 64-bit integers, booleans, dates as timestamps in milliseconds, in UTC; lists,
 * objects and columns of several kinds of values as JSON. Compressed by Snappy.
 */
export const parquetFormat: ExportFormat = {
  name: 'parquet',
  extension: 'parquet',
  contentType: 'application/vnd.apache.parquet',
  compressible: false,
  needsTypes: true,
  async *write(rows, columns) {
    const { writeParquet } = await import('./parquet/write-parquet.ts')
    yield* writeParquet(rows, columns)
  },
}
