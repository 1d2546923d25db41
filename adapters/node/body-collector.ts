/** From this size on, in bytes, the parts are copied into one buffer while they come. */
const LARGE_BYTES = 512 * 1_024

/**
 * Collects the parts of a body. Joining ten megabytes at their end would block the event loop for
 * some 20 ms, so the parts of a large body are joined one by one. A server that announces a long
 * body and sends little of it costs no memory.
 */
export class BodyCollector {
  readonly #announced: number
  readonly #maxBytes: number
  /** Parts that are not yet joined. */
  #parts: Uint8Array[] = []
  #joined: Uint8Array | null = null
  /** The last joined part. The parser may still use it. */
  #last: Uint8Array | null = null
  #length = 0

  /**
   * `announced`: the value of `Content-Length`, or 0. No more than `maxBytes` are collected, but
   * {@link length} counts all.
   */
  constructor(announced: number, maxBytes: number) {
    this.#announced = announced
    this.#maxBytes = maxBytes
  }

  /** Number of bytes that came. */
  get length(): number {
    return this.#length
  }

  add(part: Uint8Array): void {
    if (this.#last !== null) free(this.#last)
    this.#last = null
    const from = this.#length
    this.#length += part.byteLength
    if (from >= this.#maxBytes) return
    if (this.#joined === null && this.#length <= LARGE_BYTES) {
      this.#parts.push(part)
      return
    }
    const bytes = this.#withRoom(from)
    bytes.set(part.subarray(0, bytes.byteLength - from), from)
    this.#last = part
  }

  /**
   * The first bytes, all if there are no more than `maxBytes`. Nothing may be added afterwards. The
   * memory has no other user: Node reads each part into memory of its own.
   */
  whole(): Uint8Array {
    const length = Math.min(this.#length, this.#maxBytes)
    if (this.#joined !== null) return this.#joined.subarray(0, length)
    const [first] = this.#parts
    if (first === undefined) return new Uint8Array(0)
    if (this.#parts.length === 1) return new Uint8Array(first.buffer, first.byteOffset, length)
    const bytes = new Uint8Array(length)
    this.#join(bytes)
    return bytes
  }

  /** The joined bytes, with room for all that may be collected so far. `from`: as many are there. */
  #withRoom(from: number): Uint8Array {
    const needed = Math.min(this.#length, this.#maxBytes)
    const earlier = this.#joined
    if (earlier !== null && earlier.byteLength >= needed) return earlier
    const size = this.#announced >= needed ? this.#announced : 2 * needed
    const bytes = new Uint8Array(Math.min(size, this.#maxBytes))
    if (earlier === null) this.#join(bytes)
    else {
      bytes.set(earlier.subarray(0, from))
      free(earlier)
    }
    this.#joined = bytes
    return bytes
  }

  /**
   * Moves the waiting parts. Their memory is freed at once, except that of the last one: otherwise
   * the parts of large pages would start the garbage collector many times, and each collection
   * blocks the event loop for up to 30 ms.
   */
  #join(bytes: Uint8Array): void {
    let index = 0
    for (const part of this.#parts) {
      bytes.set(part.subarray(0, bytes.byteLength - index), index)
      index += part.byteLength
    }
    for (const part of this.#parts.slice(0, -1)) free(part)
    this.#parts = []
  }
}

/** A part that shares its memory with others is left to the collector. */
function free({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}
