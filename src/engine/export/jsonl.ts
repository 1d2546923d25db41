import { createExactLines } from './exact-line.ts'
import type { ExportFormat } from './format.ts'
import { projector } from './project.ts'
import { TEXT_PART, textAssembly, textParts } from './text-format.ts'

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
    const names = columns.map(({ name }) => name)
    const project = projector(names)
    const exact = createExactLines(names)
    return {
      part: textParts((row) => `${JSON.stringify(project(row))}\n`),
      lines: textParts((row) => `${exact(row)}\n`),
    }
  },
  ...textAssembly(() => '', () => ''),
}
