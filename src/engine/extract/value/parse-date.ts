import type { ValueReading } from '../../recipe/recipe-input.ts'
import { DAY_MS } from '../../../kernel/time.ts'
import { calendarDates } from './calendar-date.ts'
import type { CalendarDate } from './calendar-date.ts'
import { clockTimes } from './clock-time.ts'
import type { ClockTime } from './clock-time.ts'
import type { DateFormat } from './date-format.ts'
import { dateTokens } from './date-tokens.ts'
import type { DateToken } from './date-tokens.ts'
import { DateWords } from './date-words.ts'
import { withLatinDigits } from './number-format.ts'
import { relativeDate } from './relative-date.ts'

/** Maximum characters in which a date is searched. */
export const DATE_TEXT = 1_000
const COMPACT = /^(\d{4})(\d\d)(\d\d)(?:T?(\d\d)(\d\d)(\d\d)?(Z?))?$/i
const EPOCH = /^\d{10}(?:\d{3})?$/
/**
 * Maximum number of days that a date without a year may be in the future. Events are announced for
 * the near future; posts are from the past.
 */
const MOST_AHEAD = 90

/** A date in a text. */
export interface ReadDate {
  /** `null`: there is no date, or it is ambiguous. */
  readonly value: string | null
  /** True if the numbers may be day and month in either order, and the order is not known. */
  readonly isUnclear: boolean
}

const clear = (value: string | null): ReadDate => ({ value, isUnclear: false })
const NONE = clear(null)

/** The value of {@link readDate}. */
export function parseDate(text: string, format?: DateFormat): string | null {
  return readDate(text, format).value
}

/**
 * Reads a date and writes it as ISO 8601: `2026-01-05`, with a time `2026-01-05T14:30:00`, with a
 * zone `2026-01-05T14:30:00+02:00` (`Z` for UTC). Known forms: ISO 8601, RFC 2822, `5 January
 * 2026`, `Jan 5, 2026`, `2026/1/5`, `2026年1月5日`, `31.12.2026`, `20260105`, Unix seconds and
 * milliseconds. The first date in the text is taken.
 *
 * `05.01.2026` with dots is day first, as in all countries that use dots. With slashes or dashes
 * the order is clear if one number is above 12, or if `order` or the `language` says it. Otherwise
 * `01/02/2026` is 2 January to some and 1 February to others. A guessed date is worse than none, so
 * the result is `null`. Months have the names of English and of the `language`.
 *
 * With `now`, a text without such a date may say `3 days ago` or `yesterday`, a day without its
 * year (the year of `now`, or the one before if the day would be far ahead), or a week day (the
 * last one), each in English and in the `language`. What is counted in hours or less is a point in
 * time, in UTC.
 */
export function readDate(text: string, format: DateFormat = {}): ReadDate {
  const source = withLatinDigits(text.slice(0, DATE_TEXT)).trim()
  const { now = null, language = null } = format
  const hasDigits = /\d/.test(source)
  if (!hasDigits && now === null) return NONE
  if (EPOCH.test(source))
    return clear(
      new Date(Number(source) * (source.length === 10 ? 1_000 : 1))
        .toISOString()
        .replace('.000Z', 'Z'),
    )
  const compact = COMPACT.exec(source)
  if (compact !== null) return clear(writeCompact(compact))
  const tokens = dateTokens(source)
  const words = new DateWords(language)
  const times = clockTimes(tokens, words)
  const { whole, yearless, isUnclear } = calendarDates(tokens, words, times, format)
  if (whole !== null) return clear(write(whole, whole.year, timeOf(whole, tokens, times, words)))
  if (isUnclear) return { value: null, isUnclear: true }
  if (now === null) return NONE
  const relative = relativeDate(tokens, times, language, now)
  if (relative !== null) return clear(relative)
  // A year elsewhere in the text belongs to the date, which then does not get the year of `now`.
  if (yearless !== null && tokens.some(isYear)) return NONE
  if (yearless !== null)
    return clear(write(yearless, yearOf(yearless, now), timeOf(yearless, tokens, times, words)))
  return clear(bareDay(tokens, times, words, now))
}

function writeCompact([, year, month, day, hour, minute, second, zone]: RegExpExecArray):
  | string
  | null {
  const date = write({ month: Number(month), day: Number(day) }, Number(year), null)
  if (date === null || hour === undefined || minute === undefined) return date
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second ?? 0) > 59) return date
  return `${date}T${hour}:${minute}:${second ?? '00'}${(zone ?? '').toUpperCase()}`
}

