import { createExactLines } from './exact-line.ts'
import type { ExportFormat } from './format.ts'
import { projector } from './project.ts'
import { TEXT_PART, textAssembly, textParts } from './text-format.ts'

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
    const names = columns.map(({ name }) => name)
    const project = projector(names)
    const exact = createExactLines(names)
    return {
      part: textParts((row, index) => item(JSON.stringify(project(row)), index)),
      lines: textParts((row, index) => item(exact(row), index)),
    }
  },
  ...textAssembly(() => '[', (rows) => (rows === 0 ? ']' : '\n]')),
}

function item(line: string, index: number): string {
  return (index === 0 ? '\n' : ',\n') + line
}
