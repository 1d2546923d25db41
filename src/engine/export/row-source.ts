import type { Row } from '../../kernel/json.ts'
import { joined } from '../../kernel/bytes.ts'

/** Rows one by one, out of batches; what is at hand costs no promise. */
export class RowSource {
  readonly #batches: AsyncIterator<readonly Row[]>
  #batch: readonly Row[] = []
  #at = 0

  constructor(batches: AsyncIterable<readonly Row[]>) {
    this.#batches = batches[Symbol.asyncIterator]()
  }

  /** The next row, if it is at hand. */
  take(): Row | undefined {
    return this.#at < this.#batch.length ? this.#batch[this.#at++] : undefined
  }

  /** Whether there are more rows; afterwards one is at hand if so. */
  async hasMore(): Promise<boolean> {
    while (this.#at >= this.#batch.length) {
      const { done, value } = await this.#batches.next()
      if (done) return false
      this.#batch = value
      this.#at = 0
    }
    return true
  }

  async close(): Promise<void> {
    await this.#batches.return?.()
  }
}

const CHUNK_BYTES = 65_536

/**
 * The same bytes in chunks of `size` to twice that, the last one apart: smaller ones are costly to
 * carry, larger ones are held in memory. Small chunks are put together. Large ones are divided,
 * which copies nothing. What fails takes the unfinished chunk with it.
 */
export async function* regroup(
  chunks: AsyncIterable<Uint8Array<ArrayBuffer>>,
  size = CHUNK_BYTES,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let pending: Uint8Array<ArrayBuffer>[] = []
  let length = 0
  for await (const chunk of chunks) {
    // What is pending takes as much as it needs, and the rest stays whole.
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

/** Bytes in equal pieces; none, where they are too few. */
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
