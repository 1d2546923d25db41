import { badRequest } from '../../kernel/errors.ts'
import type { Principal } from '../../kernel/route.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Records } from '../../records/records.ts'
import type { Granularity } from '../common/local-calendar.ts'
import { readUsage } from '../common/read-usage.ts'
import { ALL_USAGE } from '../common/usage.ts'
import type { UsageAmounts } from '../common/usage.ts'
import { isoTime } from '../iso-time.ts'
import { readPeriod } from './period.ts'
import type { PeriodQuery } from './period.ts'

/** What was used in a time. `pages`: URLs taken up; `executions`: those that were started. */
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

/** Totals of a period. `successRate`: fetched pages among those fetched, failed and blocked; `null`: there were none. */
export interface UsagePeriod extends UsageTotals {
  readonly from: string
  readonly to: string
  readonly successRate: number | null
}

/** A period, and the equally long one before it. */
export interface UsageSummary extends UsagePeriod {
  readonly previous: UsagePeriod
}

/** One point of a series: a unit of the zone's calendar, cut to the period. */
export interface UsageSeriesPoint extends UsageTotals {
  readonly start: string
  readonly label: string
}

/** Which series is wanted. */
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

/** What an account has used, from counters: a read costs what its points cost, however much there was to count. */
export interface Analytics {
  /** @throws {PlatformError} 400 for a wrong period */
  summary(principal: Principal, query?: PeriodQuery): Promise<UsageSummary>
  /** @throws {PlatformError} 400 for a wrong period, and for more than 1,000 points */
  series(principal: Principal, query?: UsageSeriesQuery): Promise<UsageSeries>
}

const MOST_POINTS = 1_000
/** Points that are read at the same time. */
const LANES = 16

/** The service of analytics. */
export function createAnalytics({ records, clock }: { readonly records: Records; readonly clock: Clock }): Analytics {
  const periodOf = async (account: string, from: number, to: number): Promise<UsagePeriod> => {
    const amounts = await readUsage(records, account, ALL_USAGE, from, to)
    const totals = totalsOf(amounts)
    const good = totals.fetched + (amounts.get('page:unchanged') ?? 0)
    const tried = good + totals.failed + totals.blocked
    return { from: isoTime(from), to: isoTime(to), ...totals, successRate: tried === 0 ? null : good / tried }
  }
  return {
    async summary({ account }, query = {}) {
      const { from, to } = readPeriod(query, clock.now())
      const [present, previous] = await Promise.all([periodOf(account, from, to), periodOf(account, from - (to - from), from)])
      return { ...present, previous }
    },

    async series({ account }, query = {}) {
      const { from, to, calendar } = readPeriod(query, clock.now())
      const units = calendar.units(query.granularity ?? 'day', from, to, MOST_POINTS)
      if (units.length > MOST_POINTS) throw badRequest([{ path: 'granularity', message: `gives more than ${MOST_POINTS} points for this period` }])
      const points: UsageSeriesPoint[] = []
      for (let at = 0; at < units.length; at += LANES) {
        points.push(...(await Promise.all(units.slice(at, at + LANES).map(async ({ start, end, label }) => ({ start: isoTime(start), label, ...totalsOf(await readUsage(records, account, ALL_USAGE, start, end)) })))))
      }
      return { from: isoTime(from), to: isoTime(to), points }
    },
  }
}

function totalsOf(amounts: UsageAmounts): UsageTotals {
  const of = (metric: string): number => amounts.get(metric) ?? 0
  return { pages: of('pages'), fetched: of('page:fetched'), failed: of('page:failed'), blocked: of('page:blocked'), rows: of('rows'), bytes: of('bytes'), credits: of('credits'), executions: of('run:started') }
}
