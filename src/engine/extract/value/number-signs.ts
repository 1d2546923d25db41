import type { ValueReading } from '../../recipe/recipe-input.ts'
import { atOnce, QuickPass, type Parts } from '../page/in-turns.ts'
import { guessLanguage } from './guess-language.ts'
import { isCountName } from './count-words.ts'
import { isAmount } from './around-number.ts'
import { readNumber } from './parse-number.ts'
import type { ReadNumber } from './parse-number.ts'
import type { DecimalSign, NumberFormat } from './number-format.ts'

/** Number of characters of a page in which other numbers are looked for. */
export const SIGNS_TEXT = 100_000
/** Maximum number of numbers of a page that are checked. */
const MOST_NUMBERS = 2_000
/** Number of characters around a number that may show what it measures. */
const AROUND = 8

const NUMBERS = /\d[\d.,]*\d/g
const UNIT = /^\s?(?:[%°]|(?:[kmc]?m[²³23]?|[kmµ]?g|[cm]?l|[kmgt]b|kw(?:h|p)?|ps|hp)(?!\p{L}))/iu

/** Facts about the decimal sign of a column, from its numbers. */
interface Column {
  readonly shown: Set<DecimalSign>
  /** Decimal signs that were chosen for ambiguous numbers by the language of the page. */
  readonly took: Set<DecimalSign>
  /**
   * Decimal signs that were chosen by other columns or by the rest of the page. `null`: a number
   * was not read.
   */
  readonly tookElsewhere: Set<DecimalSign | null>
}

/**
 * The format of a page's numbers, for numbers that may be read in two ways: `12.345` is 12345 if
 * the same column has `1.234,50`, and 12.345 if it has `12.5`. Without such a number in the column,
 * and without a language, other columns count, then the page's other numbers, then its words.
 */
export class NumberSigns {
  readonly #text: () => string
  readonly #columns = new Map<string, Column>()
  #around: NumberFormat | null | undefined

  /** `text`: the text of the page. */
  constructor(text: () => string) {
    this.#text = text
  }

  /** The decimal signs that numbers of a column have shown so far: none, one, or both. */
  shownIn(column: string): ReadonlySet<DecimalSign> {
    return this.#columns.get(column)?.shown ?? NONE
  }

