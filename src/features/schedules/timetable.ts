import { Cron } from 'croner'
import { LocalClock } from './local-clock.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** The times of a schedule. */
export interface Timetable {
  /** The first time after `after`, both Unix milliseconds. `null`: none. */
  next(after: number): number | null
  /** The next `count` times, or all if there are fewer. */
  following(after: number, count: number): number[]
}

/** The error for an invalid schedule. Its message says what is wrong. */
export class TimetableError extends Error {
  override readonly name = 'TimetableError'
  /** The invalid part. */
  readonly part: 'cron' | 'timeZone'

  constructor(part: 'cron' | 'timeZone', message: string) {
    super(message)
    this.part = part
  }
}

/**
 * Parses a cron pattern of five fields (minute, hour, day, month, weekday), or a nickname such as
 * `@daily`, in a time zone (IANA name).
 *
 * Each local time that matches runs once. A time that the change to summer time skips runs at the
 * moment of the change. A time that occurs twice runs at its first occurrence. A pattern of every
 * hour, such as `0 * * * *`, runs at all moments that match, so its runs keep their distance.
 *
 * @throws {TimetableError}
 */
export function parseTimetable(pattern: string, timeZone: string): Timetable {
  const clock = clockOf(timeZone)
  const cron = read(pattern)
  // The pattern is matched against local times as if they were in UTC, which has no summer time.
  const nextLocal = (after: number): number | null =>
    cron.nextRun(new Date(after))?.getTime() ?? null
  const start = Date.UTC(2024, 0, 1)
  if (nextLocal(start) === null)
    throw new TimetableError('cron', 'names a date that does not exist')
  const next = isEveryHour(nextLocal, start)
    ? (after: number) => nextMoment(clock, nextLocal, after)
    : (after: number) => {
        const local = nextLocal(clock.latest(after))
        return local === null ? null : clock.firstOf(local)
      }
  return {
    next,
    following(after, count) {
      const runs: number[] = []
      for (let index = next(after); index !== null && runs.length < count; index = next(index))
        runs.push(index)
      return runs
    },
  }
}

type NextLocal = (after: number) => number | null

/** True if a pattern matches in each hour of the days that it matches. */
function isEveryHour(nextLocal: NextLocal, after: number): boolean {
  const first = nextLocal(after)
  if (first === null) return false
  const midnight = Math.floor(first / DAY) * DAY
  for (let hour = midnight; hour < midnight + DAY; hour += HOUR) {
    const match = nextLocal(hour - 1)
    if (match === null || match >= hour + HOUR) return false
  }
  return true
}

/** The first moment after one at which the clock shows a time that matches. */
function nextMoment(clock: LocalClock, nextLocal: NextLocal, after: number): number | null {
  const setBack = clock.setBackNear(after)
  let best: number | null = null
  let local = nextLocal(clock.at(after) - setBack)
  while (local !== null && (best === null || local <= clock.at(best) + setBack)) {
    for (const moment of clock.allOf(local))
      if (moment > after && (best === null || moment < best)) best = moment
    local = nextLocal(local)
  }
  return best
}

const NAMES: readonly string[] = [
  '@yearly',
  '@annually',
  '@monthly',
  '@weekly',
  '@daily',
  '@midnight',
  '@hourly',
]

function read(pattern: string): Cron {
  // Our own message, because the library's message names a mode and parts that are refused here.
  if (pattern.trim().split(/\s+/).length !== 5 && !NAMES.includes(pattern.trim().toLowerCase()))
    throw new TimetableError(
      'cron',
      'must have five parts (minute, hour, day of the month, month, day of the week), such as ' +
        `0 6 * * 1, or be one of ${NAMES.join(', ')}`,
    )
  try {
    return new Cron(pattern, { timezone: 'UTC', mode: '5-part', paused: true })
  } catch (error) {
    const detail = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : ''
    throw new TimetableError('cron', detail === '' ? 'is not a cron pattern' : detail)
  }
}

function clockOf(timeZone: string): LocalClock {
  try {
    if (timeZone !== '') return new LocalClock(timeZone)
  } catch {}
  throw new TimetableError(
    'timeZone',
    'is not a time zone; use a name of the IANA database, such as Europe/Berlin',
  )
}
