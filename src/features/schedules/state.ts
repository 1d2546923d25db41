import { notFound } from '../../kernel/errors.ts'
import type { Core } from '../core.ts'
import { isoTime } from '../common/time.ts'
import { timetableOf } from './service.ts'
import type { Schedules } from './service.ts'

const SHOWN_RUNS = 5

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
      const runs =
        schedule && stored && task.value.status === 'active'
          ? // A process whose clock is ahead has put the next time later than the pattern says.
            (await timetableOf(schedule)).following(
              Math.max(clock.now(), stored.value.nextAt - 1),
              SHOWN_RUNS,
            )
          : []
      return {
        schedule,
        setBy: schedule && setBy ? { user: setBy.user, keyId: setBy.key } : null,
        nextRuns: runs.map(isoTime),
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
