import { badRequest } from '../../kernel/errors.ts'
import type { Principal } from '../../kernel/http/route.ts'
import type { CalendarUnit, Granularity, Period, PeriodQuery } from './period.ts'
import { readUsage } from '../common/read-usage.ts'
import { ALL_USAGE } from '../common/usage.ts'
import type { UsageAmounts } from '../common/usage.ts'
import { isoTime } from '../common/time.ts'
import { readPage } from '../common/list-page.ts'
import type { ListPage, ListQuery } from '../common/list-page.ts'
import { readPeriod } from './period.ts'
import { readTask, readTasks } from './task-usage.ts'
import type { TaskAnalytics, TaskUsage } from './task-usage.ts'
import { durationsOf, endsOf, errorsOf, successOf, totalsOf } from './totals.ts'
import type { Durations, ExecutionEnds, UsageSeriesPoint, UsageTotals } from './totals.ts'
import type { Core } from '../core.ts'

/**
 * Totals of a period. `successRate`: the share of fetched and unchanged pages among these, failed
 * and blocked pages. `null`: there were no pages.
 */
export interface UsagePeriod extends UsageTotals {
  readonly from: string
  readonly to: string
  readonly successRate: number | null
}

/** A period, and the period of the same length before it. */
export interface UsageSummary extends UsagePeriod {
  readonly previous: UsagePeriod
}

/** Options of a series. */
export interface UsageSeriesQuery extends PeriodQuery {
  /** Default `day`. */
  readonly granularity?: Granularity
}

/** A series without gaps. */
export interface UsageSeries {
  readonly from: string
  readonly to: string
  readonly points: readonly UsageSeriesPoint[]
}

/**
 * Executions of a period. `pages` to `credits` were used in the period, also by executions that did
 * not end in it.
 */
export interface ExecutionUsage {
  readonly from: string
  readonly to: string
  readonly started: number
  readonly ended: number
  readonly byStatus: ExecutionEnds
  /**
   * Share of succeeded executions among those that ended and were not cancelled. `null`: there were
   * none.
   */
  readonly successRate: number | null
  /** `null`: no execution ran. */
  readonly durationMs: Durations | null
  readonly pages: number
  readonly rows: number
  readonly bytes: number
  readonly credits: number
  /** Reason → pages that failed or were blocked. */
  readonly errors: Readonly<Record<string, number>>
}

/**
 * Usage of an account, read from counters. The cost of a read depends on its number of points, not
 * on the amount of usage.
 */
export interface Analytics {
  /** @throws {PlatformError} 400 for a wrong period */
  summary(principal: Principal, query?: PeriodQuery): Promise<UsageSummary>
  /** @throws {PlatformError} 400 for a wrong period, and for more than 1,000 points */
  series(principal: Principal, query?: UsageSeriesQuery): Promise<UsageSeries>
  /** @throws {PlatformError} 400 for a wrong period */
  executions(principal: Principal, query?: PeriodQuery): Promise<ExecutionUsage>
  /**
   * All existing tasks, newest first.
   *
   * @throws {PlatformError} 400 for an invalid period or cursor
   */
  tasks(principal: Principal, query?: PeriodQuery & ListQuery): Promise<ListPage<TaskUsage>>
  /** @throws {PlatformError} 404; 400 for a wrong period, and for more than 1,000 points */
  task(principal: Principal, id: string, query?: UsageSeriesQuery): Promise<TaskAnalytics>
}

const MOST_POINTS = 1_000
/** Number of points that are read concurrently. */
const AT_ONCE = 16

/** The service of analytics. */
export function createAnalytics({ records, cursors, clock }: Core): Analytics {
  const periodOf = async (account: string, from: number, to: number): Promise<UsagePeriod> => {
    const amounts = await readUsage(records, account, ALL_USAGE, from, to)
    const totals = totalsOf(amounts)
    const good = totals.fetched + (amounts.get('page:unchanged') ?? 0)
    const tried = good + totals.failed + totals.blocked
    return {
      from: isoTime(from),
      to: isoTime(to),
      ...totals,
      successRate: tried === 0 ? null : good / tried,
    }
  }
  const pointsOf = async (
    account: string,
    series: string,
    units: readonly CalendarUnit[],
    of: (amounts: UsageAmounts) => UsageTotals,
  ): Promise<UsageSeriesPoint[]> => {
    const points: UsageSeriesPoint[] = []
    for (let position = 0; position < units.length; position += AT_ONCE) {
      points.push(
        ...(await Promise.all(
          units.slice(position, position + AT_ONCE).map(async ({ start, end, label }) => ({
            start: isoTime(start),
            label,
            ...of(await readUsage(records, account, series, start, end, 'totals')),
          })),
        )),
      )
    }
    return points
  }
  return {
    async summary({ account }, query = {}) {
      const { from, to } = readPeriod(query, clock.now())
      const [present, previous] = await Promise.all([
        periodOf(account, from, to),
        periodOf(account, from - (to - from), from),
      ])
      return { ...present, previous }
    },

    async series({ account }, query = {}) {
      const period = readPeriod(query, clock.now())
      const points = await pointsOf(
        account,
        ALL_USAGE,
        unitsOf(period, query.granularity),
        totalsOf,
      )
      return { from: isoTime(period.from), to: isoTime(period.to), points }
    },

    async executions({ account }, query = {}) {
      const { from, to } = readPeriod(query, clock.now())
      const amounts = await readUsage(records, account, ALL_USAGE, from, to)
      const { pages, rows, bytes, credits, executions } = totalsOf(amounts)
      const byStatus = endsOf(amounts)
      const ended = Object.values(byStatus).reduce((sum: number, count: number) => sum + count, 0)
      return {
        from: isoTime(from),
        to: isoTime(to),
        started: executions,
        ended,
        byStatus,
        successRate: successOf(byStatus),
        durationMs: durationsOf(amounts),
        pages,
        rows,
        bytes,
        credits,
        errors: errorsOf(amounts),
      }
    },

    async tasks({ account }, query = {}) {
      const period = readPeriod(query, clock.now())
      return readPage(
        cursors,
        {
          account,
          operation: 'analytics.tasks',
          filter: [query.from ?? null, query.to ?? null, query.timeZone ?? null],
        },
        query,
        (after, limit) => readTasks(records, account, period, after, limit),
      )
    },

    async task({ account }, id, query = {}) {
      const period = readPeriod(query, clock.now())
      const units = unitsOf(period, query.granularity)
      return readTask(records, account, id, { ...period, units }, (series, of, sum) =>
        pointsOf(account, series, of, sum),
      )
    },
  }
}

function unitsOf({ from, to, calendar }: Period, granularity: Granularity = 'day'): CalendarUnit[] {
  const units = calendar.units(granularity, from, to, MOST_POINTS)
  if (units.length > MOST_POINTS)
    throw badRequest([
      {
        path: 'granularity',
        message: `results in more than ${MOST_POINTS} points for this period`,
      },
    ])
  return units
}
