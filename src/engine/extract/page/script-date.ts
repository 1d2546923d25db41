/** The largest year that JavaScript takes for a year of the 20th century. */
const LAST_SHORT = 99

/**
 * The date that `new Date(…)` makes from its numbers. A single number is in milliseconds, and the
 * date is in UTC. With several numbers, the month counts from 0, and the date has no zone, because
 * the script uses the visitor's zone: `2020-02-02`, or `2020-02-02T10:30:00`. `null`: there is no
 * such date, or not all arguments are numbers.
 */
export function scriptDate(values: readonly unknown[]): string | null {
  const parts = values.filter((value) => typeof value === 'number')
  if (parts.length < values.length) return null
  const [year = 0, month, day = 1, ...clock] = parts
  if (month === undefined) return isoOf(year)
  const [hour = 0, minute = 0, second = 0, ms = 0] = clock
  const wholeYear = year >= 0 && year <= LAST_SHORT ? 1_900 + year : year
  const time = isoOf(Date.UTC(wholeYear, month, day, hour, minute, second, ms))
  if (time === null) return null
  return clock.length === 0 ? time.slice(0, time.indexOf('T')) : time.replace(/(?:\.000)?Z$/, '')
}

/** A time as text. `null`: it is outside the calendar. */
function isoOf(time: number): string | null {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}
