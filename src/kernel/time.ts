/** Lengths of time in milliseconds, as `Clock` and stored times count them. */
export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
/** Length of a UTC day, which has no daylight saving time. */
export const DAY_MS = 24 * HOUR_MS

/**
 * How far ahead a queue schedules a job, in ms. A job for a later time is delivered earlier, and
 * its handler schedules it again. So a stored time that is further ahead comes from a wrong clock,
 * and is not waited for.
 */
export const MOST_AHEAD_MS = DAY_MS + HOUR_MS
/** Difference, in ms, between the clocks of two processes that does not count as an error. */
export const MOST_SKEW_MS = 5 * MINUTE_MS

/** A number of days as a text: `1 day`, `7 days`. */
export function inDays(days: number): string {
  return days === 1 ? '1 day' : `${days} days`
}
