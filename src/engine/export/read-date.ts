import { DAY_MS, MINUTE_MS } from '../../kernel/time.ts'

const DATE =
  /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:Z|([+-])(\d{2}):(\d{2}))?)?$/
/** Date.UTC reads years up to 99 as years of the 20th century. The calendar repeats after 400 years. */
const AGE_YEARS = 400
const AGE_MS = 146_097 * DAY_MS

/** A point in time, and whether it was given as a day only. */
export interface ExportDate {
  /** Unix time in milliseconds. A date without a zone counts as UTC. */
  readonly at: number
  readonly isDay: boolean
}

/**
 * Reads an ISO 8601 date as recipes write it. Returns `null` for any other text and for days that
 * do not exist.
 */
export function readDate(text: string): ExportDate | null {
  const match = DATE.exec(text)
  if (match === null) return null
  const [, year, month, day, hour, minute, second, fraction, sign, zoneHour, zoneMinute] = match
  const [y, m, d] = [Number(year), Number(month), Number(day)]
  if (m < 1 || m > 12 || d < 1 || d > daysOf(y, m)) return null
  const midnight = Date.UTC(y + AGE_YEARS, m - 1, d) - AGE_MS
  if (hour === undefined) return { at: midnight, isDay: true }
  const [h, min, s] = [Number(hour), Number(minute), Number(second)]
  if (h > 23 || min > 59 || s > 59 || Number(zoneHour ?? 0) > 23 || Number(zoneMinute ?? 0) > 59)
    return null
  const offset =
    sign === undefined ? 0 : (Number(zoneHour) * 60 + Number(zoneMinute)) * (sign === '-' ? -1 : 1)
  const millis = fraction === undefined ? 0 : Math.trunc(Number(`0.${fraction}`) * 1_000)
  return { at: midnight + (h * 60 + min - offset) * MINUTE_MS + s * 1_000 + millis, isDay: false }
}

function daysOf(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}
