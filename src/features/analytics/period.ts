import { badRequest } from '../../kernel/errors.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../kernel/time.ts'

/** A time range, and the time zone whose calendar divides it. */
export interface Period {
  readonly from: number
  readonly to: number
  readonly calendar: LocalCalendar
}

/** A period in a request. */
export interface PeriodQuery {
  /** A date in the time zone, or a time with its offset. Default: 29 days before the day of `to`. */
  readonly from?: string
  /** Exclusive. Default: the end of today. */
  readonly to?: string
  /** IANA name; default `UTC`. */
  readonly timeZone?: string
}

const QUARTER = 900_000
const DAY = /^(\d{4})-(\d\d)-(\d\d)$/
const TIME = /^(\d{4})-(\d\d)-(\d\d)T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/

/**
 * Parses a period. Times are widened to quarter hours.
 *
 * @throws {PlatformError} 400 that names the error
 */
export function readPeriod({ from, to, timeZone = 'UTC' }: PeriodQuery, now: number): Period {
  const calendar = calendarOf(timeZone)
  const [year, month, day] = calendar.dateOf(now)
  const end =
    to === undefined
      ? calendar.startOf(year, month, day + 1)
      : Math.ceil(readTime('to', to, calendar) / QUARTER) * QUARTER
  const last = calendar.dateOf(end - 1)
  const start =
    from === undefined
      ? calendar.startOf(last[0], last[1], last[2] - 29)
      : Math.floor(readTime('from', from, calendar) / QUARTER) * QUARTER
  if (start >= end) throw badRequest([{ path: 'from', message: 'must be before `to`' }])
  return { from: start, to: end, calendar }
}

function calendarOf(timeZone: string): LocalCalendar {
  try {
    return new LocalCalendar(timeZone)
  } catch {
    throw badRequest([
      {
        path: 'timeZone',
        message: 'is not a time zone; use a name of the IANA database, such as Europe/Berlin',
      },
    ])
  }
}

function readTime(path: string, text: string, calendar: LocalCalendar): number {
  const [, year = '', month = '', day = ''] = DAY.exec(text) ?? TIME.exec(text) ?? []
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  const isDate =
    Number(year) >= 2000 &&
    Number(year) < 2200 &&
    date.getUTCMonth() === Number(month) - 1 &&
    date.getUTCDate() === Number(day)
  const time = !isDate
    ? NaN
    : DAY.test(text)
      ? calendar.startOf(Number(year), Number(month) - 1, Number(day))
      : Date.parse(text)
  if (Number.isNaN(time))
    throw badRequest([
      {
        path,
        message:
          'must be a date such as 2030-01-31, or a time with its offset such as ' +
          '2030-01-31T12:00:00Z, from 2000 to 2199',
      },
    ])
  return time
}

/** Units of a calendar. */
export type Granularity = 'hour' | 'day' | 'month'

/** One unit of a calendar; `end` is exclusive. Unix milliseconds. */
export interface CalendarUnit {
  readonly start: number
  readonly end: number
  /** Local name of the unit: `2030-03`, `2030-03-31`, or `2030-03-31T02:00+02:00` for an hour. */
  readonly label: string
}

const QUARTER_HOUR = 15 * MINUTE_MS

/**
 * The calendar of a time zone. All its times are full quarter hours, because the offset of every
 * zone is a multiple of them.
 */
export class LocalCalendar {
  readonly #format: Intl.DateTimeFormat

  /** @throws {RangeError} for a text that is not an IANA name */
  constructor(timeZone: string) {
    if (/^[+-]/.test(timeZone)) throw new RangeError('is an offset')
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'iso8601',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
    })
  }

  /**
   * The time at which a local date begins. If a clock change skips midnight, it is the first moment
   * after. `month` counts from 0.
   */
  startOf(year: number, month: number, day: number): number {
    const midnight = Date.UTC(year, month, day)
    const [before, after] = [this.#offset(midnight - DAY_MS), this.#offset(midnight + DAY_MS)]
    if (before === after) return midnight - before
    let [low, high] = [midnight - DAY_MS, midnight + DAY_MS]
    while (high - low > QUARTER_HOUR) {
      const middle = low + Math.floor((high - low) / QUARTER_HOUR / 2) * QUARTER_HOUR
      if (this.#offset(middle) === before) low = middle
      else high = middle
    }
    return midnight - before < high ? midnight - before : Math.max(high, midnight - after)
  }

  /** The units that overlap `[from, to)`, cut to it. At most `most + 1` units. */
  units(granularity: Granularity, from: number, to: number, most: number): CalendarUnit[] {
    const units: CalendarUnit[] = []
    for (let start = from; start < to && units.length <= most;) {
      const end = Math.min(to, this.#endOf(granularity, start))
      units.push({ start, end, label: this.#label(granularity, start) })
      start = end
    }
    return units
  }

  /** The local date of a time, as `[year, month from 0, day]`. */
  dateOf(time: number): [number, number, number] {
    const local = new Date(time + this.#offset(time))
    return [local.getUTCFullYear(), local.getUTCMonth(), local.getUTCDate()]
  }

  #endOf(granularity: Granularity, time: number): number {
    if (granularity === 'hour') return this.#endOfHour(time)
    const [year, month, day] = this.dateOf(time)
    for (let more = 1; ; more++) {
      const end =
        granularity === 'day'
          ? this.startOf(year, month, day + more)
          : this.startOf(year, month + more, 1)
      // If a zone skipped a date, that day has no length.
      if (end > time) return end
    }
  }

  /** An hour ends at a full local hour, or at a clock change. */
  #endOfHour(time: number): number {
    const offset = this.#offset(time)
    const full = time + HOUR_MS - ((time + offset) % HOUR_MS)
    for (let end = time + QUARTER_HOUR; end < full; end += QUARTER_HOUR)
      if (this.#offset(end) !== offset) return end
    return full
  }

  #label(granularity: Granularity, time: number): string {
    const offset = this.#offset(time)
    const local = new Date(time + offset).toISOString()
    if (granularity === 'month') return local.slice(0, 7)
    if (granularity === 'day') return local.slice(0, 10)
    return `${local.slice(0, 16)}${offset < 0 ? '-' : '+'}${new Date(Math.abs(offset)).toISOString().slice(11, 16)}`
  }

  #offset(time: number): number {
    const parts: Record<string, number> = {}
    for (const { type, value } of this.#format.formatToParts(time)) parts[type] = Number(value)
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = parts
    return Date.UTC(year, month - 1, day, hour, minute) - Math.floor(time / MINUTE_MS) * MINUTE_MS
  }
}
