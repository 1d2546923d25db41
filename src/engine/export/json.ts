import { TEXT_PART } from './format.ts'
import type { ExportFormat } from './format.ts'

/** One JSON array of rows; a row a line, so that it can still be read by eye. */
export const jsonFormat: ExportFormat = {
  name: 'json',
  extension: 'json',
  contentType: 'application/json',
  compressible: true,
  needsTypes: false,
  keepsObjects: true,
  partSize: TEXT_PART,
  async open(columns) {
    const { openJson } = await import('./json/write-json.ts')
    return openJson(columns)
  },
  async *assemble(columns, parts) {
    const { assembleJson } = await import('./json/write-json.ts')
    yield* assembleJson(columns, parts)
  },
}
