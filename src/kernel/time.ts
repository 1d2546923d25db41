/** Lengths of time in milliseconds, as `Clock` and stored times count them. */
export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
/** Of a UTC day, which has no changes of daylight saving. */
export const DAY_MS = 24 * HOUR_MS

/** A number of days as a text: `1 day`, `7 days`. */
export function inDays(days: number): string {
  return days === 1 ? '1 day' : `${days} days`
}
