import type { RowsPart } from '../../ports/row-work.ts'
import type { PartSource } from './format.ts'
import { regroup } from './row-source.ts'

const SPARE_BYTES = 16_384
const encoder = new TextEncoder()

/**
 * Returns a function that writes rows as a part of a text. The size of the last part is the
 * estimate for the next, so that a buffer rarely has to grow.
 */
export function textParts<R>(
  row: (row: R, index: number) => string,
): (rows: Iterable<R>, first: number) => RowsPart {
  let expected = 0
  return (rows, first) => {
    const bytes = new TextBytes(Infinity, expected)
    let index = first
    for (const values of rows) bytes.push(row(values, index++))
    const whole = bytes.rest()
    expected = (whole?.length ?? 0) + SPARE_BYTES
    return { chunks: whole ? [whole] : [], rows: index - first }
  }
}

/** Assembles a text from a head, its parts and a tail. */
export function assembleText(
  head: string,
  parts: PartSource,
  tail: (rows: number) => string,
): AsyncIterable<Uint8Array<ArrayBuffer>> {
  return regroup(between(head, parts, tail))
}

async function* between(
  head: string,
  parts: PartSource,
  tail: (rows: number) => string,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  yield encoder.encode(head)
  let rows = 0
  for (
    let part = await parts.next(0, Infinity);
    part !== null;
    part = await parts.next(rows, Infinity)
  ) {
    rows += part.rows
    yield* part.chunks
  }
  yield encoder.encode(tail(rows))
}

/** Characters that are joined before they become bytes. */
const PIECE = 4_096
/** Maximum UTF-8 bytes per UTF-16 code unit. */
const BYTES_A_UNIT = 3
/** Growth factor of a full chunk. */
const GROWTH = 1.5

/**
 * Encodes text as bytes in chunks. Text is encoded early: a joined string is a tree of all its
 * pieces, and if a whole chunk's tree is alive when the runtime collects young garbage, it stays
 * until a full collection. Memory would then grow with the rows.
 */
export class TextBytes {
  readonly #size: number
  readonly #expected: number
  #chunk = new Uint8Array(0)
  #used = 0
  #text = ''

  /** `size`: minimum bytes of a chunk; `expected`: its usual bytes. */
  constructor(size: number, expected = size + 2 * PIECE * BYTES_A_UNIT) {
    this.#size = size
    this.#expected = expected
  }

  /** Adds text, which must not end within a surrogate pair. Returns a chunk when one is full. */
  push(text: string): Uint8Array<ArrayBuffer> | null {
    this.#text += text
    if (this.#text.length < PIECE) return null
    this.#encode()
    return this.#used < this.#size ? null : this.#takeChunk()
  }

  /** Returns the remaining bytes, or `null`. */
  rest(): Uint8Array<ArrayBuffer> | null {
    this.#encode()
    return this.#used === 0 ? null : this.#takeChunk()
  }

  #encode(): void {
    const most = this.#used + this.#text.length * BYTES_A_UNIT
    if (most > this.#chunk.length) {
      const larger = new Uint8Array(Math.max(most, this.#expected, this.#chunk.length * GROWTH))
      larger.set(this.#chunk.subarray(0, this.#used))
      this.#chunk = larger
    }
    this.#used += encoder.encodeInto(this.#text, this.#chunk.subarray(this.#used)).written
    this.#text = ''
  }

  #takeChunk(): Uint8Array<ArrayBuffer> {
    const chunk = this.#chunk.subarray(0, this.#used)
    this.#chunk = new Uint8Array(0)
    this.#used = 0
    return chunk
  }
}
