import { notFound } from '../../kernel/errors.ts'
import { eachFew, FIRST_LARGE, paginate } from '../../records/paginate.ts'
import type { Paginated, PositionedItem } from '../../records/paginate.ts'
import type { KeyPart } from '../../kernel/key.ts'
import type { Records } from '../records.ts'
import type { Drift } from '../executions/records.ts'
import type { CalendarUnit } from './period.ts'
import { readUsage } from '../common/read-usage.ts'
import { NO_TASK_USAGE, taskUsage, TASK_SERIES } from '../common/usage.ts'
import type { UsageAmounts } from '../common/usage.ts'
import { isoTime } from '../common/time.ts'
import { durationsOf, endsOf, errorsOf, successOf, taskTotalsOf } from './totals.ts'
import type { Durations, ExecutionEnds, UsageSeriesPoint, UsageTotals } from './totals.ts'

/** Usage of the executions of a task that ended in a period. */
export interface TaskUsage extends UsageTotals {
  /** `null`: executions without a task, and pages outside executions. */
  readonly taskId: string | null
  /** `null`: there is no task, or it is deleted. */
  readonly name: string | null
  readonly byStatus: ExecutionEnds
  /**
   * Share of succeeded executions among those that were not cancelled. `null`: there were no such
   * executions.
   */
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
   * Fill rates of executions in the period, oldest first: the last 20 executions of the current
   * recipe that have not drifted.
   */
  readonly fillRates: readonly FillRates[]
  /** `null`: none of the latest 20 executions has ended. */
  readonly drift: TaskDrift | null
}

/** Number of recent executions among which the latest finished one is searched. */
const LATEST = 20

/**
 * Reads one list page of tasks, newest first, with their usage. It includes deleted tasks with
 * usage. If there is usage without a task, it is the last line, so that all lines add up to the
 * usage of the account.
 */
export async function readTasks(
  records: Records,
  account: string,
  { from, to }: { from: number; to: number },
  after: readonly KeyPart[] | null,
  limit: number,
): Promise<Paginated<TaskUsage>> {
  const { items, next } = await paginate({
    account,
    read: (position, count) => readNames(records, account, position, count),
    after,
    limit,
    firstRead: FIRST_LARGE,
  })
  return {
    items: await Promise.all(
      items.map(async (task) => {
        const series = task.id === null ? NO_TASK_USAGE : taskUsage(task.id)
        return usageOf(task, await readUsage(records, account, series, from, to))
      }),
    ),
    next,
  }
}

/** A line of the list: a task, a deleted task without its name, or usage without a task. */
interface NamedTask {
  readonly id: string | null
  readonly name: string | null
}

/** Comes after all tasks in a list that begins with the newest. */
const NO_TASK: PositionedItem<NamedTask> = { item: { id: null, name: null }, position: [''] }

/** Reads tasks, and finds the ids of deleted ones by their counters. */
async function readNames(
  records: Records,
  account: string,
  position: readonly KeyPart[] | null,
  count: number,
): Promise<PositionedItem<NamedTask>[]> {
  const [before] = position ?? []
  if (before === NO_TASK.position[0]) return []
  const [tasks, series] = await Promise.all([
    records.tasks.list(account, {
      limit: count,
      reverse: true,
      ...(position && { before: position }),
    }),
    records.usage.series(account, {
      prefix: TASK_SERIES,
      before: before === undefined ? NO_TASK_USAGE : taskUsage(String(before)),
      limit: count,
    }),
  ])
  const named = new Map<string, NamedTask>(
    series.map((name) => {
      const id = name.slice(TASK_SERIES.length)
      return [id, { id, name: null }]
    }),
  )
  for (const { value } of tasks) named.set(value.id, value)
  const newestFirst = [...named].toSorted(([a], [b]) => (a < b ? 1 : -1))
  const positioned = newestFirst.map(([id, item]): PositionedItem<NamedTask> => ({
    item,
    position: [id],
  }))
  if (positioned.length >= count) return positioned.slice(0, count)
  const outside = await records.usage.series(account, { prefix: NO_TASK_USAGE, limit: 1 })
  return outside.length === 0 ? positioned : [...positioned, NO_TASK]
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

function usageOf({ id, name }: NamedTask, amounts: UsageAmounts): TaskUsage {
  const byStatus = endsOf(amounts)
  return { taskId: id, name, ...taskTotalsOf(amounts), byStatus, successRate: successOf(byStatus) }
}
