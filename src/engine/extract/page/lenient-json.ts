import { flat } from '../../../kernel/text/long-text.ts'
import { atOnce, type Parts } from './in-turns.ts'

const CONTROL: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }
/** Characters that a backslash may escape. */
const ESCAPES = '"\\/bfnrtu'
/** Characters with which comments and the marks of CDATA begin. */
const COMMENT_SIGNS = '<-]/'

/**
 * Repairs JSON as people write it in pages, so that a strict parser can read it: comments of HTML
 * and JavaScript and the marks of CDATA are left out, line breaks in texts and backslashes that
 * escape nothing are escaped, commas before a closing bracket and semicolons at the end are
 * dropped. Text with `&quot;` for its quotes is decoded. Several consecutive documents become a
 * list. Reads the text once.
 */
export function mendJson(text: string): string {
  return atOnce(mendParts(text, () => {}))
}

/**
 * Like {@link mendJson} in parts. `did` is told the characters that each of them read, and those of
 * them outside of texts, which take longer.
 */
export function* mendParts(
  text: string,
  did: (characters: number, outside: number) => void,
): Parts<string> {
  const mender = new Mender(text.includes('"') ? text : yield* withQuotes(text, did))
  for (let [before, isEnd] = [0, false]; !isEnd;) {
    isEnd = mender.mendSome()
    did(mender.position - before, mender.takeOutside())
    before = mender.position
    yield
  }
  return mender.mended
}

/** Characters that are mended in one part. */
const PART = 50_000

/** Characters that are decoded in one part, and those that take as long to mend as one of them. */
const DECODED = 200_000
const DECODE_SHARE = 0.25

