const DATE = /^(\d{4})-(\d\d)(?:-(\d\d))?(?!\d)/

/**
 * Whether the month or day that a time of ISO 8601 begins with exists. `Date.parse` takes 30
 * February for a day in March.
 */
export function isInCalendar(text: string): boolean {
  const [, year, month, day = '01'] = DATE.exec(text) ?? []
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`)
  return date.getUTCMonth() + 1 === Number(month) && date.getUTCDate() === Number(day)
}

const DAY_MS = 86_400_000
const TWO = digits(2)
const THREE = digits(3)

let today = Number.NaN
let date = ''

/**
 * Unix milliseconds as the wire has times: ISO 8601, UTC. Every answer has some, mostly of one day,
 * so the date is written once: a tenth of what `toISOString` takes.
 *
 * @throws {RangeError} for what is no time
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
  return `${date}${TWO[Math.floor(rest / 3_600_000)]}:${TWO[Math.floor(rest / 60_000) % 60]}:${TWO[Math.floor(rest / 1_000) % 60]}.${THREE[rest % 1_000]}Z`
}

function digits(length: number): readonly string[] {
  return Array.from({ length: 10 ** length }, (_, number) => String(number).padStart(length, '0'))
}

/** {@link isoTime} of a time that may not have come yet. */
export function isoTimeOrNull(ms: number | null): string | null {
  return ms === null ? null : isoTime(ms)
}

/** The day of a time as `YYYY-MM-DD`, UTC: what daily caps go by. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

/** The month of a time as `YYYY-MM`, UTC: what statements and plan credits go by. */
export function monthOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 7)
}

/** When a month begins, Unix milliseconds. */
export function startOfMonth(month: string): number {
  return Date.parse(`${month}-01T00:00:00.000Z`)
}

/** The month after. */
export function monthAfter(month: string): string {
  // Forty days after its first, a month is over and the next is not.
  return monthOf(startOfMonth(month) + 40 * 86_400_000)
}

/** When a month ends and the next begins, Unix milliseconds. */
export function endOfMonth(month: string): number {
  return startOfMonth(monthAfter(month))
}
