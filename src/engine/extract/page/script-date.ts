/** The last year of two digits, which the language takes for one of the last century. */
const LAST_SHORT = 99

/**
 * The date that `new Date(…)` makes of its numbers: of one, which are milliseconds, in UTC; of
 * several, whose months begin at 0, without a zone, because the script means that of its visitor:
 * `2020-02-02`, or `2020-02-02T10:30:00`. `null`: it makes none, or not all are numbers.
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

/** A time as text. `null`: the calendar does not reach so far. */
function isoOf(time: number): string | null {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}