/** Decodes a text in pieces that end before an `&`. */
function* withQuotes(
  text: string,
  did: (characters: number, outside: number) => void,
): Parts<string> {
  const pieces: string[] = []
  for (let start = 0; start < text.length;) {
    const next = text.indexOf('&', start + DECODED)
    const end = next === -1 ? text.length : next
    const piece = text.slice(start, end).replaceAll(/&(?:quot|#34|#x22);/gi, '"')
    pieces.push(flat(piece.replaceAll('&amp;', '&')))
    did(DECODE_SHARE * (end - start), 0)
    yield
    start = end
  }
  return pieces.join('')
}

class Mender {
  readonly #text: string
  readonly #out: string[] = []
  readonly #joined: string[] = []
  /** Start of the part that is not copied yet. */
  #from = 0
  #position = 0
  /** True while a text in quotes is read. */
  #isInText = false
  #outside = 0
  #depth = 0
  #documents = 0
  /**
   * Position in the output of a comma that may be before a closing bracket; -1: there is no such
   * comma.
   */
  #comma = -1
  readonly #positions = new Map<string, number>()

  constructor(text: string) {
    this.#text = text
  }

  get position(): number {
    return this.#position
  }

  /** The whole text, once all is mended. */
  get mended(): string {
    this.#copy(this.#text.length)
    const mended = this.#joined.join('') + this.#out.join('')
    return this.#documents > 1 ? `[${mended}]` : mended
  }

  /** The characters outside of texts since the last call. */
  takeOutside(): number {
    const outside = this.#outside
    this.#outside = 0
    return outside
  }

  /** Mends the next characters. True: there are no more. */
  mendSome(): boolean {
    const end = Math.min(this.#position + PART, this.#text.length)
    while (this.#position < end)
      if (this.#isInText) this.#readText(end)
      else this.#step(this.#text[this.#position] ?? '')
    this.#join()
    return this.#position >= this.#text.length
  }

  /** Joins what was mended, as there may be millions of pieces. A comma may still be taken back. */
  #join(): void {
    const end = this.#comma === -1 ? this.#out.length : this.#comma
    this.#joined.push(this.#out.splice(0, end).join(''))
    if (this.#comma !== -1) this.#comma = 0
  }

  #step(char: string): void {
    this.#outside++
    if (char === '"') {
      this.#keep()
      this.#isInText = true
    } else if (COMMENT_SIGNS.includes(char) && this.#readComment()) return
    else if (char === '{' || char === '[') this.#begin()
    else if (char === '}' || char === ']') {
      if (this.#comma >= 0) this.#out[this.#comma] = ''
      this.#depth--
      this.#keep()
    } else if (char === ',' && this.#depth > 0) {
      this.#copy(this.#position)
      this.#comma = this.#out.push(',') - 1
      this.#from = ++this.#position
    } else if ((char === ',' || char === ';') && this.#depth <= 0) this.#skip(this.#position + 1)
    else if (/\s/.test(char)) this.#position++
    else this.#keep()
  }

  #begin(): void {
    if (this.#depth++ <= 0 && this.#documents++ > 0) {
      this.#copy(this.#position)
      this.#out.push(',')
    }
    this.#keep()
  }

  /** Goes past a character that is part of a value. */
  #keep(): void {
    this.#comma = -1
    this.#position++
  }

  /** A text in quotes, up to its end or that of the part. */
  #readText(end: number): void {
    for (; this.#position < end; this.#position++) {
      const char = this.#text[this.#position] ?? ''
      if (char === '"') {
        this.#isInText = false
        break
      }
      if (char === '\\') this.#readEscape()
      else if (char < ' ') {
        this.#copy(this.#position)
        this.#out.push(CONTROL[char] ?? '')
        this.#from = this.#position + 1
      }
    }
    if (!this.#isInText) this.#position++
  }

  #readEscape(): void {
    const next = this.#text[this.#position + 1] ?? ''
    if (ESCAPES.includes(next)) this.#position++
    // `\'` is a quote; any other backslash stands for itself.
    else if (next === "'") this.#cut(this.#position + 1)
    else {
      this.#copy(this.#position + 1)
      this.#out.push('\\')
    }
  }

  #readComment(): boolean {
    const end = this.#endOfComment()
    if (end === -1) return false
    this.#skip(end)
    return true
  }

  /** The end of the comment that begins here; -1: no comment begins here. */
  #endOfComment(): number {
    const starts = (mark: string): boolean => this.#text.startsWith(mark, this.#position)
    if (starts('<!--')) {
      // A whole comment before the JSON, or a comment around it.
      const close = this.#next('-->')
      const isAround = Math.min(this.#next('{'), this.#next('[')) < close
      return isAround || close === Infinity ? this.#position + 4 : close + 3
    }
    for (const mark of ['-->', '<![CDATA[', ']]>'])
      if (starts(mark)) return this.#position + mark.length
    if (starts('/*')) return this.#after('*/', this.#position + 2)
    if (!starts('//')) return -1
    // The marks of CDATA are in a comment, and the JSON may be on the same line.
    const mark = /^\/\/\s{0,9}(?:<!\[CDATA\[|\]\]>)/.exec(
      this.#text.slice(this.#position, this.#position + 30),
    )
    return mark === null ? this.#after('\n', this.#position) : this.#position + mark[0].length
  }

  /** The next position of a mark. The result is cached, so that repeated calls search the text once. */
  #next(mark: string): number {
    const present = this.#positions.get(mark)
    if (present !== undefined && present >= this.#position) return present
    const position = this.#text.indexOf(mark, this.#position)
    const next = position === -1 ? Infinity : position
    this.#positions.set(mark, next)
    return next
  }

  #after(mark: string, from: number): number {
    const position = this.#text.indexOf(mark, from)
    return position === -1 ? this.#text.length : position + mark.length
  }

  #skip(end: number): void {
    this.#copy(this.#position)
    this.#from = end
    this.#position = end
  }

  /** Leaves out the text up to a position. */
  #cut(end: number): void {
    this.#copy(this.#position)
    this.#from = end
  }

  #copy(end: number): void {
    if (end > this.#from) this.#out.push(this.#text.slice(this.#from, end))
    this.#from = end
  }
}
