import { separatorsOf, withLatinDigits } from './number-format.ts'
import type { DecimalSign, NumberFormat } from './number-format.ts'

/**
 * Digits with their separators. A sign or an accounting parenthesis comes before them, possibly
 * with a currency between.
 */
const NUMBER = /\d(?:[\d.,'’\u00a0\u202f\u2009 ]*\d)?/
/** Maximum characters in which a number is searched. */
export const NUMBER_TEXT = 10_000
/** Characters around the digits that may say more about them. */
const AROUND = 12
/** Characters of a word that multiplies. */
const AFTER_WORD = 16

const CURRENCY_NAME =
  'eur|usd|gbp|jpy|cny|chf|sek|nok|dkk|isk|pln|czk|huf|ron|bgn|rsd|try|tl|brl|r\\$|idr|rp|vnd|đ|kr|kč|ft|zł|' +
  'lei|лв|руб|р|грн|rub|uah|inr|rs|aud|cad|nzd|mxn|clp|cop|ars|pen|zar|r|원|円|元|تومان|ریال|ريال'
/** Currencies as they are written beside a minus. */
const SIGNED_CURRENCY =
  'EUR|USD|GBP|JPY|CNY|CHF|SEK|NOK|DKK|ISK|PLN|CZK|HUF|RON|BGN|RSD|TRY|TL|BRL|IDR|VND|RUB|UAH|INR|' +
  'AUD|CAD|NZD|MXN|CLP|COP|ARS|PEN|ZAR|KRW|HKD|SGD|ILS|kr\\.?|Kč|zł|Ft|lei|Rs\\.?|Rp|R\\$?'
const CURRENCY_AFTER = new RegExp(`^\\s?(?:\\p{Sc}|(?:${CURRENCY_NAME})(?!\\p{L}))`, 'iu')
const CURRENCY_BEFORE = new RegExp(`(?:\\p{Sc}|(?<!\\p{L})(?:${CURRENCY_NAME})\\.?)\\s?$`, 'iu')
/** A price of a unit, such as that of fuel, has three decimals where others have two. */
const PER_UNIT = /^\s?\S{1,4}\s?\//
/** Marks of the direction of writing: Arabic, Hebrew and Persian have them around signs. */
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
/** `36. 24`: a blank before the cents, which pages set in an element of their own. */
const SPLIT = /^\d(?:[\d.,]{0,20}\d)?([.,])\s\d\d(?![\d.,])/
/** `12€50`, and `12€ 50` at the end: the currency stands where the decimal sign would. */
const CENTS = /^\p{Sc}(\d\d(?![\d.,]|\s?\p{Sc})|\s\d\d\s*$)/u
/** `1.200,-`: a whole amount. */
const WHOLE = /^[.,]\s?[-–—]/
const MILLIONS =
  'mio|mln|млн|millions?|millionen|millón|millones|milhão|milhões|milion[ei]?|miliony|milionů|' +
  'milionów|miljoen|miljoner|miljoonaa|milyon|миллион(?:а|ов)?|мільйон(?:а|и|ів)?'
/**
 * Words that multiply a number, by their factor. Chinese, Japanese and Korean count in ten
 * thousands. An English billion is a thousand millions; others have a word of their own for that.
 */
const SCALES: readonly (readonly [factor: number, words: RegExp])[] = [
  [1e3, /^\s?(?:thousand|tausend|tsd|tys|tis|тыс|тис)(?!\p{L})/iu],
  [1e4, /^[万萬만]/],
  [1e5, /^\s?lakhs?(?!\p{L})/iu],
  [1e6, new RegExp(`^\\s?(?:${MILLIONS})(?!\\p{L})`, 'iu')],
  [1e7, /^\s?crores?(?!\p{L})/iu],
  [1e8, /^[亿億억]/],
  [1e9, /^\s?(?:mrd|mld|mlrd|млрд|milliards?|milliarden?|miliard[iy]?|billions?)(?!\p{L})/iu],
]

/** `$12k`, `$1.5M`: letters that multiply amounts. Beside others they may be a unit. */
const LETTERS: Readonly<Record<string, number>> = { k: 1e3, m: 1e6, b: 1e9 }

/** `1.2k` without a currency: thousands. */
const THOUSANDS = /^\d{1,3}[.,]\d{1,2}k$/i
/**
 * `18k`, `1.5M`, `1.2B` without a currency: thousands or millions, or a unit such as carats of
 * gold. `2700K` are degrees, `1.5m` metres, `500B` bytes.
 */
const SHORTENED = /^\d{1,3}(?:[kK]|(?:[.,]\d{1,2})?M|[.,]\d{1,2}B)$/

/** A number in a text. */
export interface ReadNumber {
  /** `null`: there is no number, or it cannot be known which one. */
  readonly value: number | null
  /** True if its separator may group digits or begin a fraction, and nothing says which. */
  readonly isUnclear: boolean
  /** The decimal sign that the text itself shows. `null`: it shows none. */
  readonly shows: DecimalSign | null
  /** The decimal sign that was taken for a text that may be read in two ways. `null`: none. */
  readonly took: DecimalSign | null
}

const NONE: ReadNumber = { value: null, isUnclear: false, shows: null, took: null }
/** Signs of other scripts that have one meaning. {@link withLatinDigits} maps them to `.` and `,`. */
const OWN_SIGNS = /[٫٬．，]/

/**
 * Reads the first number in a text, as people write it: `$1,299.00`, `1.299,00 €`, `1 299,50`,
 * `(5)` is −5, `4.5 out of 5` is 4.5.
 *
 * A single separator before exactly three digits is read as its `decimal`, other numbers beside it
 * or the `language` say: `12.345` is 12345 in German. A currency says that it groups, as prices
 * have no three decimals. If these contradict each other, the value is `null`. If nothing says
 * more, a comma groups, and a dot is the decimal point; the number is then unclear.
 */
export function readNumber(text: string, format: NumberFormat = {}): ReadNumber {
  const source = withLatinDigits(text.length > NUMBER_TEXT ? text.slice(0, NUMBER_TEXT) : text)
  const match = NUMBER.exec(source)
  if (match === null) return NONE
  const start = match.index
  const written = splitAmount(source, start) ?? firstNumber(match[0])
  const end = start + written.length
  const after = source.slice(end, end + AROUND)
  const before = source.slice(Math.max(0, start - AROUND), start).replace(DIRECTION, '')
  const cents = /[.,]/.test(written) ? undefined : CENTS.exec(after)?.[1]?.trim()
  const digits = cents === undefined ? written.replace(/(?<=[.,])\s/, '') : `${written}.${cents}`
  const exponent = /^e[+-]?\d{1,3}(?!\d)/i.exec(after)?.[0] ?? ''
  // The dot of `Rs.75,333` is the end of a name, and those of `...9` are no point.
  const leadingPoint =
    /(?:^|[^\d\w])(?<!\.\.)[.,]$/.test(before.slice(-3)) && !/[.,]/.test(digits) ? '0.' : ''
  const { plain, isUnclear, shows, took } = withPoint(
    digits,
    before,
    after,
    source !== text && OWN_SIGNS.test(text)
      ? { ...format, decimal: format.decimal ?? '.' }
      : format,
  )
  if (plain === null) return { ...NONE, isUnclear }
  const factor = factorOf(digits, before, source.slice(end, end + AFTER_WORD))
  if (factor === null) return { ...NONE, isUnclear: true }
  const value = Number(leadingPoint + plain + exponent) * factor
  if (!Number.isFinite(value)) return NONE
  return { value: isNegative(before, after) ? -value : value, isUnclear, shows, took }
}

/** By what a word or a letter after a number multiplies it. `null`: nobody knows. */
function factorOf(digits: string, before: string, after: string): number | null {
  const [factor] = SCALES.find(([, words]) => words.test(after)) ?? []
  if (factor !== undefined) return factor
  const letter = /^[kmb](?![\p{L}\d])/iu.exec(after)?.[0]
  if (letter === undefined) return 1
  if (CURRENCY_BEFORE.test(before)) return LETTERS[letter.toLowerCase()] ?? 1
  if (THOUSANDS.test(digits + letter)) return 1e3
  return SHORTENED.test(digits + letter) ? null : 1
}

/** The value of {@link readNumber}. */
export function parseNumber(text: string, format?: NumberFormat): number | null {
  return readNumber(text, format).value
}

/** An amount with a blank before its cents, where nothing but a currency is beside it. */
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

interface WithPoint extends Omit<ReadNumber, 'value'> {
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

function withPoint(digits: string, before: string, after: string, format: NumberFormat): WithPoint {
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
    // `1.234.56`: whether the last sign begins a fraction, or a digit is missing, nobody knows.
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
  { seen, language = null, isAmount: isKnownAmount = false }: NumberFormat,
): WithPoint {
  const grouped = { ...clear(bare.replace(separator, '')), took: other(separator) }
  const fraction = { ...clear(bare.replace(separator, '.')), took: separator }
  const isPrice = (isKnownAmount || isAmount(before, after)) && !PER_UNIT.test(after)
  const said =
    seen !== undefined
      ? seen === separator
        ? 'decimal'
        : 'group'
      : language === null
        ? null
        : roleOf(separator, language)
  if (said === 'decimal') return isPrice ? UNCLEAR : fraction
  if (said === 'group') return grouped
  // Prices have no three decimals, so the number shows its sign by itself.
  if (isPrice) return { ...grouped, shows: other(separator) }
  // The language uses the separator for neither, so it is foreign there.
  if (said === 'none') return UNCLEAR
  return { ...(separator === ',' ? grouped : fraction), isUnclear: true, took: null }
}

/** True if the texts around digits say that these are an amount of money. */
export function isAmount(before: string, after: string): boolean {
  return CURRENCY_AFTER.test(after) || CURRENCY_BEFORE.test(before)
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

/** `null`: the decimal sign stands twice, or before another separator. */
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

/** What may stand between a sign and its number: `-$4`, `-US$4`, `-EUR 4`. */
const AFTER_SIGN = `\\s?(?:[^\\w\\s]{0,2}|[A-Z]{1,2}\\p{Sc}|${SIGNED_CURRENCY})\\s?$`
/** A dash between words and a number parts them: `Price - $30`. */
const PARTING = new RegExp(`[\\p{L})]\\s[-−–]\\s${AFTER_SIGN}`, 'u')
// Japanese parts no words: a sign follows the particle.
const MINUS = new RegExp(
  `(?:^|[\\s(:=$€£¥\\p{Script=Hiragana}]|(?<!\\p{L})(?:${SIGNED_CURRENCY}))[-−–]${AFTER_SIGN}`,
  'u',
)

function isNegative(before: string, after: string): boolean {
  if (PARTING.test(before)) return false
  if (MINUS.test(before)) return !/\d\s?[-−–]\s?$/.test(before)
  return /\([^\w\s]{0,2}\s?$/.test(before) && /^\s?[^\w\s)]{0,2}\)/.test(after)
}
