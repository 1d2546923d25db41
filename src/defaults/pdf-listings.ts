import type { Pace } from '../kernel/pace.ts'
import { unescaped } from './pdf-filters.ts'
import { objectStarts } from './pdf-objects.ts'
import type { PdfText } from './pdf-objects.ts'
import { PdfSyntax } from './pdf-syntax.ts'

/** Maximum number of bytes of all parts in one list. They take up to 50 ms. */
const MOST_OF_A_LIST = 100 * 1_024
/** Maximum number of bytes of all parts in all lists of a file. */
const MOST_LISTED = 16 * 1_024 * 1_024
/** The cost of a listing besides the bytes of its part. */
const LISTING_BYTES = 64
/** Maximum number of characters of a reference. */
const BEFORE_REFERENCE = 48
/** Number of bytes whose references are checked in one step. */
const PIECE = 16_384

const WORD_END = '(?![^\\0\\t\\n\\f\\r ()<>\\[\\]{}/%])'
/**
 * Marks that end a reference, a list, or the part of a dictionary in which all values have names.
 * An object begins only after a number, so these letters in packed bytes are seldom an object.
 */
const MARK = new RegExp(
  `R${WORD_END}|<<|endobj|endstream|(?<=[\\d.+\\0\\t\\n\\f\\r -])obj(?![a-z])|[^\\w\\0\\t\\f /.+-]`,
  'g',
)
/** Number of bytes after a piece that may belong to its last mark. */
const AFTER_MARK = 16
const REFERENCE = /(?:^|[^\w.+-]|R)(\d{1,9})[\0\t\n\f\r ]{1,9}\d{1,5}[\0\t\n\f\r ]{0,9}$/
/** A number, or only space. pdf.js may read the text before it as a reference, at any distance. */
const MAY_REFER = /(?:^|[^\w.+/-])[\d.+-]{1,48}[\0\t\n\f\r ]{0,48}$|^[\0\t\n\f\r ]{1,48}$/
/** A number in another form, or further away, may be a different number for pdf.js. */
const NUMBER =
  /(?<![^\0\t\n\f\r ()<>[\]{}/%])(\d{1,9})[\0\t\n\f\r ]{1,4}\d{1,5}[\0\t\n\f\r ]{1,4}obj(?![a-z])/g
const OBJECT = /\d[\0\t\n\f\r ]+obj(?![a-z])/g

const TOO_MUCH = `parts of it that one list names have more than ${MOST_OF_A_LIST} bytes`

/** The cost of a part of a file in each list that names it. */
export interface PdfPart {
  /** The possible numbers of its object. Empty: it may have any number. */
  readonly numbers: readonly number[]
  readonly bytes: number
  /** True for pictures. They count only in lists, because a page could use such a list as its text. */
  readonly isPicture: boolean
  /** True if other parts may draw it, and pdf.js then reads it in the same turn. */
  readonly isPlainForm: boolean
  /** True if it is not packed, or has parameters: pdf.js then reads it without yielding. */
  readonly isPlain: boolean
}

/** The number of the object before a stream. It is certain only if the dictionary is certain. */
export function numbersBefore(text: string, isCertain: boolean): readonly number[] {
  if (!isCertain) return []
  const [number, object] = [[...text.matchAll(NUMBER)].at(-1), [...text.matchAll(OBJECT)].at(-1)]
  return number && endOf(number) === endOf(object) ? [Number(number[1])] : []
}

function endOf(match: RegExpExecArray | undefined): number | null {
  return match ? match.index + match[0].length : null
}

/**
 * Adds up the sizes of listed parts, each as often as it is listed. pdf.js joins the parts of a
 * page and reads them in one turn, together with the drawn glyphs of fonts.
 */
class PdfListings {
  readonly #parts = new Map<number, Weight>()
  readonly #syntax = new PdfSyntax()
  /**
   * The cost of a reference that is not certain, and of a reference to a part whose number is not
   * certain.
   */
  #most = NO_WEIGHT
  #ofUnnumbered = NO_WEIGHT
  #listed = 0
  #named = 0
  /** The unpacked part of these costs, and the part that is listed in strings and the like. */
  #plain = 0
  #hidden = 0
  #hasGlyphs = false
  readonly #hasPlainForm: boolean
  #ofList = 0
  #areNamed = false
  /** True from the end of a comment to the next mark, because pdf.js reads on past the comment. */
  #isAfterComment = false
  #refused: string | null = null

  constructor(parts: readonly PdfPart[]) {
    this.#hasPlainForm = parts.some(({ isPlainForm }) => isPlainForm)
    for (const { numbers, bytes, isPicture, isPlain } of parts) {
      const all = bytes + LISTING_BYTES
      const weight = { all, plain: isPlain ? all : 0, drawn: isPicture ? 0 : all }
      if (!isPicture) this.#most = heavier(this.#most, weight)
      if (numbers.length === 0) this.#ofUnnumbered = heavier(this.#ofUnnumbered, weight)
      for (const number of numbers)
        this.#parts.set(number, heavier(this.#parts.get(number) ?? NO_WEIGHT, weight))
    }
  }

