import type { Row } from '../../kernel/json.ts'

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
