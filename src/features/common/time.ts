import { DAY_MS } from '../../kernel/time.ts'

const DATE = /^(\d{4})-(\d\d)(?:-(\d\d))?(?!\d)/

/**
 * True if the month or day at the start of an ISO 8601 time exists. `Date.parse` accepts 30
 * February as a day in March.
 */
export function isInCalendar(text: string): boolean {
  const [, year, month, day = '01'] = DATE.exec(text) ?? []
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`)
  return date.getUTCMonth() + 1 === Number(month) && date.getUTCDate() === Number(day)
}

const TWO = digits(2)
const THREE = digits(3)

let today = Number.NaN
let date = ''

/**
 * Converts Unix milliseconds to a time on the wire: ISO 8601, UTC. Every response has such times,
 * mostly of one day, so the date is cached. This takes a tenth of the time that `toISOString`
 * needs.
 *
 * @throws {RangeError} for a number that is not a time
 */
export function isoTime(ms: number): string {
  const day = Math.floor(ms / DAY_MS)
  if (day !== today || !Number.isInteger(ms)) {
    const whole = new Date(ms).toISOString()
    if (!Number.isInteger(ms)) return whole
    date = whole.slice(0, whole.indexOf('T') + 1)
    today = day
  }
  const rest = ms - day * DAY_MS
  const hours = TWO[Math.floor(rest / 3_600_000)]
  const minutes = TWO[Math.floor(rest / 60_000) % 60]
  const seconds = TWO[Math.floor(rest / 1_000) % 60]
  return `${date}${hours}:${minutes}:${seconds}.${THREE[rest % 1_000]}Z`
}

function digits(length: number): readonly string[] {
  return Array.from({ length: 10 ** length }, (_, number) => String(number).padStart(length, '0'))
}

/** {@link isoTime} of a time that may be `null`. */
export function isoTimeOrNull(ms: number | null): string | null {
  return ms === null ? null : isoTime(ms)
}

/** The day of a time as `YYYY-MM-DD`, UTC. Daily caps use it. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

/** The month of a time as `YYYY-MM`, UTC. Statements and plan credits use it. */
export function monthOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 7)
}

/** Start of a month, Unix milliseconds. */
export function startOfMonth(month: string): number {
  return Date.parse(`${month}-01T00:00:00.000Z`)
}

/** The next month. */
export function monthAfter(month: string): string {
  // Forty days after the start of a month are always in the next one.
  return monthOf(startOfMonth(month) + 40 * DAY_MS)
}

/** End of a month, which is the start of the next, in Unix milliseconds. */
export function endOfMonth(month: string): number {
  return startOfMonth(monthAfter(month))
}
