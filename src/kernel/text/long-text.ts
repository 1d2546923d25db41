/** Number of UTF-16 code units that are joined to one string. */
const PIECE = 4_096
/** A shorter text keeps little memory alive, even as a part of a long one. */
const SHORT = 256

/** Using this keeps the JavaScript engine from removing a read whose result is not needed. */
let lastRead = 0

/**
 * Replaces every match of a global pattern. A long text takes no more memory than its result.
 * JavaScript engines build the result of `replace` as a tree with two nodes of some 50 bytes for
 * each match, and keep the tree until the text is read.
 *
 * @example
 *   replaceEach('a  b', /\s+/g, ' ') // 'a b'
 *
 * @param by The text to put in place of a match, without `$`, or what makes it from the match and
 *   its position.
 */
export function replaceEach(
  text: string,
  pattern: RegExp,
  by: string | ((match: string, index: number) => string),
): string {
  if (text.length <= PIECE)
    return typeof by === 'string' ? text.replace(pattern, by) : text.replace(pattern, by)
  const result = new GrowingText()
  let end = 0
  for (const { 0: match, index } of text.matchAll(pattern)) {
    if (index > end) result.add(text.slice(end, index))
    result.add(typeof by === 'string' ? by : by(match, index))
    end = index + match.length
  }
  if (end === 0) return text
  result.add(text.slice(end))
  return result.toString()
}

/** A text that grows by many small parts, and takes no more memory than its characters. */
export class GrowingText {
  readonly #pieces: string[] = []
  #last = ''
  #length = 0

  /** Number of UTF-16 code units. */
  get length(): number {
    return this.#length
  }

  add(part: string): void {
    this.#last += part
    this.#length += part.length
    if (this.#last.length < PIECE) return
    this.#pieces.push(flat(this.#last))
    this.#last = ''
  }

  toString(): string {
    return this.#pieces.length === 0 ? this.#last : this.#pieces.join('') + this.#last
  }
}

/**
 * Returns the same text, held as one run of characters. A text that was put together from many
 * keeps all of them until it is read.
 */
export function flat(text: string): string {
  if (text.length > SHORT) lastRead ^= text.charCodeAt(0)
  return text
}
