import type { RowsPart } from '../../ports/row-work.ts'
import type { PartSource } from './format.ts'
import { regroup } from './row-source.ts'

const SPARE_BYTES = 16_384
const encoder = new TextEncoder()

/**
 * Gives what makes rows a part of a text. What a part took is what the next one is thought to take,
 * so that it is seldom moved while it grows.
 */
export function textParts<R>(
  row: (row: R, index: number) => string,
): (rows: Iterable<R>, first: number) => RowsPart {
  let expected = 0
  return (rows, first) => {
    const bytes = new TextBytes(Infinity, expected)
    let index = first
    for (const one of rows) bytes.push(row(one, index++))
    const whole = bytes.rest()
    expected = (whole?.length ?? 0) + SPARE_BYTES
    return { chunks: whole ? [whole] : [], rows: index - first }
  }
}

/** Parts of a text between a head and a tail. */
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

/** Characters put together before they become bytes. */
const PIECE = 4_096
/** A code unit of UTF-16 takes so many bytes of UTF-8 at most. */
const BYTES_A_UNIT = 3
/** How much larger a chunk becomes that has no room left. */
const GROWTH = 1.5

/**
 * Text as bytes, in chunks. It becomes bytes early: text that is put together is a tree of all its
 * pieces, and what of the tree of a whole chunk is alive when the runtime collects its young
 * garbage stays until it collects all of it, so that memory grows with the rows.
 */
export class TextBytes {
  readonly #size: number
  readonly #expected: number
  #chunk = new Uint8Array(0)
  #used = 0
  #text = ''

  /** `size`: bytes that a chunk has at least; `expected`: those that it most often has. */
  constructor(size: number, expected = size + 2 * PIECE * BYTES_A_UNIT) {
    this.#size = size
    this.#expected = expected
  }

  /**
   * Takes more text, which must not end within a pair of surrogates; gives a chunk when one is
   * full.
   */
  push(text: string): Uint8Array<ArrayBuffer> | null {
    this.#text += text
    if (this.#text.length < PIECE) return null
    this.#encode()
    return this.#used < this.#size ? null : this.#taken()
  }

  /** What is left; `null`: nothing is. */
  rest(): Uint8Array<ArrayBuffer> | null {
    this.#encode()
    return this.#used === 0 ? null : this.#taken()
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

  #taken(): Uint8Array<ArrayBuffer> {
    const taken = this.#chunk.subarray(0, this.#used)
    this.#chunk = new Uint8Array(0)
    this.#used = 0
    return taken
  }
}
