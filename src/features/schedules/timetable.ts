import { Cron } from 'croner'

/** The times of a schedule. */
export interface Timetable {
  /** The first time after `after`, both Unix milliseconds. `null`: none. */
  next(after: number): number | null
  /** The next `count` times, or all if there are fewer. */
  following(after: number, count: number): number[]
}

/** An invalid schedule. The message says what is wrong with it. */
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
 * `@daily`, in a time zone (IANA name). If a change to summer time skips a run at a fixed hour, the
 * run happens at the first moment after the change. A run in an hour that occurs twice happens
 * once.
 *
 * @throws {TimetableError}
 */
export function parseTimetable(pattern: string, timeZone: string): Timetable {
  if (!isTimeZone(timeZone))
    throw new TimetableError(
      'timeZone',
      'is not a time zone; use a name of the IANA database, such as Europe/Berlin',
    )
  const cron = read(pattern, timeZone)
  const next = (after: number): number | null => cron.nextRun(new Date(after))?.getTime() ?? null
  if (next(Date.UTC(2024, 0, 1)) === null)
    throw new TimetableError('cron', 'names a date that does not exist')
  return {
    next,
    following(after, count) {
      const runs: number[] = []
      for (let at = next(after); at !== null && runs.length < count; at = next(at)) runs.push(at)
      return runs
    },
  }
}

function read(pattern: string, timezone: string): Cron {
  try {
    return new Cron(pattern, { timezone, mode: '5-part', paused: true })
  } catch (error) {
    const detail = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : ''
    throw new TimetableError('cron', detail === '' ? 'is not a cron pattern' : detail)
  }
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
