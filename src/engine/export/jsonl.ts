import { TEXT_PART } from './format.ts'
import type { ExportFormat } from './format.ts'

/** JSON Lines: one row a line, each line ended by a line feed. */
export const jsonlFormat: ExportFormat = {
  name: 'jsonl',
  extension: 'jsonl',
  contentType: 'application/x-ndjson',
  compressible: true,
  needsTypes: false,
  keepsObjects: true,
  partSize: TEXT_PART,
  async open(columns) {
    const { openJsonLines } = await import('./json/write-json.ts')
    return openJsonLines(columns)
  },
  async *assemble(columns, parts) {
    const { assembleJsonLines } = await import('./json/write-json.ts')
    yield* assembleJsonLines(columns, parts)
  },
}