function write(
  { month, day }: Pick<CalendarDate, 'month' | 'day'>,
  year: number,
  time: string | null,
): string | null {
  const calendarDay = new Date(0)
  // Date.UTC maps years below 100 to years of the 20th century.
  calendarDay.setUTCFullYear(year, month - 1, day)
  if (calendarDay.getUTCMonth() !== month - 1 || calendarDay.getUTCDate() !== day) return null
  const date = calendarDay.toISOString().slice(0, 10)
  return time === null ? date : `${date}T${time}`
}

function isYear({ kind, text }: DateToken): boolean {
  return kind === 'number' && /^(?:1[89]|2[01])\d\d$/.test(text)
}

/** The year of a day without a year. */
function yearOf({ month, day }: Pick<CalendarDate, 'month' | 'day'>, now: number): number {
  const year = new Date(now).getUTCFullYear()
  return Date.UTC(year, month - 1, day) - now > MOST_AHEAD * DAY_MS ? year - 1 : year
}

/** A week day or a time, if the text contains nothing else. */
function bareDay(
  tokens: readonly DateToken[],
  times: readonly ClockTime[],
  words: DateWords,
  now: number,
): string | null {
  const [time = null, more] = times
  if (more !== undefined) return null
  const rest = tokens.filter(
    ({ kind, text }, index) =>
      kind !== 'sign' &&
      !(time !== null && index >= time.from && index < time.end) &&
      !(kind === 'word' && isSmall(text) && words.day(text) === null),
  )
  const [only, other] = rest
  if (other !== undefined || (only === undefined && time === null)) return null
  const today = Math.floor(now / DAY_MS) * DAY_MS
  let ago = 0
  if (only !== undefined) {
    const day = only.kind === 'word' ? words.day(only.text) : null
    if (day === null) return null
    ago = (new Date(now).getUTCDay() - day + 7) % 7 || 7
  }
  const date = new Date(today - ago * DAY_MS).toISOString().slice(0, 10)
  return time?.value ? `${date}T${time.value}` : date
}

/** Words that may be between a date and its time, in addition to those of at most three letters. */
const BETWEEN = new Set(['alle', 'saat', 'vers', 'ora', 'ore', 'uhr'])
const MOST_SMALL = 3

function isSmall(word: string): boolean {
  return word.length <= MOST_SMALL || BETWEEN.has(word)
}

/** The time that belongs to a date: the one within it, the next one after it, or the one before. */
function timeOf(
  { from, end, time }: CalendarDate,
  tokens: readonly DateToken[],
  times: readonly ClockTime[],
  words: DateWords,
): string | null {
  if (time !== null) return time.value
  const near = (start: number, stop: number): boolean => {
    const between = tokens.slice(start, stop)
    const others = between.filter(({ kind, text }) => kind === 'word' && words.day(text) === null)
    return (
      between.length <= 8 &&
      others.length <= 2 &&
      others.every(({ text }) => isSmall(text)) &&
      !between.some(({ kind, text }) => kind === 'number' || /[;|]/.test(text))
    )
  }
  const after = times.find((clockTime) => clockTime.from >= end)
  if (after !== undefined && near(end, after.from)) return after.value
  const before = times.findLast((clockTime) => clockTime.end <= from)
  return before !== undefined && near(before.end, from) ? before.value : null
}

/** The orders in which a page may write day and month. */
const ORDERS = ['dmy', 'mdy'] as const

/**
 * Returns the type of a column of dates. `12-05-2024` may be read in two ways, but beside
 * `11-29-2024` in only one. `null`: no text of the column shows the order, so the texts stay
 * unchanged.
 */
export function dateReading(texts: readonly string[], format: DateFormat): ValueReading | null {
  const dates = texts.map((text) => ({ text, ...readDate(text, format) }))
  if (!dates.some(({ isUnclear }) => isUnclear)) return 'date'
  const fitting = ORDERS.filter((order) =>
    dates.every(
      ({ text, value, isUnclear }) =>
        (value === null && !isUnclear) || readDate(text, { ...format, order }).value !== null,
    ),
  )
  const [order, other] = fitting
  return order === undefined || other !== undefined ? null : { date: { order } }
}
