/** Number of characters of a comment or CDATA section after which the rest is dropped. */
const MAX_HELD = 64 * 1024

interface Kind {
  readonly opening: string
  readonly closing: string
  /** The text that ends the section. */
  readonly end: RegExp
}

const KINDS: readonly Kind[] = [
  { opening: '<!--', closing: '-->', end: /--!?>/ },
  { opening: '<![CDATA[', closing: ']]>', end: /\]\]>/ },
]
const LONGEST_OPENING = 9
const LONGEST_END = 4

/**
 * Drops the rest of comments and CDATA sections that are long, because the parser holds them until
 * they end. A feed with whole articles may contain pictures of any size. The parser decides where
 * such a section begins: the same characters in an attribute do not begin one.
 */
export class LongMarkup {
  /** The start of the text that the parser holds, and its first characters. */
  #from = -1
  #opening = ''
  /** The section whose rest is being dropped, and its last characters so far. */
  #dropped: Kind | null = null
  #last = ''

  get isDropping(): boolean {
    return this.#dropped !== null
  }

  /** Returns the part of the text that the parser gets. */
  after(text: string): string {
    if (this.#dropped === null) return text
    const all = this.#last + text
    const end = this.#dropped.end.exec(all)
    this.#last = all.slice(1 - LONGEST_END)
    if (end === null) return ''
    this.#dropped = null
    return all.slice(end.index + end[0].length)
  }

  /**
   * Returns the end mark of the section that the parser holds, if the section is long, so that its
   * rest is dropped. Otherwise returns `null`.
   *
   * @param text what the parser got last
   * @param total how many characters it got so far
   * @param from the position from which it holds them; `null` within a tag
   */
  cut(text: string, total: number, from: number | null): string | null {
    if (from === null) {
      this.#from = -1
      return null
    }
    if (from !== this.#from) {
      this.#from = from
      this.#opening = text
        .slice(Math.max(0, from - (total - text.length)))
        .slice(0, LONGEST_OPENING)
    } else if (this.#opening.length < LONGEST_OPENING)
      this.#opening = (this.#opening + text).slice(0, LONGEST_OPENING)
    if (total - from <= MAX_HELD) return null
    this.#dropped = KINDS.find(({ opening }) => this.#opening.startsWith(opening)) ?? null
    this.#last = text.slice(1 - LONGEST_END)
    return this.#dropped?.closing ?? null
  }
}
