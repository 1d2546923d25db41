import { CURRENCY_BEFORE, isAmount, isNegative } from './around-number.ts'
import { isCounted } from './count-words.ts'
import { SCALE_TEXT, scaleAfter } from './number-words.ts'
import { separatorsOf, withLatinDigits } from './number-format.ts'
import type { DecimalSign, NumberFormat } from './number-format.ts'

/**
 * Digits with their separators. A sign or an accounting parenthesis comes before them, possibly
 * with a currency between.
 */
const NUMBER = /\d(?:[\d.,'’\u00a0\u202f\u2009 ]*\d)?/
/** Maximum characters in which a number is searched. */
export const NUMBER_TEXT = 10_000
/** Number of characters around the digits that may show how to read them. */
const AROUND = 12
/** Matches a price per unit, such as that of fuel, which may have three decimals. */
const PER_UNIT = /^\s?\S{1,4}\s?\//
/** Marks of the writing direction. Arabic, Hebrew and Persian have them around signs. */
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
/** Matches `36. 24`: a blank before the cents, which pages put into a separate element. */
const SPLIT = /^\d(?:[\d.,]{0,20}\d)?([.,])\s\d\d(?![\d.,])/
/** Matches `12€50`, and `12€ 50` at the end: the currency replaces the decimal sign. */
const CENTS = /^\p{Sc}(\d\d(?![\d.,]|\s?\p{Sc})|\s\d\d\s*$)/u
/** `3½` */
const FRACTION = /^\s?([¼-¾⅐-⅞])/
/** `1.200,-`: a whole amount. */
const WHOLE = /^[.,]\s?[-–—]/

/** A number in a text. */
export interface ReadNumber {
  /** `null`: there is no number, or it is ambiguous. */
  readonly value: number | null
  /**
   * True if the number has two readings: its separator may group digits or begin a fraction, or the
   * word after it may multiply it.
   */
  readonly isUnclear: boolean
  /** True if a letter after the number may be a unit. Then no other number shows how to read it. */
  readonly mayBeUnit: boolean
  /** The decimal sign that the text itself shows. `null`: it shows no such sign. */
  readonly shows: DecimalSign | null
  /** The decimal sign that was assumed for an ambiguous text. `null`: none. */
  readonly took: DecimalSign | null
}

const NONE: ReadNumber = {
  value: null,
  isUnclear: false,
  mayBeUnit: false,
  shows: null,
  took: null,
}
/** Signs of other scripts that have one meaning. {@link withLatinDigits} maps them to `.` and `,`. */
const OWN_SIGNS = /[٫٬．，]/

/**
 * Reads the first number in a text, as people write it: `$1,299.00`, `1.299,00 €`, `1 299,50`,
 * `(5)` is −5, `4.5 out of 5` is 4.5.
 *
 * How a single separator before exactly three digits is read depends on its `decimal`, on other
 * numbers beside it, or on the `language`: `12.345` is 12345 in German. Beside a currency it
 * groups, because prices have no three decimals. If these facts contradict each other, the value is
 * `null`. Without any of them, a comma groups, and a dot is the decimal point; the number is then
 * unclear.
 */
export function readNumber(text: string, format: NumberFormat = {}): ReadNumber {
  const source = withLatinDigits(text.length > NUMBER_TEXT ? text.slice(0, NUMBER_TEXT) : text)
  const match = NUMBER.exec(source)
  if (match === null) return NONE
  const start = match.index
  const amount = splitAmount(source, start) ?? firstNumber(match[0])
  const digitsEnd = start + amount.length
  const [fraction = '', sign] = FRACTION.exec(source.slice(digitsEnd, digitsEnd + 2)) ?? []
  const end = digitsEnd + fraction.length
  const after = source.slice(end, end + AROUND)
  const before = source.slice(Math.max(0, start - AROUND), start).replace(DIRECTION, '')
  const digits = amount.replace(/(?<=[.,])\s/, '')
  const isWhole = !/[.,]/.test(digits)
  // A fraction after a space shows no decimal sign.
  const apart = sign === undefined ? CENTS.exec(after)?.[1]?.trim() : decimalsOf(sign)
  // The dot of `Rs.75,333` ends an abbreviation, and the dots of `...9` are not decimal points.
  const leadingPoint = isWhole && /(?:^|[^\d\w])(?<!\.\.)[.,]$/.test(before.slice(-3)) ? '0.' : ''
  const words = source.slice(end, end + SCALE_TEXT).replace(DIRECTION, '')
  const { power, length, times, mayBeUnit } = scaleAfter(words, {
    digits,
    before,
    language: format.language ?? null,
  })
  if (power === null) return { ...NONE, isUnclear: true, mayBeUnit }
  const { plain, isUnclear, shows, took } = withPoint(digits, before, after, {
    ...format,
    ...(source !== text && OWN_SIGNS.test(text) && { decimal: format.decimal ?? '.' }),
    isScaled: power > 0,
    words,
  })
  if (plain === null) return { ...NONE, isUnclear }
  const exponent = /^e([+-]?\d{1,3})(?!\d)/i.exec(after)?.[1] ?? '0'
  const takesApart = sign === undefined ? isWhole : !plain.includes('.')
  const decimals = takesApart && leadingPoint === '' && apart !== undefined ? `.${apart}` : ''
  const single = Number(`${leadingPoint}${plain}${decimals}e${Number(exponent) + power}`)
  const value = times === 1 ? single : multiplied(single, times)
  if (!Number.isFinite(value)) return NONE
  // A parenthesis ends after the number, or after the word.
  const ending = after.startsWith(')') ? after : source.slice(end + length, end + length + AROUND)
  const isBelowZero = isNegative(before, ending)
  return { value: isBelowZero ? -value : value, isUnclear, shows, took, mayBeUnit: false }
}

/** Number of reliable digits in a product: 12 times 0.7 is 8.399999999999999 without rounding. */
const SURE_DIGITS = 15

function multiplied(value: number, times: number): number {
  return Number((times * value).toPrecision(SURE_DIGITS))
}

/** Decimals of a fraction sign, such as 5 for `½`. */
function decimalsOf(sign: string): string {
  const [top = 0, bottom = 1] = sign.normalize('NFKC').split('⁄').map(Number)
  return String(top / bottom).slice(2)
}

/** The value of {@link readNumber}. */
export function parseNumber(text: string, format?: NumberFormat): number | null {
  return readNumber(text, format).value
}

/** An amount with a blank before its cents, if only a currency is beside it. */
function splitAmount(source: string, start: number): string | null {
  if (start > AROUND) return null
  const [amount, sign] = SPLIT.exec(source.slice(start, start + NUMBER_TEXT)) ?? []
  if (amount === undefined || sign === undefined || amount.indexOf(sign) < amount.length - 4)
    return null
  const before = source.slice(0, start)
  const after = source.slice(start + amount.length, start + amount.length + AROUND)
  if (before.replace(CURRENCY_BEFORE, '').trim() !== '') return null
  return isAmount(before, after) || (sign === '.' && before + after.trim() === '') ? amount : null
}

// "12 34,5" is two numbers, "12 345" is one: a space joins only groups of three.
function firstNumber(run: string): string {
  const space = /[\u00a0\u202f\u2009 ]/.exec(run)
  if (space === null) return run.replace(/(?<![.,'’])[.,'’]+$/, '')
  const grouped = /^\d{1,3}(?:[\u00a0\u202f\u2009 ]\d{3})+(?!\d)(?:[.,]\d+)?/.exec(run)
  return grouped === null
    ? run.slice(0, space.index).replace(/(?<![.,'’])[.,'’]+$/, '')
    : grouped[0]
}

interface WithPoint extends Omit<ReadNumber, 'value' | 'mayBeUnit'> {
  /** The digits with a point before the fraction and no other separator. */
  readonly plain: string | null
}

const clear = (plain: string | null, shows: DecimalSign | null = null): WithPoint => ({
  plain,
  isUnclear: false,
  shows,
  took: null,
})
const other = (sign: DecimalSign): DecimalSign => (sign === '.' ? ',' : '.')

interface ScaledFormat extends NumberFormat {
  /** True if a word or a letter multiplies it: amounts of millions have any number of decimals. */
  readonly isScaled: boolean
  /** The text after it. */
  readonly words: string
}

function withPoint(digits: string, before: string, after: string, format: ScaledFormat): WithPoint {
  const bare = digits.replace(/['’\u00a0\u202f\u2009 ]/g, '')
  if (format.decimal !== undefined) return clear(byDecimal(bare, format.decimal))
  const dot = bare.lastIndexOf('.')
  const comma = bare.lastIndexOf(',')
  if (dot === -1 && comma === -1) return clear(bare)
  if (dot !== -1 && comma !== -1) {
    const decimal = comma > dot ? ',' : '.'
    const [whole = ''] = bare.split(decimal, 1)
    return clear(byDecimal(bare, decimal), groupsOfThree(whole, other(decimal)) ? decimal : null)
  }
  const separator = dot === -1 ? ',' : '.'
  if (!groupsOfThree(bare, separator)) {
    // `1.234.56` has no certain value: the last sign begins a fraction, or a digit is missing.
    const beforeLast = bare.slice(0, bare.lastIndexOf(separator))
    if (beforeLast.includes(separator) && groupsOfThree(beforeLast, separator)) return UNCLEAR
    return clear(
      firstPart(bare, separator),
      bare.indexOf(separator) === bare.lastIndexOf(separator) ? separator : null,
    )
  }
  const grouped = bare.replaceAll(separator, '')
  const isOne = bare.indexOf(separator) === bare.lastIndexOf(separator)
  // A number that is grouped by spaces or apostrophes has no other grouping sign.
  if (isOne && bare.length < digits.length) return clear(bare.replace(separator, '.'), separator)
  if (!isOne || WHOLE.test(after)) return clear(grouped, other(separator))
  return ofOneSeparator(bare, separator, before, after, format)
}

/** Reads one separator before three digits. */
function ofOneSeparator(
  bare: string,
  separator: DecimalSign,
  before: string,
  after: string,
  { seen, language = null, isAmount: isKnownAmount = false, isScaled, words }: ScaledFormat,
): WithPoint {
  const grouped = { ...clear(bare.replace(separator, '')), took: other(separator) }
  const fraction = { ...clear(bare.replace(separator, '.')), took: separator }
  const isPrice = !isScaled && (isKnownAmount || isAmount(before, after)) && !PER_UNIT.test(after)
  const role =
    seen !== undefined
      ? seen === separator
        ? 'decimal'
        : 'group'
      : language === null
        ? null
        : roleOf(separator, language)
  if (role === 'decimal') return isPrice ? UNCLEAR : fraction
  if (role === 'group') return grouped
  // Prices have no three decimals, so the number shows its sign by itself.
  if (isPrice) return { ...grouped, shows: other(separator) }
  // Counts have no decimals either.
  if (role === null && !isScaled && isCounted(words)) return { ...grouped, shows: other(separator) }
  // The language uses the separator neither for groups nor for fractions, so the number has the
  // format of another language.
  if (role === 'none' || isScaled) return UNCLEAR
  return { ...(separator === ',' ? grouped : fraction), isUnclear: true, took: null }
}

const UNCLEAR: WithPoint = { ...clear(null), isUnclear: true }

function roleOf(separator: string, language: string): 'decimal' | 'group' | 'none' | null {
  const conventions = separatorsOf(language)
  if (conventions.length === 0) return null
  for (const { decimal, group } of conventions) {
    if (group === separator) return 'group'
    if (decimal === separator) return 'decimal'
  }
  return 'none'
}

/** `null`: the decimal sign occurs twice, or before another separator. */
function byDecimal(bare: string, decimal: '.' | ','): string | null {
  const [whole = '', fraction, ...more] = bare.split(decimal)
  if (more.length > 0 || (fraction !== undefined && /[.,]/.test(fraction))) return null
  const joined = whole.replace(/[.,]/g, '')
  return fraction === undefined ? joined : `${joined}.${fraction}`
}

/** `1,234,567`, and `12,34,567` as in India. */
function groupsOfThree(text: string, separator: string): boolean {
  const [head = '', ...groups] = text.split(separator)
  if (!/^[1-9]\d{0,2}$/.test(head)) return false
  return (
    groups.every((group) => group.length === 3) ||
    (head.length <= 2 &&
      groups.length > 1 &&
      groups.at(-1)?.length === 3 &&
      groups.slice(0, -1).every((group) => group.length === 2))
  )
}

/** `1,5` becomes `1.5`. `1,2,3` gives only the first number. */
function firstPart(text: string, separator: string): string {
  const parts = text.split(separator)
  return parts.length === 2 ? parts.join('.') : (parts[0] ?? '')
}
