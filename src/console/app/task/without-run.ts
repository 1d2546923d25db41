/** How late a run may begin, in ms: workers need a moment to take it up. */
const LATE_MS = 120_000

/**
 * The past times of a schedule for which nothing ran.
 *
 * @param past Times of the schedule, as the API writes them
 * @param taken Times of which is known what became of them
 * @param since Runs before it are not known, so nothing is said of earlier times
 */
export function withoutRun(
  past: readonly string[],
  taken: readonly number[],
  since: number,
  now: number,
): readonly number[] {
  const known = new Set(taken)
  return past
    .map((time) => Date.parse(time))
    .filter((time) => time >= since && time <= now - LATE_MS && !known.has(time))
}
