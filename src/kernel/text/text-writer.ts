import { joinedInSlices } from '../pace.ts'
import type { Pace } from '../pace.ts'

/** Bytes of a further part, if the texts are longer than expected. */
const MORE = 1_048_576

const encoder = new TextEncoder()

/**
 * Writes texts as UTF-8, one after the other. If they have the expected length, each is encoded to
 * its final place and not copied, because a body may have tens of megabytes.
 */
export class TextWriter {
  readonly #full: Uint8Array<ArrayBuffer>[] = []
  #part: Uint8Array<ArrayBuffer>
  #end = 0
  #length = 0

  /** `expected`: about how many bytes all texts have. */
  constructor(expected: number) {
    this.#part = new Uint8Array(expected)
  }

  /** Bytes written. */
  get length(): number {
    return this.#length
  }

  /** Adds a text. A surrogate pair must not be split between two texts. */
  write(text: string): void {
    for (let rest = text; rest !== '';) {
      const { read, written } = encoder.encodeInto(rest, this.#part.subarray(this.#end))
      this.#end += written
      this.#length += written
      if (read === rest.length) return
      this.#full.push(this.#part.subarray(0, this.#end))
      this.#part = new Uint8Array(MORE)
      this.#end = 0
      rest = rest.slice(read)
    }
  }

  /** Writes bytes as they are. */
  writeBytes(bytes: Uint8Array): void {
    if (this.#end + bytes.length > this.#part.length) {
      this.#full.push(this.#part.subarray(0, this.#end))
      this.#part = new Uint8Array(bytes.length)
      this.#end = 0
    }
    this.#part.set(bytes, this.#end)
    this.#end += bytes.length
    this.#length += bytes.length
  }

  /** All bytes as one array. Call it once, at the end. */
  async joined(pace: Pace): Promise<Uint8Array<ArrayBuffer>> {
    const last = this.#part.subarray(0, this.#end)
    return this.#full.length === 0
      ? last
      : joinedInSlices([...this.#full, last], this.#length, pace)
  }
}
