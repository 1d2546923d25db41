import { DAY_MS } from '../../../kernel/time.ts'

/** The most common times. All others are typed by hand. */
export const USUAL = {
  hourly: '0 * * * *',
  daily: '0 6 * * *',
  weekdays: '0 6 * * 1-5',
  weekly: '0 6 * * 1',
  monthly: '0 6 1 * *',
} as const

const NAMES = ['hourly', 'daily', 'weekdays', 'weekly', 'monthly'] as const

/** The name of a common schedule. `undefined`: it is another one. */
export function usualOf(cron: string): keyof typeof USUAL | undefined {
  return NAMES.find((name) => USUAL[name] === cron)
}

/** Maximum delay, in ms, with which a run may begin, because workers need a moment to take it. */
const LATE_MS = 120_000

/**
 * The past times of a schedule that have no run: nothing ran, or the run was deleted.
 *
 * @param past Times of the schedule, as the API writes them; an older server names none
 * @param settled Times whose outcome is known
 * @param since Runs before it are not known, so nothing is said of earlier times
 */
export function withoutRun(
  past: readonly string[] | undefined,
  settled: readonly number[],
  since: number,
  now: number,
): readonly number[] {
  const times = new Set(settled)
  return (past ?? [])
    .map((time) => Date.parse(time))
    .filter((time) => time >= since && time <= now - LATE_MS && !times.has(time))
}

/**
 * The times within the next week. The service names the next five. Later times are computed from
 * their distances.
 */
export function plannedOf(nextRuns: readonly string[], now: number): number[] {
  const times = nextRuns.map((time) => Date.parse(time))
  const [last, before] = [times.at(-1), times.at(-2)]
  if (last === undefined || before === undefined) return times
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? time))
  const isEven = gaps.every((gap) => gap === last - before)
  const until = now + 7 * DAY_MS
  if (!isEven || times.length < 5) return times
  for (let time = last + (last - before); time < until; time += last - before) times.push(time)
  return times
}
