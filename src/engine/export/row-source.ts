import type { Row } from '../../kernel/json.ts'
import { joined } from '../../kernel/bytes.ts'
import type { Column } from '../../ports/row-work.ts'
import type { ExportFormat, PartSource, RowWriter } from './format.ts'

/** Reads rows one by one from batches. A row that is already loaded costs no promise. */
export class RowSource {
  readonly #batches: AsyncIterator<readonly Row[]>
  #batch: readonly Row[] = []
  #position = 0

  constructor(batches: AsyncIterable<readonly Row[]>) {
    this.#batches = batches[Symbol.asyncIterator]()
  }

  /** Returns the next row if it is loaded. */
  take(): Row | undefined {
    return this.#position < this.#batch.length ? this.#batch[this.#position++] : undefined
  }

  /** True if there are more rows. The next row is then loaded. */
  async hasMore(): Promise<boolean> {
    while (this.#position >= this.#batch.length) {
      const { done, value } = await this.#batches.next()
      if (done) return false
      this.#batch = value
      this.#position = 0
    }
    return true
  }

  async close(): Promise<void> {
    await this.#batches.return?.()
  }
}

const CHUNK_BYTES = 65_536

/**
 * Yields the same bytes in chunks of `size` to twice that size; only the last may be smaller.
 * Smaller chunks are costly to pass on, larger ones occupy memory. Small chunks are joined. Large
 * chunks are divided without copying. An error discards the unfinished chunk.
 */
export async function* regroup(
  chunks: AsyncIterable<Uint8Array<ArrayBuffer>>,
  size = CHUNK_BYTES,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let pending: Uint8Array<ArrayBuffer>[] = []
  let length = 0
  for await (const chunk of chunks) {
    // The pending chunk takes what it needs, and the rest is not copied.
    const rest = length === 0 ? chunk : chunk.subarray(size - length)
    if (length > 0) {
      pending.push(chunk.subarray(0, size - length))
      length = Math.min(size, length + chunk.length)
      if (length < size) continue
      yield joined(pending, length)
    }
    yield* divided(rest, size)
    pending = rest.length < size ? [rest] : []
    length = rest.length < size ? rest.length : 0
  }
  if (length > 0) yield joined(pending, length)
}

/** Yields bytes in equal pieces, or nothing if there are too few. */
function* divided(
  bytes: Uint8Array<ArrayBuffer>,
  size: number,
): Generator<Uint8Array<ArrayBuffer>> {
  const pieces = Math.floor(bytes.length / size)
  for (let piece = 0; piece < pieces; piece++) {
    yield bytes.subarray(
      Math.floor((bytes.length * piece) / pieces),
      Math.floor((bytes.length * (piece + 1)) / pieces),
    )
  }
}

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
