import type { Pace } from '../kernel/pace.ts'
import { unescaped } from './pdf-filters.ts'

/** Most that one list may name, in bytes of parts: this much takes up to 50 ms. */
const MOST_OF_A_LIST = 100 * 1_024
/** Most that all lists of a file may name together. */
const MOST_LISTED = 16 * 1_024 * 1_024
/** The cost of a listing besides the bytes of its part. */
const LISTING_BYTES = 64
/** Characters before the end of a reference in which it begins. */
const BEFORE_REFERENCE = 48
/** Bytes whose references are looked at in one step. */
const PIECE = 16_384

const WORD_END = '(?![^\\0\\t\\n\\f\\r ()<>\\[\\]{}/%])'
/** All that may end a reference, a list, or the part of a dictionary in which all values have names. */
const MARK = new RegExp(`R${WORD_END}|<<|endobj|\\\\[^]|[^\\w\\0\\t\\f /.+-]`, 'g')
const REFERENCE = /(?:^|[^\w.+-]|R)(\d{1,9})[\0\t\n\f\r ]{1,9}\d{1,5}[\0\t\n\f\r ]{0,9}$/
/** A number, or only space: pdf.js may take what is before for a reference, however far it is. */
const MAY_REFER = /(?:^|[^\w.+/-])[\d.+-]{1,48}[\0\t\n\f\r ]{0,48}$|^[\0\t\n\f\r ]{1,48}$/
const OBJECT = /(\d{1,9})[\0\t\n\f\r ]{1,64}\d{1,5}[\0\t\n\f\r ]{1,64}obj(?![a-z])/g

const TOO_MUCH = `parts of it that one list names have more than ${MOST_OF_A_LIST} bytes`

/** A part of a file, as it counts where it is listed. */
export interface PdfPart {
  /** Numbers that its object may have. Empty: any. */
  readonly numbers: readonly number[]
  readonly bytes: number
  /** Pictures count in lists alone, which a page could have as its text. */
  readonly isPicture: boolean
  /** Whether others may draw it, and pdf.js then reads it in their turn. */
  readonly isPlainForm: boolean
}

/** Numbers that the object before a stream may have; all that there are if this is not certain. */
export function numbersBefore(text: string, isCertain: boolean): readonly number[] {
  const numbers = [...text.matchAll(OBJECT)].map(([, digits]) => Number(digits))
  return isCertain ? numbers.slice(-1) : numbers
}

/**
 * Counts what a file lists: each part as often as it is listed. pdf.js joins the parts of a page,
 * and reads them, and the glyphs of a font that are drawn, in one turn.
 */
class PdfListings {
  readonly #parts = new Map<number, { readonly weight: number; readonly isPicture: boolean }>()
  /** The cost of a reference that is not certain, and of one to a part whose number is not. */
  #most = 0
  #ofUnnumbered = 0
  #listed = 0
  #named = 0
  #hasGlyphs = false
  readonly #hasPlainForm: boolean
  #ofList = 0
  /** How deep lists and texts are within others. */
  #lists = 0
  #texts = 0
  #areNamed = false
  #isComment = false
  /** True from the end of a comment to the next mark: pdf.js reads on over the comment. */
  #isAfterComment = false
  #refused: string | null = null