  /** The reason why the file is not read, from the counts so far. */
  get refused(): string | null {
    // pdf.js yields between things that other parts of a page draw, but not within glyphs.
    if (this.#hasGlyphs && this.#hasPlainForm)
      this.#refused ??= 'its letters may draw a part that is not packed'
    // For packed glyphs it yields too, because the runtime unpacks them.
    if (this.#hasGlyphs && this.#plain > MOST_OF_A_LIST)
      this.#refused ??= `unpacked letters of it may have more than ${MOST_OF_A_LIST} bytes`
    const glyphs = this.#hasGlyphs ? this.#named : 0
    if (this.#listed + glyphs > MOST_LISTED)
      this.#refused ??= `the parts that it lists have more than ${MOST_LISTED} bytes`
    return this.#refused
  }

  /** Begins a text that is read independently. */
  begin(): void {
    this.#syntax.begin()
    this.#ofList = 0
    this.#areNamed = false
    this.#isAfterComment = false
  }

  /** Begins the content of a stream. Any list in it is there only by chance. */
  beginStream(): void {
    this.#syntax.beginStream()
    this.#areNamed = false
    this.#isAfterComment = false
  }

  /** Call this where an object begins. */
  beginObject(): void {
    this.#syntax.beginObject()
  }

  /** Call this if objects may begin anywhere. */
  beginAnywhere(): void {
    this.#syntax.makeAmbiguous()
  }

  /**
   * Counts the parts that a text lists between two positions. The surrounding text shows where
   * words end. Returns the position to continue at, because a mark may extend beyond the second
   * position.
   */
  count(text: string, from: number, to: number): number {
    this.#hasGlyphs ||= unescaped(text).includes('/CharProcs')
    const syntax = this.#syntax
    MARK.lastIndex = from
    let end = from
    for (let match = MARK.exec(text); match && match.index < to; match = MARK.exec(text)) {
      const [mark] = match
      if (mark === 'R')
        this.#refer(text.slice(Math.max(0, match.index - BEFORE_REFERENCE), match.index))
      else if (mark === '\\' && syntax.isString) MARK.lastIndex++
      else this.#punctuate(mark)
      end = MARK.lastIndex
    }
    return Math.max(end, to)
  }

  #punctuate(mark: string): void {
    const syntax = this.#syntax
    if (syntax.isComment && (mark === '\n' || mark === '\r')) this.#isAfterComment = true
    else if (mark !== '\n' && mark !== '\r') {
      this.#isAfterComment &&= syntax.isComment
      this.#areNamed = mark === '<<' && !syntax.isHidden
    }
    syntax.read(mark)
    if (syntax.lists === 0 && !syntax.isAmbiguous) this.#ofList = 0
  }

  #refer(before: string): void {
    const digits = REFERENCE.exec(before)?.[1]
    const isUnusual = this.#isAfterComment || (digits === undefined && MAY_REFER.test(before))
    this.#isAfterComment = false
    if (digits === undefined && !isUnusual) return
    const { lists, isHidden, isStream, isAmbiguous } = this.#syntax
    const others = isUnusual ? this.#most : this.#ofUnnumbered
    const weight = heavier(this.#parts.get(Number(digits)) ?? NO_WEIGHT, others)
    this.#plain += weight.plain
    if (isHidden && !isStream) this.#hidden += weight.all
    // A dictionary may name a part many times, as each page may name the same letterhead.
    const isNamed = this.#areNamed && !isUnusual
    if (isAmbiguous || (lists > 0 && !isNamed)) this.#ofList += weight.all
    if (Math.max(this.#hidden, this.#ofList) > MOST_OF_A_LIST) this.#refused ??= TOO_MUCH
    if (isNamed) this.#named += weight.drawn
    else this.#listed += lists > 0 ? weight.all : weight.drawn
  }
}

/** The cost of a reference. */
interface Weight {
  readonly all: number
  /** The same for parts that are not packed, and for those that a page may draw. */
  readonly plain: number
  readonly drawn: number
}

const NO_WEIGHT: Weight = { all: 0, plain: 0, drawn: 0 }

function heavier(weight: Weight, other: Weight): Weight {
  return {
    all: Math.max(weight.all, other.all),
    plain: Math.max(weight.plain, other.plain),
    drawn: Math.max(weight.drawn, other.drawn),
  }
}

/** Returns the reason not to read a file that draws the same parts again and again. */
export async function faultOfListings(
  body: Uint8Array,
  {
    starts,
    texts,
    parts,
  }: {
    /** The positions at which the contents of streams begin. */
    readonly starts: readonly number[]
    readonly texts: readonly PdfText[]
    readonly parts: readonly PdfPart[]
  },
  signal: AbortSignal,
  pace: Pace,
): Promise<string | null> {
  const listings = new PdfListings(parts)
  const decoder = new TextDecoder('latin1')
  let next = 0
  for (let from = 0; from < body.length && listings.refused === null;) {
    while ((starts[next] ?? Infinity) <= from) {
      next++
      listings.beginStream()
    }
    const to = Math.min(from + PIECE, starts[next] ?? Infinity, body.length)
    const first = Math.max(0, from - BEFORE_REFERENCE)
    const text = decoder.decode(body.subarray(first, to + AFTER_MARK))
    from = first + listings.count(text, from - first, to - first)
    const rest = pace.step()
    if (rest) await rest
    signal.throwIfAborted()
  }
  for (const text of texts) {
    if (listings.refused !== null) break
    await countText(listings, text, { signal, pace })
  }
  return listings.refused
}

async function countText(
  listings: PdfListings,
  part: PdfText,
  { signal, pace }: { readonly signal: AbortSignal; readonly pace: Pace },
): Promise<void> {
  const { text } = part
  const starts = objectStarts(part)
  listings.begin()
  if (starts === null) listings.beginAnywhere()
  let next = 0
  for (let from = 0; from < text.length;) {
    while ((starts?.[next] ?? Infinity) <= from) {
      next++
      listings.beginObject()
    }
    const to = Math.min(from + PIECE, starts?.[next] ?? Infinity, text.length)
    const first = Math.max(0, from - BEFORE_REFERENCE)
    from = first + listings.count(text.slice(first, to + AFTER_MARK), from - first, to - first)
    const rest = pace.step()
    if (rest) await rest
    signal.throwIfAborted()
  }
}
