/** No text that {@link TextParts.has} looks for is longer, in UTF-16 code units. */
const LONGEST_SOUGHT = 200

/**
 * A text in parts, for texts that are read once from begin to end. V8 keeps strings from 128 KiB on
 * in memory of their own, which is slow to get: a page of 200 KB is decoded 40 times as fast in
 * parts.
 */
export class TextParts {
  readonly parts: readonly string[]
  /** Number of UTF-16 code units. */
  readonly length: number
  #whole: string | undefined

  constructor(parts: readonly string[]) {
    this.parts = parts
    this.length = parts.reduce((sum, { length }) => sum + length, 0)
  }

  /**
   * True if the text contains a string, or a match of a pattern without the flags `g` and `y`. The
   * match has at most 200 code units, and needs nothing around it.
   *
   * @example
   *   new TextParts(['<ba', 'se href>']).has(/<base\s/) // true
   */
  has(sought: string | RegExp): boolean {
    const isIn = (text: string): boolean =>
      typeof sought === 'string' ? text.includes(sought) : sought.test(text)
    if (this.parts.some(isIn)) return true
    return this.parts.some((_, index) => index > 0 && isIn(this.#seam(index)))
  }

  /** Returns the text between two positions, like `String.prototype.slice` with positive ones. */
  slice(start: number, end: number): string {
    let text = ''
    let from = 0
    for (const part of this.parts) {
      if (from >= end) break
      if (from + part.length > start) text += part.slice(Math.max(0, start - from), end - from)
      from += part.length
    }
    return text
  }

  /** The whole text; it is put together once. */
  toString(): string {
    return (this.#whole ??= this.parts.join(''))
  }

  /** The text around the border before a part. */
  #seam(index: number): string {
    const border = this.parts.slice(0, index).reduce((sum, { length }) => sum + length, 0)
    return this.slice(Math.max(0, border - LONGEST_SOUGHT), border + LONGEST_SOUGHT)
  }
}
