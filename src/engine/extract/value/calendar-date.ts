import type { ClockTime } from './clock-time.ts'
import { isYearFirst, orderOf } from './date-format.ts'
import type { DateFormat } from './date-format.ts'
import { isAt, numberAt } from './date-tokens.ts'
import type { DateToken } from './date-tokens.ts'
import type { DateWords } from './date-words.ts'

/** A day in a text. The calendar may not have it, such as 31 February. */
export interface CalendarDate {
  readonly year: number
  readonly month: number
  readonly day: number
  /** Index of its first token, and of the first token after it. */
  readonly from: number
  readonly end: number
  /** The time inside it: `Aug 5 12:00:00 2015`. */
  readonly time: ClockTime | null
}

/** The day in a text. */
export interface CalendarDates {
  /** The first day with its year. */
  readonly whole: CalendarDate | null
  /** The first day without a year, if no day has one. Its `year` has no meaning. */
  readonly yearless: CalendarDate | null
  /** True if the first day may be read in two ways. */
  readonly isUnclear: boolean
}

/** Words within a date: `5th of May`, `12 de enero de 2026`, `Montag den 5. Mai`. */
const FILLING = new Set(
  'st nd rd th of the de del d di den der er e º ª го r lea u do da dia din'.split(' '),
)
const YEAR_SIGN = /^[年년]/u
const MONTH_SIGN = /^[月월]/u
const DAY_SIGN = /^[日일号號]/u
const MOST_BETWEEN = 4
/** Two-digit years are those from 1969 to 2068, as in POSIX. */
const FIRST_OF_CENTURY = 69

/** Finds the first day of a text. */
export function calendarDates(
  tokens: readonly DateToken[],
  words: DateWords,
  times: readonly ClockTime[],
  format: DateFormat,
): CalendarDates {
  const reader = new CalendarReader(tokens, words, times, format)
  for (let index = 0; index < tokens.length; index++) {
    const whole = reader.read(index)
    if (whole !== null) return { whole, yearless: null, isUnclear: false }
    if (reader.isUnclear) break
  }
  return { whole: null, yearless: reader.yearless, isUnclear: reader.isUnclear }
}

type Found = CalendarDate | null

class CalendarReader {
  yearless: Found = null
  isUnclear = false
  readonly #tokens: readonly DateToken[]
  readonly #words: DateWords
  readonly #times: ReadonlyMap<number, ClockTime>
  readonly #format: DateFormat

  constructor(
    tokens: readonly DateToken[],
    words: DateWords,
    times: readonly ClockTime[],
    format: DateFormat,
  ) {
    this.#tokens = tokens
    this.#words = words
    this.#times = new Map(times.map((time) => [time.from, time]))
    this.#format = format
  }

