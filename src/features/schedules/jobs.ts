import { parseTimetable } from './timetable.ts'
import { emitEvent } from '../common/events.ts'
import { enqueueTick, refusalOf } from './service.ts'
import type { ScheduleRights } from './service.ts'
import { isoTime } from '../common/time.ts'
import { beginExecution, requireIdle } from '../executions/lifecycle.ts'
import type { Recipes } from '../recipes/service.ts'
import { PlatformError } from '../../kernel/errors.ts'
import type { Json } from '../../kernel/json.ts'
import { MOST_SKEW_MS } from '../../kernel/time.ts'
import type { JobResult } from '../../ports/queue.ts'
import { Change } from '../../records/change.ts'
import type { Stored } from '../../records/collection.ts'
import type { Records } from '../records.ts'
import type { Schedule, ScheduleRecord, TickOutcome } from './records.ts'
import type { Reason } from '../executions/records.ts'
import type { TaskRecord } from '../tasks/records.ts'
import { jobFields } from '../common/job.ts'
import type { JobEnds, JobHandlers } from '../common/job.ts'
import type { Core } from '../core.ts'

/** How late a run may start before it counts as missed, in ms. Workers need a moment to take a job. */
const LATE_MS = 60_000
const RETRY_MS = 1_000

/**
 * Emits an event for a schedule that may no longer run. It is emitted once, until a scheduled time
 * has another outcome.
 */
function emitRefusal(
  records: Records,
  change: Change,
  { account, task }: Tick,
  { at, message }: { readonly at: number; readonly message: string | null },
): void {
  const { id, name } = task.value
  emitEvent(records, change, {
    account,
    type: 'schedule.refused',
    id: `evt_schedule-refused_${id}_${at}`,
    at,
    data: { taskId: id, name, scheduledFor: isoTime(at), message },
    taskId: id,
  })
}

/** A task at one of its scheduled times. */
interface Tick {
  readonly account: string
  readonly task: Stored<TaskRecord>
  readonly schedule: Schedule
  readonly state: Stored<ScheduleRecord>
}

function nextOf({ cron, timeZone }: Schedule, after: number): number | null {
  return parseTimetable(cron, timeZone).next(after)
}

/**
 * The job `schedule`: starts a task's execution at a scheduled time and queues the next time. Both
 * are one commit that depends on the schedule's state, so a time that is delivered twice, or to two
 * workers, starts one execution. If the job for a time is given up, that time counts as refused and
 * the next one is queued.
 */
export function scheduleJobs(
  core: Core,
  recipes: Recipes,
  rights: ScheduleRights,
): {
  readonly jobs: JobHandlers
  readonly ends: JobEnds
} {
  const { records, ledger, ids, clock } = core
  const end = async (account: string, state: Stored<ScheduleRecord>): Promise<boolean> => {
    const change = new Change()
    records.schedules.remove(change, account, state)
    return records.commit(change)
  }

  /** Starts the execution unless a condition prevents it. Returns the outcome. */
  const begin = async (
    change: Change,
    { account, task, schedule, state }: Tick,
    now: number,
  ): Promise<{ outcome: TickOutcome; execution: string | null; message: string | null }> => {
    const skipped = (outcome: TickOutcome, message: string | null = null) => ({
      outcome,
      execution: null,
      message,
    })
    if (task.value.status !== 'active') return skipped('skipped_paused')
    if (schedule.missed === 'skip' && now - state.value.nextAt > LATE_MS)
      return skipped('skipped_missed')
    if (!schedule.overlap && !(await requireIdle(records, change, account, task.value.id)))
      return skipped('skipped_overlap')
    const refusal = await refusalOf(core, change, account, state.value.setBy ?? null, now, rights)
    if (refusal !== null) return skipped('refused', refusal)
    const id = ids('exec')
    const { setBy } = state.value
    try {
      const { plan, recipe, params, partial } = await recipes.override(
        await recipes.takeStored(task.value.recipe),
        schedule.params ? { params: schedule.params } : {},
      )
      await beginExecution(
        core,
        change,
        account,
        {
          id,
          taskId: task.value.id,
          recipe: recipe.written,
          ...(params && { params }),
          ...(partial && { partial }),
          retryOf: null,
          datasetId: task.value.datasetId ?? null,
          scheduledFor: state.value.nextAt,
          ...(setBy && { startedBy: { user: setBy.user, key: setBy.key } }),
        },
        plan,
        now,
      )
    } catch (error) {
      if (error instanceof PlatformError) return skipped('refused', error.message)
      throw error
    }
    return { outcome: 'started', execution: id, message: null }
  }

  const advance = async (tick: Tick, refused: Reason | null): Promise<boolean> => {
    const { account, task, schedule, state } = tick
    const now = clock.now()
    const change = new Change()
    records.tasks.require(change, account, task)
    const what = refused
      ? { outcome: 'refused' as const, execution: null, message: refused.message }
      : await begin(change, tick, now)
    const last = { at: state.value.nextAt, ...what }
    if (
      last.outcome === 'refused' &&
      !(state.value.last?.outcome === 'refused' && state.value.last.message === last.message)
    )
      emitRefusal(records, change, tick, last)
    // The clock may have been set back since the scheduled time.
    const nextAt = nextOf(schedule, Math.max(now, state.value.nextAt))
    if (nextAt === null) records.schedules.remove(change, account, state)
    else {
      records.schedules.update(change, account, state, { ...state.value, nextAt, last })
      enqueueTick(records, change, account, task.value.id, nextAt)
    }
    return records.commit(change)
  }

  /**
   * The clock that set the next time was ahead, so earlier times were skipped. Continues with the
   * first of these.
   */
  const goBack = async (
    account: string,
    task: Tick['task'],
    state: Tick['state'],
    nextAt: number,
  ): Promise<boolean> => {
    const change = new Change()
    records.tasks.require(change, account, task)
    records.schedules.update(change, account, state, { ...state.value, nextAt })
    enqueueTick(records, change, account, task.value.id, nextAt)
    return records.commit(change)
  }

  const tick = async (data: Json, refused: Reason | null): Promise<JobResult> => {
    const fields = jobFields(data, 'account', 'task', 'at')
    if (!fields) return 'done'
    const { account } = fields
    const [task, state] = await Promise.all([
      records.tasks.get(account, fields.task),
      records.schedules.get(account, fields.task),
    ])
    // The schedule was changed, or this time has been handled.
    if (!state || String(state.value.nextAt) !== fields.at) return 'done'
    const schedule = task?.value.schedule
    const now = clock.now()
    const { nextAt, last } = state.value
    if (now < nextAt) {
      const first = (task && schedule && nextOf(schedule, now + MOST_SKEW_MS)) ?? nextAt
      // A process whose clock was ahead may already have run the first time too, and no time may
      // run twice.
      if (!task || first >= nextAt || last?.at === first) return { again: Math.min(first, nextAt) }
      return (await goBack(account, task, state, first)) ? 'done' : { again: now + RETRY_MS }
    }
    const settled =
      !task || !schedule || task.value.status === 'archived'
        ? await end(account, state)
        : await ledger.alone(account, () => advance({ account, task, schedule, state }, refused))
    return settled ? 'done' : { again: clock.now() + RETRY_MS }
  }

  return { jobs: { schedule: (data) => tick(data, null) }, ends: { schedule: { end: tick } } }
}
