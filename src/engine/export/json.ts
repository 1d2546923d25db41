import type { Row } from '../../kernel/json.ts'
import { chunked, sliced } from './chunks.ts'
import type { ExportFormat } from './format.ts'
import { projector } from './project.ts'

/** One JSON array of rows; a row a line, so that it can still be read by eye. */
export const jsonFormat: ExportFormat = {
  name: 'json',
  extension: 'json',
  contentType: 'application/json',
  write: (rows, columns) => chunked(pieces(rows, columns)),
}

async function* pieces(rows: AsyncIterable<readonly Row[]>, columns: readonly string[]): AsyncGenerator<string> {
  const project = projector(columns)
  let before = '[\n'
  for await (const slice of sliced(rows)) {
    let text = ''
    for (const row of slice) {
      text += before + JSON.stringify(project(row))
      before = ',\n'
    }
    yield text
  }
  yield before === '[\n' ? '[]' : '\n]'
}
