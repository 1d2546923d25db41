import type { ExportFormat } from './format.ts'
import { projector } from './project.ts'
import { writeText } from './write-text.ts'
import type { TextParts } from './write-text.ts'

/** One JSON array of rows; a row a line, so that it can still be read by eye. */
export const jsonFormat: ExportFormat = {
  name: 'json',
  extension: 'json',
  contentType: 'application/json',
  compressible: true,
  needsTypes: false,
  write(rows, columns) {
    const project = projector(columns.map(({ name: column }) => column))
    return writeText(rows, { ...ARRAY, row: (row, index) => ARRAY.row(JSON.stringify(project(row)), index) })
  },
  writeLines: (lines) => writeText(lines, ARRAY),
}

const ARRAY: TextParts<string> = {
  head: '[',
  row: (line, index) => (index === 0 ? '\n' : ',\n') + line,
  tail: (count) => (count === 0 ? ']' : '\n]'),
}
