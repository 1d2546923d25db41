import type { PartSize } from '../../engine/export/format.ts'
import { joined } from '../../kernel/bytes.ts'
import type { RowBlock } from '../../ports/row-work.ts'

const LINE_FEED = 10
const END = Uint8Array.of(LINE_FEED)

/**
 * Puts lines together to blocks of about one size, however many lines their sources have. Nothing
 * of them is read but where they end.
 */
export class BlockBuilder {
  readonly #size: PartSize
  #pieces: Uint8Array[] = []
  #bytes = 0
  #rows = 0

  constructor(size: PartSize) {
    this.#size = size
  }

  /** Lines that the next block has so far. */
  get rows(): number {
    return this.#rows
  }

  /** Whether it is large enough where putting more to it would copy what it has. */
  get isAmple(): boolean {
    return this.#bytes >= this.#size.bytes / 4 || this.isFull
  }

  get isFull(): boolean {
    return this.#rows >= this.#size.rows || this.#bytes >= this.#size.bytes
  }

  /**
   * Takes lines from a place on, as many as still belong to the block: how many they are, and where
   * they end.
   */
  take(body: Uint8Array, start: number): { readonly rows: number; readonly end: number } {
    let [at, rows] = [start, 0]
    while (
      at < body.length &&
      this.#rows + rows < this.#size.rows &&
      this.#bytes + at - start < this.#size.bytes
    ) {
      const feed = body.indexOf(LINE_FEED, at)
      at = feed < 0 ? body.length : feed + 1
      rows++
    }
    this.#add(body.subarray(start, at))
    // The next line may come from elsewhere.
    if (body[at - 1] !== LINE_FEED) this.#add(END)
    this.#rows += rows
    return { rows, end: at }
  }

  /** The block; the next one begins empty. */
  build(): RowBlock {
    const block = { body: joined(this.#pieces, this.#bytes), rows: this.#rows }
    this.#pieces = []
    this.#bytes = 0
    this.#rows = 0
    return block
  }

  #add(piece: Uint8Array): void {
    this.#pieces.push(piece)
    this.#bytes += piece.length
  }
}
