import { notFound } from '../../kernel/errors.ts'
import { DAY_MS } from '../../kernel/time.ts'
import type { Core } from '../core.ts'
import { isoTime } from '../common/time.ts'
import { timetableOf } from './service.ts'
import type { Schedules } from './service.ts'
import type { Timetable } from './timetable.ts'

const SHOWN_RUNS = 5
/** Maximum number of past times that are listed. */
const MOST_PAST = 200
const PAST_MS = 7 * DAY_MS
/**
 * A pattern has at most one time a minute, so a span of this length does not have more times than
 * are listed.
 */
const STEP_MS = MOST_PAST * 60_000

/** The service of schedules. */
export function createSchedules({ records, clock }: Core): Schedules {
  return {
    async get({ account }, taskId) {
      const [task, stored] = await Promise.all([
        records.tasks.get(account, taskId),
        records.schedules.get(account, taskId),
      ])
      if (!task) throw notFound('Task')
      const schedule = task.value.schedule ?? null
      const setBy = stored?.value.setBy ?? null
      const last = stored?.value.last ?? null
      const now = clock.now()
      const times =
        schedule && stored && task.value.status === 'active' ? await timetableOf(schedule) : null
      // A process whose clock was ahead may have set a next time that is later than the pattern's.
      const from = Math.max(now, (stored?.value.nextAt ?? now) - 1)
      return {
        schedule,
        setBy: schedule && setBy ? { user: setBy.user, keyId: setBy.key } : null,
        nextRuns: (times?.following(from, SHOWN_RUNS) ?? []).map(isoTime),
        pastTimes: (times ? pastTimes(times, task.value.updatedAt, now) : []).map(isoTime),
        last: last && {
          at: isoTime(last.at),
          outcome: last.outcome,
          executionId: last.execution,
          message: last.message,
        },
      }
    },
  }
}

/**
 * The times of the last week; if there are many, the latest ones. Times before the last change of
 * the task are left out, because the task may have had another schedule then.
 */
function pastTimes(times: Timetable, changedAt: number, now: number): readonly number[] {
  const since = Math.max(now - PAST_MS, changedAt)
  let past: number[] = []
  // The search goes backwards from now, because a schedule may have many times in some hours and
  // none for days.
  for (let end = now; end > since && past.length < MOST_PAST; end -= STEP_MS)
    past = [...timesWithin(times, Math.max(since, end - STEP_MS), end), ...past]
  return past.slice(-MOST_PAST)
}

/** The times after one moment, up to another. */
function timesWithin(times: Timetable, after: number, until: number): number[] {
  const within: number[] = []
  for (let time = times.next(after); time !== null && time <= until; time = times.next(time))
    within.push(time)
  return within
}
