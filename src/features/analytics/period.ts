import { badRequest } from '../../kernel/errors.ts'
import { LocalCalendar } from '../common/local-calendar.ts'

/** A time, and the clocks by which it is divided. */
export interface Period {
  readonly from: number
  readonly to: number
  readonly calendar: LocalCalendar
}

/** What a caller says of a period. */
export interface PeriodQuery {
  /** A date of the time zone, or a time with its offset. Default: 29 days before the day of `to`. */
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
 * Reads a period. Times are widened to quarter hours.
 *
 * @throws {PlatformError} 400 that names what is wrong
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
        message: 'is no time zone; names are those of the IANA database, such as Europe/Berlin',
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
  const at = !isDate
    ? NaN
    : DAY.test(text)
      ? calendar.startOf(Number(year), Number(month) - 1, Number(day))
      : Date.parse(text)
  if (Number.isNaN(at))
    throw badRequest([
      {
        path,
        message:
          'must be a date such as 2030-01-31, or a time with its offset such as 2030-01-31T12:00:00Z, from 2000 to 2199',
      },
    ])
  return at
}
