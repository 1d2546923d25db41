import { TEXT_PART } from './format.ts'
import type { ExportFormat } from './format.ts'

/**
 * A workbook of Excel (ECMA-376). Numbers, booleans and dates are typed cells, everything else is
 * text and never a formula; lists and objects are JSON text. Dates with a zone are shown in UTC.
 * Texts beyond 32,767 characters are cut and say so; rows beyond a sheet's 1,048,575 go on in
 * further sheets.
 */
export const xlsxFormat: ExportFormat = {
  name: 'xlsx',
  extension: 'xlsx',
  contentType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  compressible: false,
  needsTypes: false,
  keepsObjects: false,
  partSize: TEXT_PART,
  async open(columns) {
    const { openSheet } = await import('./xlsx/write-workbook.ts')
    return openSheet(columns)
  },
  async *assemble(columns, parts) {
    const { assembleWorkbook } = await import('./xlsx/write-workbook.ts')
    yield* assembleWorkbook(columns, parts)
  },
}
