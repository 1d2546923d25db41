/** A character that ends the name of a tag: white space, `/` or `>`. */
const ENDS_TAG = 1
/** The `=` that ends the name of an attribute. */
const IS_EQUALS = 2
/** The ends of a tag's name, and of an attribute's. */
export const TAG_END = ENDS_TAG
export const ATTRIBUTE_END = ENDS_TAG | IS_EQUALS

const ASCII = 128
const KINDS = new Uint8Array(ASCII)
for (const mark of '\t\n\f\r />') KINDS[mark.charCodeAt(0)] = ENDS_TAG
KINDS['='.charCodeAt(0)] = IS_EQUALS

/** Each ASCII character's code in lower case. */
const LOWER = Uint8Array.from({ length: ASCII }, (_, code) =>
  code >= 0x41 && code <= 0x5a ? code + 0x20 : code,
)

const SLOTS = 256
const NO_NAMES: readonly string[] = Array.from({ length: SLOTS }, () => '')
/** Longer names are rare, and are made anew each time. */
const LONGEST = 40

/**
 * Reads names of tags and attributes. A page has some dozens of them, thousands of times: each is
 * made once, and found again by its characters, which is faster than to cut it out and to hash it.
 */
export class NameTable {
  /** The last name read of each hash. */
  readonly #names: string[] = NO_NAMES.slice()
  /** The position behind the name that was read last; the text's length if the text ends in it. */
  end = 0

  /**
   * Reads the name that begins at `start`, in lower case. It has at least one character, whichever
   * that is, and goes on to one that `stops` has.
   */
  read(text: string, start: number, stops: number): string {
    const { length } = text
    let position = start
    let hash = 0
    let isAscii = true
    for (; position < length; position++) {
      const code = text.charCodeAt(position)
      if (code >= ASCII) isAscii = false
      else {
        if (((KINDS[code] ?? 0) & stops) !== 0 && position > start) break
        hash = (Math.imul(hash, 31) + (LOWER[code] ?? 0)) | 0
      }
    }
    this.end = position
    if (!isAscii || position - start > LONGEST) return lowerCase(text.slice(start, position))
    const slot = (hash ^ (hash >>> 8)) & (SLOTS - 1)
    const last = this.#names[slot] ?? ''
    if (last.length === position - start && isAt(last, text, start)) return last
    const name = lowerCase(text.slice(start, position))
    this.#names[slot] = name
    return name
  }
}

/** True if a name in lower case is in an ASCII text at a position, in any case. */
function isAt(name: string, text: string, start: number): boolean {
  for (let index = 0; index < name.length; index++)
    if (LOWER[text.charCodeAt(start + index)] !== name.charCodeAt(index)) return false
  return true
}

/** Lowers ASCII letters alone, as the HTML Standard does. */
function lowerCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}
