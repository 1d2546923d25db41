import type { Row } from '../../kernel/json.ts'
import type { Column } from '../../ports/row-work.ts'
import type { ExportFormat, PartSource, RowWriter } from './format.ts'
import { RowSource } from './row-source.ts'

/** Writes rows as a file on the calling thread, each part on demand. */
export async function* writeRows(
  format: Pick<ExportFormat, 'open' | 'assemble' | 'partSize'>,
  batches: AsyncIterable<readonly Row[]>,
  columns: readonly Column[],
): AsyncIterable<Uint8Array<ArrayBuffer>> {
  const source = new RowSource(batches)
  try {
    yield* format.assemble(
      columns,
      partsOf(source, await format.open(columns), format.partSize.rows),
    )
  } finally {
    await source.close()
  }
}

function partsOf(source: RowSource, writer: RowWriter, size: number): PartSource {
  return {
    async next(first, most) {
      const rows: Row[] = []
      while (rows.length < Math.min(size, most)) {
        const row = source.take()
        if (row !== undefined) rows.push(row)
        else if (!(await source.hasMore())) break
      }
      return rows.length === 0 ? null : writer.part(rows, first)
    },
    end: async (parts) => writer.end?.(parts) ?? { chunks: [], rows: 0 },
  }
}
