import type { ExportFormat } from './format.ts'
import { projector } from './project.ts'
import { writeText } from './write-text.ts'

/** One JSON array of rows; a row a line, so that it can still be read by eye. */
export const jsonFormat: ExportFormat = {
  name: 'json',
  extension: 'json',
  contentType: 'application/json',
  write(rows, columns) {
    const project = projector(columns)
    return writeText(rows, {
      head: '[',
      row: (row, index) => (index === 0 ? '\n' : ',\n') + JSON.stringify(project(row)),
      tail: (count) => (count === 0 ? ']' : '\n]'),
    })
  },
}
