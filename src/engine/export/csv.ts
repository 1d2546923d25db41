import { TEXT_PART } from './format.ts'
import type { ExportFormat } from './format.ts'

/**
 * CSV by RFC 4180, with a header row. Nothing is an empty cell, lists and objects are JSON text,
 * and a cell that a spreadsheet would run as a formula is led by an apostrophe, plain numbers apart
 * (decisions/016-exports.md).
 */
export const csvFormat: ExportFormat = {
  name: 'csv',
  extension: 'csv',
  contentType: 'text/csv; charset=utf-8; header=present',
  compressible: true,
  needsTypes: false,
  keepsObjects: false,
  partSize: TEXT_PART,
  async open(columns) {
    const { openCsv } = await import('./csv/write-csv.ts')
    return openCsv(columns)
  },
  async *assemble(columns, parts) {
    const { assembleCsv } = await import('./csv/write-csv.ts')
    yield* assembleCsv(columns, parts)
  },
}
