import type { ExportFormat } from './format.ts'
import { projector } from './project.ts'
import { writeText } from './write-text.ts'

/** JSON Lines: one row a line, each line ended by a line feed. */
export const jsonlFormat: ExportFormat = {
  name: 'jsonl',
  extension: 'jsonl',
  contentType: 'application/x-ndjson',
  write(rows, columns) {
    const project = projector(columns)
    return writeText(rows, { head: '', row: (row) => `${JSON.stringify(project(row))}\n`, tail: () => '' })
  },
}
