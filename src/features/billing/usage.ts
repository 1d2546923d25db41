import { NO_TASK } from './records.ts'
import type { SpendingPart } from './records.ts'
import { eachFew } from '../../records/paginate.ts'
import type { Records } from '../records.ts'

/** How a month's credits were spent. */
export interface BillingUsage {
  /** `YYYY-MM`. */
  readonly period: string
  /** Credits that pages cost. */
  readonly spent: number
  /** Credits that were given back, for pages of this month or earlier ones. */
  readonly refunded: number
  readonly byKind: readonly {
    readonly kind: string
    readonly entries: number
    readonly wallet: number
  }[]
  readonly byOutcome: readonly {
    readonly outcome: string
    readonly pages: number
    readonly credits: number
  }[]
  readonly byDay: readonly {
    readonly day: string
    readonly spent: number
    readonly refunded: number
  }[]
  /** The most expensive first. */
  readonly byTask: readonly {
    readonly taskId: string | null
    readonly name: string | null
    readonly spent: number
    readonly refunded: number
  }[]
}

const MOST_SUMS = 5_000
const SHOWN_TASKS = 100

/** Reads the sums of a month. The cost depends on the number of sums, not on the number of entries. */
export async function readUsage(
  records: Records,
  account: string,
  period: string,
): Promise<BillingUsage> {
  const read = async (
    part: SpendingPart,
  ): Promise<{ name: string; of: (metric: string) => number }[]> => {
    const sums = new Map<string, Map<string, number>>()
    for (const { name, metric, value } of await records.spending.read(
      account,
      period,
      part,
      MOST_SUMS,
    ))
      sums.set(name, (sums.get(name) ?? new Map<string, number>()).set(metric, value))
    return [...sums].map(([name, metrics]) => ({ name, of: (metric) => metrics.get(metric) ?? 0 }))
  }
  const [kinds, outcomes, days, tasks] = await Promise.all([
    read('kind'),
    read('outcome'),
    read('day'),
    read('task'),
  ])
  const dearest = tasks.toSorted((a, b) => b.of('spent') - a.of('spent')).slice(0, SHOWN_TASKS)
  const names = new Map<string, string>()
  for await (const { value } of eachFew(
    records.tasks,
    account,
    dearest.map(({ name }) => [name]),
  ))
    names.set(value.id, value.name)
  const byDay = days.map(({ name, of }) => ({
    day: name,
    spent: of('spent'),
    refunded: of('refunded'),
  }))
  return {
    period,
    spent: byDay.reduce((sum, { spent }) => sum + spent, 0),
    refunded: byDay.reduce((sum, { refunded }) => sum + refunded, 0),
    byKind: kinds.map(({ name, of }) => ({
      kind: name,
      entries: of('entries'),
      wallet: of('wallet'),
    })),
    byOutcome: outcomes.map(({ name, of }) => ({
      outcome: name,
      pages: of('pages'),
      credits: of('credits'),
    })),
    byDay,
    byTask: dearest.map(({ name, of }) => ({
      taskId: name === NO_TASK ? null : name,
      name: names.get(name) ?? null,
      spent: of('spent'),
      refunded: of('refunded'),
    })),
  }
}
