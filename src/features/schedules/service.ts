import { notFound } from '../../kernel/errors.ts'
import type { Principal } from '../../kernel/http/route.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Records } from '../../records/records.ts'
import type { Schedule, TickOutcome } from '../../records/schedule-records.ts'
import { timetableOf } from '../common/timetable-of.ts'
import { isoTime } from '../iso-time.ts'

const SHOWN_RUNS = 5

/** Where a task's schedule stands, on the wire. */
export interface ScheduleState {
  readonly schedule: Schedule | null
  /** ISO 8601; none while the task is not active. */
  readonly nextRuns: readonly string[]
  /** Whose right its runs have; `null`: nobody's in particular. */
  readonly setBy: { readonly user: string; readonly keyId: string | null } | null
  readonly last: {
    readonly at: string
    readonly outcome: TickOutcome
    readonly executionId: string | null
    readonly message: string | null
  } | null
}

/** Schedules of tasks. They are set with the task; here is what becomes of them. */
export interface Schedules {
  /** Another account's task is not found. */
  read(principal: Principal, taskId: string): Promise<ScheduleState>
}

/** What {@link createSchedules} works with. */
export interface SchedulesOptions {
  readonly records: Records
  readonly clock: Clock
}

/** The service of schedules. */
export function createSchedules({ records, clock }: SchedulesOptions): Schedules {
  return {
    async read({ account }, taskId) {
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
          ? (await timetableOf(schedule)).following(clock.now(), SHOWN_RUNS)
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
