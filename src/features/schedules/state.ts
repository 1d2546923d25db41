import { notFound } from '../../kernel/errors.ts'
import { DAY_MS } from '../../kernel/time.ts'
import type { Core } from '../core.ts'
import { isoTime } from '../common/time.ts'
import { timetableOf } from './service.ts'
import type { Schedules } from './service.ts'
import type { Timetable } from './timetable.ts'

const SHOWN_RUNS = 5
/** Times that have passed, at most. */
const MOST_PAST = 200
const PAST_MS = 7 * DAY_MS

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
      // A process whose clock is ahead has put the next time later than the pattern says.
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
 * The times of the last week. Not those before the last change of the task: another schedule may
 * have been in force. Where they are many, the latest are named, by the distance of the next ones.
 */
function pastTimes(times: Timetable, changedAt: number, now: number): readonly number[] {
  const coming = times.following(now, MOST_PAST)
  const [first, end] = [coming[0], coming.at(-1)]
  const span = coming.length < MOST_PAST || first === undefined ? PAST_MS : (end ?? now) - first
  const since = Math.max(now - PAST_MS, now - span, changedAt)
  return times.following(since, MOST_PAST).filter((time) => time <= now)
}