  /** The day with its year that begins at a token. */
  read(index: number): Found {
    const token = this.#tokens[index]
    if (token === undefined || token.kind === 'sign' || this.#isWithin(index)) return null
    if (token.kind === 'word') return this.#monthFirst(index)
    if (token.text.length === 4) return this.#yearFirst(index)
    return token.text.length <= 2 ? this.#dayFirst(index) : null
  }

  /** True for a number that is a part of a word or of another number: `v2`, `1.2.3`. */
  #isWithin(index: number): boolean {
    const [before, token] = [this.#tokens[index - 1], this.#tokens[index]]
    if (token?.kind !== 'number' || token.isSpaced || before === undefined) return false
    if (before.kind === 'word') return /[a-z]$/.test(before.text)
    return (
      token.text.length <= 2 &&
      (before.text === ':' ||
        (/[./-]/.test(before.text) &&
          !before.isSpaced &&
          this.#tokens[index - 2]?.kind === 'number' &&
          !this.#isDayRange(index)))
    )
  }

  /** `5-10 May 2026`: the last day is read. */
  #isDayRange(index: number): boolean {
    return isAt(this.#tokens, index - 1, '-') && this.#nameAt(this.#skip(index + 1, '.')) !== null
  }

  /** `2026-01-05`, `2026 January 5`, `2026年1月5日`, `2026, 5 January`. */
  #yearFirst(index: number): Found {
    const year = Number(this.#tokens[index]?.text)
    const isSign = isAt(this.#tokens, index + 1, '-', '/', '.')
    const hasSign = isSign || this.#starts(index + 1, YEAR_SIGN)
    const next = hasSign ? index + 2 : index + 1
    const month = numberAt(this.#tokens, next)
    if (month === null) {
      const name = this.#skip(hasSign ? index + 2 : index + 1, ',')
      const named = this.#nameAt(name)
      const dayAt = this.#skip(name + 1, '.-')
      const day = named === null ? null : numberAt(this.#tokens, dayAt)
      if (named !== null && day !== null && !isAt(this.#tokens, dayAt + 1, ':'))
        return this.#dateOf(year, named, day, index, dayAt + 1)
      return this.#yearThenDay(index, year)
    }
    const isSpace = !hasSign && this.#tokens[next]?.isSpaced === true
    const hasMonthSign = this.#starts(next + 1, MONTH_SIGN)
    if (
      isSign ? !isAt(this.#tokens, next + 1, this.#tokens[index + 1]?.text ?? '') : !hasMonthSign
    ) {
      // `2026 01 05`
      const day = numberAt(this.#tokens, next + 1)
      const isGrid = [next, next + 1].every((position) => this.#tokens[position]?.text.length === 2)
      if (isSpace && day !== null && isGrid && this.#tokens[next + 1]?.isSpaced === true)
        return this.#dateOf(year, month, day, index, next + 2)
      return this.#yearThenDay(index, year)
    }
    const day = numberAt(this.#tokens, next + 2)
    if (day === null) return null
    const end = next + (this.#starts(next + 3, DAY_SIGN) ? 4 : 3)
    return this.#dateOf(year, month, day, index, end)
  }

  /** `1978, 1 May`. */
  #yearThenDay(index: number, year: number): Found {
    const dayAt = this.#skip(index + 1, ',')
    const day = numberAt(this.#tokens, dayAt)
    const name = this.#skip(dayAt + 1, '.-')
    const month = day === null ? null : this.#nameAt(name)
    const hasOwnYear = this.#yearAt(this.#skip(name + 1, '.,-/'), false) !== null
    return day === null || month === null || hasOwnYear
      ? null
      : this.#dateOf(year, month, day, index, name + 1)
  }

  /** `5 January 2026`, `31.12.2026`, `1月5日`. */
  #dayFirst(index: number): Found {
    const first = Number(this.#tokens[index]?.text)
    if (this.#starts(index + 1, MONTH_SIGN)) return this.#signed(index, first)
    const name = this.#skip(index + 1, '.-/')
    const named = this.#nameAt(name)
    if (named === null) return this.#numbers(index, first)
    // `16 July 13`, year first
    const last = this.#skip(name + 1, '.-/')
    const day = this.#format.order === 'ymd' ? numberAt(this.#tokens, last) : null
    if (day !== null) return this.#dateOf(century(first), named, day, index, last + 1)
    return this.#withYear(named, first, index, name + 1, this.#signAfter(index))
  }

  /** `1月5日`, and with its year after it. */
  #signed(index: number, month: number): Found {
    const day = numberAt(this.#tokens, index + 2)
    if (day === null) return null
    return this.#withYear(
      month,
      day,
      index,
      index + (this.#starts(index + 3, DAY_SIGN) ? 4 : 3),
      '',
    )
  }

  /** `January 5, 2026`. */
  #monthFirst(index: number): Found {
    const dayAt = this.#skip(index + 1, '.-/)]')
    const day = numberAt(this.#tokens, dayAt)
    if (day === null || isAt(this.#tokens, dayAt + 1, ':')) return null
    const month = this.#nameAt(index)
    if (month === null) return null
    return this.#withYear(month, day, index, dayAt + 1, this.#signAfter(index))
  }

  /** Finds the year after a day and a month. `sign`: the sign between the two. */
  #withYear(month: number, day: number, from: number, after: number, sign: string): Found {
    let next = this.#skip(after, ".,-/'’()[]॰")
    const time = this.#times.get(after) ?? this.#times.get(next) ?? null
    // `May 5-10, 2026`
    if (isAt(this.#tokens, after, '-', '–') && numberAt(this.#tokens, after + 1) !== null) {
      const later = this.#skip(after + 2, '.,')
      if (this.#yearAt(later, false) !== null) next = later
    }
    const isShort =
      isAt(this.#tokens, next - 1, "'", '’') ||
      (sign !== '' && isAt(this.#tokens, next - 1, sign)) ||
      next === this.#tokens.length - 1 ||
      this.#times.has(next + 1)
    // `Aug 5 12:00:00 2026`: the year is after the time.
    const year = this.#yearAt(next, isShort && time === null)
    if (year !== null) return this.#dateOf(year, month, day, from, next + 1)
    const afterTime = time === null ? -1 : this.#skip(time.end, ',')
    const later = time === null ? null : this.#yearAt(afterTime, false)
    if (later !== null) return { ...this.#dateOf(later, month, day, from, afterTime + 1), time }
    const hasMore = numberAt(this.#tokens, next, 9) !== null && time === null
    if (!hasMore) this.yearless ??= this.#dateOf(0, month, day, from, after)
    return null
  }

  /** Three numbers, with the year last. */
  #numbers(index: number, first: number): Found {
    const sign = this.#signAfter(index)
    const second = numberAt(this.#tokens, index + 2)
    if (sign === '' || second === null) return null
    const isDot = sign === '.'
    const comma = isAt(this.#tokens, index + 3, ',')
    if (!comma && !isAt(this.#tokens, index + 3, sign)) return null
    if (!isDot && [index + 1, index + 2].some((position) => this.#tokens[position]?.isSpaced))
      return null
    const third = this.#tokens[index + 4]
    const year = this.#yearAt(index + 4, !comma)
    if (third === undefined || year === null) return null
    const isShort = third.text.length === 2
    if (!isDot && !comma && third.isSpaced) return null
    // `1.2.10.4` is not a date.
    if (isShort && isAt(this.#tokens, index + 5, sign) && !this.#tokens[index + 5]?.isSpaced)
      if (this.#tokens[index + 6]?.kind === 'number') return null
    const { order, language } = this.#format
    if (isShort && (order ?? (language && isYearFirst(language) && 'ymd')) === 'ymd')
      return this.#dateOf(century(first), second, Number(third.text), index, index + 5)
    const dateOrder =
      (order === 'ymd' ? undefined : order) ??
      (isDot || first > 12
        ? 'dmy'
        : second > 12 || first === second
          ? 'mdy'
          : language && orderOf(language))
    if (!dateOrder) {
      this.isUnclear = true
      return null
    }
    return dateOrder === 'dmy'
      ? this.#dateOf(year, second, first, index, index + 5)
      : this.#dateOf(year, first, second, index, index + 5)
  }

  #dateOf(year: number, month: number, day: number, from: number, end: number): CalendarDate {
    return { year, month, day, from, end, time: null }
  }

  #signAfter(index: number): string {
    return isAt(this.#tokens, index + 1, '.', '/', '-') ? (this.#tokens[index + 1]?.text ?? '') : ''
  }

  #nameAt(index: number): number | null {
    const token = this.#tokens[index]
    return token?.kind === 'word' ? this.#words.month(token.text) : null
  }

  #yearAt(index: number, isShort: boolean): number | null {
    const token = this.#tokens[index]
    if (token?.kind !== 'number' || isAt(this.#tokens, index + 1, ':')) return null
    if (token.text.length === 4) return Number(token.text)
    return isShort && token.text.length === 2 ? century(Number(token.text)) : null
  }

  #starts(index: number, sign: RegExp): boolean {
    const token = this.#tokens[index]
    return token?.kind === 'word' && sign.test(token.text)
  }

  /** The position after optional signs and words that may be within a date. */
  #skip(index: number, signs: string): number {
    let next = index
    for (; next < index + MOST_BETWEEN; next++) {
      const token = this.#tokens[next]
      if (token === undefined || token.kind === 'number') break
      if (token.kind === 'word' ? !FILLING.has(token.text) : !signs.includes(token.text)) break
    }
    return next
  }
}

function century(year: number): number {
  return year + (year < FIRST_OF_CENTURY ? 2_000 : 1_900)
}
