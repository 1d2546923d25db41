import { durationOfStep } from '../common/usage.ts'
import type { UsageAmounts } from '../common/usage.ts'

/**
 * Usage in a period. `pages`: URLs that were visited. `executions`: those that were started; for a
 * task, those that ended.
 */
export interface UsageTotals {
  readonly pages: number
  readonly fetched: number
  readonly failed: number
  readonly blocked: number
  readonly rows: number
  readonly bytes: number
  readonly credits: number
  readonly executions: number
}

/** One point of a series: a unit of the zone's calendar, cut to the period. */
export interface UsageSeriesPoint extends UsageTotals {
  readonly start: string
  readonly label: string
}

/** Number of executions by final state. */
export interface ExecutionEnds {
  readonly succeeded: number
  readonly failed: number
  readonly cancelled: number
  readonly timed_out: number
}

/**
 * Run times of executions from their first page to their end, in ms. Each differs from the true one
 * by less than 5 %.
 */
export interface Durations {
  readonly p50: number
  readonly p95: number
}

/** Converts sums to the wire. */
export function totalsOf(amounts: UsageAmounts): UsageTotals {
  return { ...pagesOf(amounts), executions: amounts.get('run:started') ?? 0 }
}

/** Sums of a task. Its executions are counted when they end. */
export function taskTotalsOf(amounts: UsageAmounts): UsageTotals {
  const { succeeded, failed, cancelled, timed_out } = endsOf(amounts)
  return { ...pagesOf(amounts), executions: succeeded + failed + cancelled + timed_out }
}

/** Counts executions by final state. */
export function endsOf(amounts: UsageAmounts): ExecutionEnds {
  const of = (status: keyof ExecutionEnds): number => amounts.get(`run:${status}`) ?? 0
  return {
    succeeded: of('succeeded'),
    failed: of('failed'),
    cancelled: of('cancelled'),
    timed_out: of('timed_out'),
  }
}

/** Share of succeeded executions, without cancelled ones. `null`: there were no such executions. */
export function successOf({ succeeded, failed, timed_out }: ExecutionEnds): number | null {
  const ended = succeeded + failed + timed_out
  return ended === 0 ? null : succeeded / ended
}

/** Quantiles by nearest rank. `null`: no execution ran. */
export function durationsOf(amounts: UsageAmounts): Durations | null {
  const steps = [...amounts]
    .flatMap(([metric, count]) =>
      metric.startsWith('time:') ? [{ step: Number(metric.slice('time:'.length)), count }] : [],
    )
    .toSorted((a, b) => a.step - b.step)
  const all = steps.reduce((sum, { count }) => sum + count, 0)
  if (all === 0) return null
  const durationAt = (share: number): number => {
    let left = Math.ceil(share * all)
    for (const { step, count } of steps) if ((left -= count) <= 0) return durationOfStep(step)
    return 0
  }
  return { p50: durationAt(0.5), p95: durationAt(0.95) }
}

/** Pages that failed or were blocked, by reason. */
export function errorsOf(amounts: UsageAmounts): Record<string, number> {
  const errors = [...amounts].flatMap(([metric, count]): [string, number][] =>
    metric.startsWith('error:') ? [[metric.slice('error:'.length), count]] : [],
  )
  return Object.fromEntries(errors.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

function pagesOf(amounts: UsageAmounts): Omit<UsageTotals, 'executions'> {
  const of = (metric: string): number => amounts.get(metric) ?? 0
  return {
    pages: of('pages'),
    fetched: of('page:fetched'),
    failed: of('page:failed'),
    blocked: of('page:blocked'),
    rows: of('rows'),
    bytes: of('bytes'),
    credits: of('credits'),
  }
}