  constructor(parts: readonly PdfPart[]) {
    this.#hasPlainForm = parts.some(({ isPlainForm }) => isPlainForm)
    for (const { numbers, bytes, isPicture } of parts) {
      const weight = bytes + LISTING_BYTES
      if (!isPicture) this.#most = Math.max(this.#most, weight)
      if (numbers.length === 0) this.#ofUnnumbered = Math.max(this.#ofUnnumbered, weight)
      for (const number of numbers) {
        const other = this.#parts.get(number) ?? { weight: 0, isPicture }
        this.#parts.set(number, {
          weight: Math.max(weight, other.weight),
          isPicture: isPicture && other.isPicture,
        })
      }
    }
  }

  /** Why the file is not read, as far as is counted. */
  get refused(): string | null {
    // Other parts of a page leave turns between what they draw, glyphs do not.
    if (this.#hasGlyphs && this.#hasPlainForm)
      this.#refused ??= 'its letters may draw a part that is not packed'
    const glyphs = this.#hasGlyphs ? this.#named : 0
    if (this.#listed + glyphs > MOST_LISTED)
      this.#refused ??= `the parts that it lists have more than ${MOST_LISTED} bytes`
    return this.#refused
  }

  /** Begins a text that is read by itself. */
  begin(): void {
    this.#lists = 0
    this.#texts = 0
    this.#ofList = 0
    this.#areNamed = false
    this.#isComment = false
    this.#isAfterComment = false
  }

  /** Counts what a text lists between two positions. What is around it tells where words end. */
  count(text: string, from: number, to: number): void {
    this.#hasGlyphs ||= unescaped(text).includes('/CharProcs')
    MARK.lastIndex = from
    for (let match = MARK.exec(text); match && match.index < to; match = MARK.exec(text)) {
      const [mark] = match
      if (mark === 'R')
        this.#refer(text.slice(Math.max(0, match.index - BEFORE_REFERENCE), match.index))
      else if (mark === '\n' || mark === '\r') {
        this.#isAfterComment ||= this.#isComment
        this.#isComment = false
      } else this.#punctuate(mark)
    }
  }

  #punctuate(mark: string): void {
    this.#isAfterComment &&= this.#isComment
    this.#areNamed = mark === '<<' && !this.#isComment
    // In a text it begins no comment, but which parts are texts is not certain.
    if (mark === '%') this.#isComment = true
    else if (mark === 'endobj' && !this.#isComment) this.begin()
    else if (mark === '(') this.#texts++
    else if (mark === ')') this.#texts = Math.max(0, this.#texts - 1)
    else if (this.#texts > 0) return
    else if (mark === '[') this.#lists++
    else if (mark === ']') this.#lists = Math.max(0, this.#lists - 1)
    if (this.#lists === 0) this.#ofList = 0
  }

  #refer(before: string): void {
    const digits = REFERENCE.exec(before)?.[1]
    const isUnusual = this.#isAfterComment || (digits === undefined && MAY_REFER.test(before))
    this.#isAfterComment = false
    if (digits === undefined && !isUnusual) return
    const part = this.#parts.get(Number(digits))
    const weight = Math.max(part?.weight ?? 0, isUnusual ? this.#most : this.#ofUnnumbered)
    if (this.#areNamed && !isUnusual) {
      // A dictionary may name a part again and again, as each page does with its letterhead.
      this.#named += part?.isPicture === true ? 0 : weight
    } else if (this.#lists > 0) {
      this.#listed += weight
      this.#ofList += weight
      if (this.#ofList > MOST_OF_A_LIST) this.#refused ??= TOO_MUCH
    } else if (part?.isPicture !== true) this.#listed += weight
  }
}

/** Returns why a file that draws the same parts again and again is not read. */
export async function faultOfListings(
  body: Uint8Array,
  {
    starts,
    texts,
    parts,
  }: {
    /** The positions at which the contents of streams begin. */
    readonly starts: readonly number[]
    readonly texts: readonly string[]
    readonly parts: readonly PdfPart[]
  },
  signal: AbortSignal,
  pace: Pace,
): Promise<string | null> {
  const listings = new PdfListings(parts)
  const decoder = new TextDecoder('latin1')
  let next = 0
  for (let from = 0; from < body.length && listings.refused === null;) {
    while ((starts[next] ?? Infinity) <= from) next++
    // Lists in the bytes of a stream would be those of chance.
    const to = Math.min(from + PIECE, starts[next] ?? Infinity, body.length)
    const first = Math.max(0, from - BEFORE_REFERENCE)
    const text = decoder.decode(body.subarray(first, to + 1))
    if (starts[next - 1] === from) listings.begin()
    listings.count(text, from - first, to - first)
    from = to
    const rest = pace.step()
    if (rest) await rest
    signal.throwIfAborted()
  }
  for (const text of texts) {
    if (listings.refused !== null) break
    listings.begin()
    for (let from = 0; from < text.length; from += PIECE) {
      listings.count(text, from, Math.min(from + PIECE, text.length))
      const rest = pace.step()
      if (rest) await rest
    }
    signal.throwIfAborted()
  }
  return listings.refused
}
