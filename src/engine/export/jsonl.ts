import type { Row } from '../../kernel/json.ts'
import { chunked, sliced } from './chunks.ts'
import type { ExportFormat } from './format.ts'
import { projector } from './project.ts'

/** JSON Lines: one row a line, each line ended by a line feed. */
export const jsonlFormat: ExportFormat = {
  name: 'jsonl',
  extension: 'jsonl',
  contentType: 'application/x-ndjson',
  write: (rows, columns) => chunked(lines(rows, columns)),
}

async function* lines(rows: AsyncIterable<readonly Row[]>, columns: readonly string[]): AsyncGenerator<string> {
  const project = projector(columns)
  for await (const slice of sliced(rows)) {
    let text = ''
    for (const row of slice) text += `${JSON.stringify(project(row))}\n`
    yield text
  }
}
