/** Maximum length of a text that {@link TextParts.has} looks for, in UTF-16 code units. */
const LONGEST_SOUGHT = 200

/**
 * A text in parts, for long texts that are read once from beginning to end. V8 maps separate memory
 * for each string of 128 KiB or more. On some machines this takes many times as long as decoding
 * the text.
 */
export class TextParts {
  /** Number of UTF-16 code units. */
  readonly length: number
  #parts: readonly string[]
  /** The start of each part. */
  #starts: readonly number[]

  constructor(parts: readonly string[]) {
    this.#parts = parts.filter((part) => part !== '')
    let length = 0
    this.#starts = this.#parts.map((part) => (length += part.length) - part.length)
    this.length = length
  }

  /** The parts in their order; none of them is empty. */
  get parts(): readonly string[] {
    return this.#parts
  }

  /**
   * True if the text contains a string, or a match of a pattern without the flags `g` and `y`. The
   * string or match must have at most 200 code units, and must not depend on the text around it.
   *
   * @example
   *   new TextParts(['<ba', 'se href>']).has(/<base\s/) // true
   */
  has(sought: string | RegExp): boolean {
    const isIn = (text: string): boolean =>
      typeof sought === 'string' ? text.includes(sought) : sought.test(text)
    if (this.#parts.some(isIn)) return true
    return this.#starts.some(
      (start) =>
        start > 0 && isIn(this.slice(Math.max(0, start - LONGEST_SOUGHT), start + LONGEST_SOUGHT)),
    )
  }

  /** Returns the same text in parts of at most so many UTF-16 code units. */
  divided(most: number): TextParts {
    if (this.#parts.every(({ length }) => length <= most)) return this
    const pieces: string[] = []
    for (const part of this.#parts)
      for (let start = 0; start < part.length; start += most)
        pieces.push(part.slice(start, start + most))
    return new TextParts(pieces)
  }

  /** Returns the text between two positions from 0 on. */
  slice(start: number, end: number): string {
    let text = ''
    for (let index = this.#indexAt(start); index < this.#parts.length; index++) {
      const from = this.#starts[index] ?? 0
      if (from >= end) break
      text += this.#parts[index]?.slice(Math.max(0, start - from), end - from) ?? ''
    }
    return text
  }

  /** Returns the whole text, and keeps it in place of the parts. */
  toString(): string {
    if (this.#parts.length > 1) {
      this.#parts = [this.#parts.join('')]
      this.#starts = [0]
    }
    return this.#parts[0] ?? ''
  }

  /** The index of the part that has the character at a position. */
  #indexAt(position: number): number {
    let low = 0
    let high = this.#starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#starts[middle] ?? 0) <= position) low = middle
      else high = middle - 1
    }
    return low
  }
}
