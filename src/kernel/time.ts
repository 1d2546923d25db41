/** Lengths of time in milliseconds, as `Clock` and stored times count them. */
export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
/** Of a UTC day, which has no changes of daylight saving. */
export const DAY_MS = 24 * HOUR_MS

/**
 * How far ahead a queue schedules a job, in ms. One for a later time comes earlier, and its handler
 * asks for it again. So a time further ahead was set by a clock that was ahead, and nobody waits
 * for it.
 */
export const MOST_AHEAD_MS = DAY_MS + HOUR_MS
/** Difference, in ms, between the clocks of two processes that is not an error. */
export const MOST_SKEW_MS = 5 * MINUTE_MS

/** A number of days as a text: `1 day`, `7 days`. */
export function inDays(days: number): string {
  return days === 1 ? '1 day' : `${days} days`
}
