import { eachFew } from '../../records/paginate.ts'
import { readCallerMetric, ALL_USAGE, CALLER_METRICS, CALLER_USAGE } from '../common/usage.ts'
import type { CallerMetric } from '../common/usage.ts'
import { dayOf, endOfMonth, startOfMonth } from '../common/time.ts'
import type { Records } from '../records.ts'

/** The dimension that tells callers apart: API key or user. */
export type CallerKind = 'key' | 'user'

/** Amounts of usage. */
export interface UsedAmounts {
  /** Credits that pages cost, without refunds. */
  readonly credits: number
  readonly pages: number
  readonly bytes: number
}

/** Usage in a month, and on each of its days with usage. */
export interface UsedByDay extends UsedAmounts {
  readonly byDay: readonly ({ readonly day: string } & UsedAmounts)[]
}

/** Usage of one caller. */
export interface CallerUsageLine extends UsedByDay {
  /** Id of the key, or the user. `null`: it is not known, or no key was used. */
  readonly id: string | null
  /** Name of the key. `null`: the caller is a user. */
  readonly name: string | null
}

/** A month's usage by caller. All lines, with `others`, add up to the account's. */
export interface CallerUsage extends UsedAmounts {
  /** `YYYY-MM`. */
  readonly period: string
  readonly by: CallerKind
  /** The most expensive first. */
  readonly callers: readonly CallerUsageLine[]
  /** The callers that are not shown. `null`: all are. */
  readonly others: (UsedByDay & { readonly callers: number }) | null
}

const SHOWN = 100

/**
 * Reads a month's usage by caller. The cost depends on the number of callers per day. The line
 * `null` includes usage from before usage was counted by caller.
 */
export async function readCallerUsage(
  records: Records,
  account: string,
  period: string,
  by: CallerKind,
): Promise<CallerUsage> {
  const [from, to] = [startOfMonth(period), endOfMonth(period)]
  const lines = new Map<string | null, Days>()
  const lineOf = (id: string | null): Days => {
    const line = lines.get(id) ?? new Days()
    lines.set(id, line)
    return line
  }
  const ofCallers = new Days()
  // The callers are read before the account's total, so the total includes all of them.
  for (const point of await records.usage.read(account, CALLER_USAGE, 'day', from, to)) {
    const { caller, metric } = readCallerMetric(point.metric)
    lineOf(caller[by]).add(point.start, metric, point.value)
    ofCallers.add(point.start, metric, point.value)
  }
  const whole = new Days()
  for (const point of await records.usage.read(account, ALL_USAGE, 'day', from, to, 'totals')) {
    const metric = CALLER_METRICS.find((name) => name === point.metric)
    if (!metric) continue
    whole.add(point.start, metric, point.value)
    const rest = point.value - ofCallers.get(point.start, metric)
    if (rest !== 0) lineOf(null).add(point.start, metric, rest)
  }
  const dearest = [...lines].toSorted(
    ([a, x], [b, y]) =>
      y.sum('credits') - x.sum('credits') ||
      y.sum('pages') - x.sum('pages') ||
      ((a ?? '') < (b ?? '') ? -1 : 1),
  )
  const shown = dearest.slice(0, SHOWN)
  const names = by === 'key' ? await namesOf(records, account, shown) : new Map<string, string>()
  const hidden = dearest.slice(SHOWN)
  const others = new Days()
  for (const [, line] of hidden) others.addAll(line)
  return {
    period,
    by,
    ...whole.sums(),
    callers: shown.map(([id, line]) => ({ id, name: names.get(id ?? '') ?? null, ...line.read() })),
    others: hidden.length === 0 ? null : { callers: hidden.length, ...others.read() },
  }
}

async function namesOf(
  records: Records,
  account: string,
  lines: readonly (readonly [id: string | null, line: Days])[],
): Promise<Map<string, string>> {
  const ids = lines.flatMap(([id]) => (id === null ? [] : [[id]]))
  const names = new Map<string, string>()
  for await (const { value } of eachFew(records.apiKeys, account, ids))
    names.set(value.id, value.name)
  return names
}

/** Amounts by day. */
class Days {
  readonly #days = new Map<number, Map<CallerMetric, number>>()

  get(day: number, metric: CallerMetric): number {
    return this.#days.get(day)?.get(metric) ?? 0
  }

  add(day: number, metric: CallerMetric, amount: number): void {
    const amounts = this.#days.get(day) ?? new Map<CallerMetric, number>()
    amounts.set(metric, (amounts.get(metric) ?? 0) + amount)
    this.#days.set(day, amounts)
  }

  addAll(other: Days): void {
    for (const [day, amounts] of other.#days)
      for (const [metric, amount] of amounts) this.add(day, metric, amount)
  }

  sum(metric: CallerMetric): number {
    let sum = 0
    for (const amounts of this.#days.values()) sum += amounts.get(metric) ?? 0
    return sum
  }

  sums(): UsedAmounts {
    return { credits: this.sum('credits'), pages: this.sum('pages'), bytes: this.sum('bytes') }
  }

  read(): UsedByDay {
    const byDay = [...this.#days.keys()]
      .toSorted((a, b) => a - b)
      .map((day) => ({
        day: dayOf(day),
        credits: this.get(day, 'credits'),
        pages: this.get(day, 'pages'),
        bytes: this.get(day, 'bytes'),
      }))
    return { ...this.sums(), byDay }
  }
}
