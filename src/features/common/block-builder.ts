import type { PartSize } from '../../engine/export/format.ts'
import { joined } from '../../kernel/bytes.ts'
import type { RowBlock } from '../../ports/row-work.ts'

const LINE_FEED = 10
const END = Uint8Array.of(LINE_FEED)

/**
 * Joins lines to blocks of about the same size, whatever the size of their sources. It reads only
 * the positions of line ends.
 */
export class BlockBuilder {
  readonly #size: PartSize
  #pieces: Uint8Array[] = []
  #bytes = 0
  #rows = 0

  constructor(size: PartSize) {
    this.#size = size
  }

  /** Number of lines in the next block so far. */
  get rows(): number {
    return this.#rows
  }

  /** True if the block is large enough to be built now. Adding lines would copy its bytes. */
  get isAmple(): boolean {
    return this.#bytes >= this.#size.bytes / 4 || this.isFull
  }

  get isFull(): boolean {
    return this.#rows >= this.#size.rows || this.#bytes >= this.#size.bytes
  }

  /**
   * Adds lines from an offset on, as many as fit into the block. Returns their number and the end
   * offset.
   */
  take(body: Uint8Array, start: number): { readonly rows: number; readonly end: number } {
    let [position, rows] = [start, 0]
    while (
      position < body.length &&
      this.#rows + rows < this.#size.rows &&
      this.#bytes + position - start < this.#size.bytes
    ) {
      const feed = body.indexOf(LINE_FEED, position)
      position = feed < 0 ? body.length : feed + 1
      rows++
    }
    this.#add(body.subarray(start, position))
    // Ends the current line, because the next one may come from another source.
    if (body[position - 1] !== LINE_FEED) this.#add(END)
    this.#rows += rows
    return { rows, end: position }
  }

  /** Returns the block and starts a new one. */
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
