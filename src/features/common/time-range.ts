import { badRequest } from '../../kernel/errors.ts'
import { isInCalendar } from './time.ts'

/** A time filter of a list. */
export interface RangeQuery {
  /** Start, inclusive: a month, day or time in ISO 8601. Months and days are UTC. */
  readonly from?: string
  /** End, exclusive, in the same form. */
  readonly to?: string
}

/** A range of Unix milliseconds. A missing start or end is infinite. */
export interface TimeRange {
  /** Inclusive. */
  readonly begin: number
  /** Exclusive. */
  readonly end: number
}

/** @throws {PlatformError} 400 for a text that is not a time, and for a `from` after `to` */
export function rangeOf({ from, to }: RangeQuery): TimeRange {
  const [begin, end] = [timeOf('from', from) ?? -Infinity, timeOf('to', to) ?? Infinity]
  if (begin > end) throw badRequest([{ path: 'from', message: 'must not be after to' }])
  return { begin, end }
}

/** True if a range has a start or an end. */
export function isLimited({ begin, end }: TimeRange): boolean {
  return begin > -Infinity || end < Infinity
}

/** True for a time in the range. */
export function isWithin({ begin, end }: TimeRange, time: number): boolean {
  return time >= begin && time < end
}

const TIME = /^20\d\d-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?)?$/

function timeOf(path: string, text: string | undefined): number | null {
  if (text === undefined) return null
  const time = TIME.test(text) && isInCalendar(text) ? Date.parse(text) : NaN
  if (Number.isNaN(time))
    throw badRequest([
      {
        path,
        message:
          'must be a month, a day or a time with its zone, such as 2030-01, 2030-01-31 or 2030-01-31T12:00:00Z',
      },
    ])
  return time
}
