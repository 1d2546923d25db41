import type { ExportFormat } from './format.ts'
import { projector } from './project.ts'
import { writeText } from './write-text.ts'

/** JSON Lines: one row a line, each line ended by a line feed. */
export const jsonlFormat: ExportFormat = {
  name: 'jsonl',
  extension: 'jsonl',
  contentType: 'application/x-ndjson',
  compressible: true,
  needsTypes: false,
  write(rows, columns) {
    const project = projector(columns.map(({ name: column }) => column))
    return writeText(rows, { head: '', row: (row) => `${JSON.stringify(project(row))}\n`, tail: () => '' })
  },
  writeLines: (lines) => writeText(lines, { head: '', row: (line) => `${line}\n`, tail: () => '' }),
}