  /** The decimal sign of the other columns. `undefined`: their numbers so far show no sign, or both. */
  get elsewhere(): DecimalSign | undefined {
    return onlyOf(new Set([...this.#columns.values()].flatMap(({ shown }) => [...shown])))
  }

  /**
   * Records the decimal sign that a number of a column shows. `isElsewhere`: neither its column nor
   * its language shows it.
   */
  note(column: string, { shows, took, isUnclear }: ReadNumber, isElsewhere: boolean): void {
    if (shows === null && took === null && !isUnclear) return
    let signs = this.#columns.get(column)
    if (!signs)
      this.#columns.set(
        column,
        (signs = { shown: new Set(), took: new Set(), tookElsewhere: new Set() }),
      )
    if (shows !== null) signs.shown.add(shows)
    if (isElsewhere || took === null) {
      if (took !== null || isUnclear) signs.tookElsewhere.add(took)
    } else signs.took.add(took)
  }

  /**
   * True if a number was read before a later one showed another sign, so that the page has to be
   * read again. It returns true only once, because the second reading knows all signs.
   */
  get haveChanged(): boolean {
    const { elsewhere } = this
    let haveChanged = false
    for (const { shown, took, tookElsewhere } of this.#columns.values()) {
      const shownSign = onlyOf(shown)
      const all = [...tookElsewhere, ...(shownSign === undefined ? [] : took)]
      const sign = shownSign ?? (shown.size === 0 ? elsewhere : undefined)
      if (sign !== undefined && all.some((other) => other !== sign)) haveChanged = true
      took.clear()
      tookElsewhere.clear()
    }
    return haveChanged
  }

  /** The decimal sign of the page as a whole. `null`: not known. */
  get around(): NumberFormat | null {
    if (this.#around === undefined) this.#around = this.#detect()
    return this.#around
  }

  #detect(): NumberFormat | null {
    const text = this.#text().slice(0, SIGNS_TEXT)
    const signs = new Set<DecimalSign>()
    let left = MOST_NUMBERS
    for (const { 0: digits, index } of text.matchAll(NUMBERS)) {
      if (left-- === 0) break
      const end = index + digits.length
      const after = text.slice(end, end + AROUND)
      const before = text.slice(Math.max(0, index - AROUND), index).replace(/[\d.,]/g, ' ')
      const { shows } = readNumber(before + digits + after)
      // Versions, dates and addresses have dots, too.
      const isSure = digits.includes('.') && digits.includes(',')
      if (shows !== null && (isSure || isAmount(before, after) || UNIT.test(after)))
        signs.add(shows)
      if (signs.size === 2) return null
    }
    const seen = onlyOf(signs)
    if (seen !== undefined) return { seen }
    const language = guessLanguage(text)
    return language === null ? null : { language }
  }
}

const NONE: ReadonlySet<DecimalSign> = new Set()

function onlyOf(signs: ReadonlySet<DecimalSign>): DecimalSign | undefined {
  return signs.size === 1 ? [...signs][0] : undefined
}

/** The part of a page from which its number format can be derived. */
export interface NumbersOfPage {
  readonly language: string | null
  readonly numbers: NumberSigns
}

/** Steps that a turn counts for a number that is read. */
const READ_STEPS = 20

/**
 * The types of detected columns of numbers: `number`, with the decimal sign that the page shows,
 * because another page of the same site might not show it. `null` for a column with ambiguous
 * numbers, whose texts stay unchanged.
 *
 * @param names The names of the columns: `Views` have no fractions.
 */
export function numberReadings(
  columns: readonly (readonly string[])[],
  page: NumbersOfPage & Unpaid,
  names: readonly string[] = [],
): (ValueReading | null)[] {
  return atOnce(numberReadingParts(columns, page, names))
}

/** Work that nobody pays for counts for a turn. */
interface Unpaid {
  readonly budget: { unpaid(steps: number): void }
}

/** The numbers of a column: the signs that they show, and those that may be read in two ways. */
interface ColumnNumbers {
  readonly shown: ReadonlySet<DecimalSign>
  readonly unclear: readonly string[]
}

/** Like {@link numberReadings} in parts. */
export function* numberReadingParts(
  columns: readonly (readonly string[])[],
  page: NumbersOfPage & Unpaid,
  names: readonly string[] = [],
): Parts<(ValueReading | null)[]> {
  const pass = new QuickPass(page.budget, READ_STEPS)
  const read: ColumnNumbers[] = []
  for (const texts of columns) read.push(yield* numbersOf(texts, pass))
  const elsewhere = onlyOf(new Set(read.flatMap(({ shown }) => [...shown])))
  const readings: (ValueReading | null)[] = []
  for (const [index, numbers] of read.entries())
    readings.push(yield* readingOf(numbers, names[index] ?? '', page, elsewhere, pass))
  return readings
}

function* numbersOf(texts: readonly string[], pass: QuickPass): Parts<ColumnNumbers> {
  const shown = new Set<DecimalSign>()
  const unclear: string[] = []
  for (const text of texts) {
    if (pass.ends()) yield
    const { shows, isUnclear } = readNumber(text)
    if (shows !== null) shown.add(shows)
    if (isUnclear) unclear.push(text)
  }
  return { shown, unclear }
}

/** `elsewhere`: the decimal sign that all columns show. */
function* readingOf(
  { shown, unclear }: ColumnNumbers,
  name: string,
  page: NumbersOfPage,
  elsewhere: DecimalSign | undefined,
  pass: QuickPass,
): Parts<ValueReading | null> {
  const { language } = page
  const own = onlyOf(shown)
  if (unclear.length === 0) return 'number'
  if (own !== undefined && (yield* areClear(unclear, { seen: own }, pass)))
    return { number: { decimal: own } }
  if (language !== null && (yield* areClear(unclear, { language }, pass))) return 'number'
  const isCount = own === undefined && isCountName(name)
  const grouped = isCount ? decimalOfGroups(unclear) : null
  if (grouped !== null) return { number: { decimal: grouped } }
  const around = elsewhere === undefined ? page.numbers.around : { seen: elsewhere }
  if (around === null || !(yield* areClear(unclear, around, pass))) return null
  const took = readNumber(unclear[0] ?? '', around).took
  return took === null ? 'number' : { number: { decimal: took } }
}

/** True if a format tells how to read each of some numbers. */
function* areClear(
  numbers: readonly string[],
  format: NumberFormat,
  pass: QuickPass,
): Parts<boolean> {
  for (const text of numbers) {
    if (pass.ends()) yield
    if (readNumber(text, format).isUnclear) return false
  }
  return true
}

const GROUPED = /^\D*\d{1,3}([.,])\d{3}(?:\D|$)/

/**
 * The decimal sign of a column whose numbers have no fractions. If one sign groups their digits,
 * the other is the decimal sign. `null`: they have several signs. A sign beside small numbers
 * without a sign proves nothing: `3.875` and `4` are grades.
 */
function decimalOfGroups(unclear: readonly string[]): DecimalSign | null {
  const signs = new Set(unclear.map((text) => GROUPED.exec(text)?.[1] ?? null))
  const [sign] = signs
  return signs.size !== 1 || sign == null ? null : sign === ',' ? '.' : ','
}
