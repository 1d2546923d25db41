import { notFound } from '../../kernel/errors.ts'
import { eachFew, FIRST_LARGE, paginate } from '../../records/paginate.ts'
import type { Paginated } from '../../records/paginate.ts'
import type { KeyPart } from '../../kernel/key.ts'
import type { Records } from '../records.ts'
import type { Drift } from '../executions/records.ts'
import type { TaskRecord } from '../tasks/records.ts'
import type { CalendarUnit } from './period.ts'
import { readUsage, taskUsage } from '../common/usage.ts'
import type { UsageAmounts } from '../common/usage.ts'
import { isoTime } from '../common/time.ts'
import { durationsOf, endsOf, errorsOf, successOf, taskTotalsOf } from './totals.ts'
import type { Durations, ExecutionEnds, UsageSeriesPoint, UsageTotals } from './totals.ts'

/** Usage of the executions of a task that ended in a period. */
export interface TaskUsage extends UsageTotals {
  readonly taskId: string
  readonly name: string
  readonly byStatus: ExecutionEnds
  /** Share of succeeded executions among those that were not cancelled. `null`: there were none. */
  readonly successRate: number | null
}

/** Fill rates of one execution: column → share of rows with a value, 0–1. */
export interface FillRates {
  readonly executionId: string
  readonly at: string
  readonly rows: number
  readonly filled: Readonly<Record<string, number>>
}

/**
 * Columns that the task's latest finished execution filled less than the earlier ones. Empty: as
 * usual.
 */
export interface TaskDrift {
  readonly executionId: string
  readonly at: string
  readonly fields: readonly Drift[]
}

/** One task over time. */
export interface TaskAnalytics extends TaskUsage {
  readonly from: string
  readonly to: string
  readonly durationMs: Durations | null
  readonly errors: Readonly<Record<string, number>>
  readonly points: readonly UsageSeriesPoint[]
  /**
   * Fill rates of executions in the period, oldest first: the last 20 of the present recipe,
   * without those that drifted.
   */
  readonly fillRates: readonly FillRates[]
  /** `null`: none of the latest 20 executions has ended. */
  readonly drift: TaskDrift | null
}

/** Number of recent executions in which the latest finished one is searched. */
const LATEST = 20

/** Reads one list page of tasks, newest first, with their usage. */
export async function readTasks(
  records: Records,
  account: string,
  { from, to }: { from: number; to: number },
  after: readonly KeyPart[] | null,
  limit: number,
): Promise<Paginated<TaskUsage>> {
  const { items, next } = await paginate({
    read: async (at, count) =>
      (
        await records.tasks.list(account, {
          limit: count,
          reverse: true,
          ...(at && { before: at }),
        })
      ).map(({ value, id }) => ({ item: value, position: id })),
    after,
    limit,
    firstRead: FIRST_LARGE,
  })
  return {
    items: await Promise.all(
      items.map(async (task) =>
        usageOf(task, await readUsage(records, account, taskUsage(task.id), from, to)),
      ),
    ),
    next,
  }
}

/**
 * Reads one task. `pointsOf` reads the counters of each unit.
 *
 * @throws {PlatformError} 404 for a task of another account
 */
export async function readTask(
  records: Records,
  account: string,
  id: string,
  { from, to, units }: { from: number; to: number; units: readonly CalendarUnit[] },
  pointsOf: (
    series: string,
    units: readonly CalendarUnit[],
    of: (amounts: UsageAmounts) => UsageTotals,
  ) => Promise<UsageSeriesPoint[]>,
): Promise<TaskAnalytics> {
  const task = await records.tasks.get(account, id)
  if (!task) throw notFound('Task')
  const series = taskUsage(id)
  const [amounts, points, health, drift] = await Promise.all([
    readUsage(records, account, series, from, to),
    pointsOf(series, units, taskTotalsOf),
    records.health.get(account, id),
    readDrift(records, account, id),
  ])
  const samples = (health?.value.samples ?? []).filter(({ at }) => at >= from && at < to)
  return {
    ...usageOf(task.value, amounts),
    from: isoTime(from),
    to: isoTime(to),
    durationMs: durationsOf(amounts),
    errors: errorsOf(amounts),
    points,
    fillRates: samples.map(({ execution, at, rows, filled }) => ({
      executionId: execution,
      at: isoTime(at),
      rows,
      filled,
    })),
    drift,
  }
}

async function readDrift(
  records: Records,
  account: string,
  task: string,
): Promise<TaskDrift | null> {
  const latest = await records.executions.listIds('task', account, {
    within: [task],
    limit: LATEST,
    reverse: true,
  })
  for await (const { value } of eachFew(records.executions, account, latest)) {
    if (value.finishedAt !== null)
      return { executionId: value.id, at: isoTime(value.finishedAt), fields: value.drift ?? [] }
  }
  return null
}

function usageOf({ id, name }: TaskRecord, amounts: UsageAmounts): TaskUsage {
  const byStatus = endsOf(amounts)
  return { taskId: id, name, ...taskTotalsOf(amounts), byStatus, successRate: successOf(byStatus) }
}
