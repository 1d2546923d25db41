import type { Key } from '../../kernel/key.ts'
import type { Store } from '../../ports/store.ts'
import type { Change } from '../../records/change.ts'
import { Collection } from '../../records/collection.ts'
import type { LedgerEntry } from '../ledger/records.ts'

/** State of a top-up: requested, paid and credited, or given up. */
export type TopUpStatus = 'pending' | 'completed' | 'failed'

/** Credits that an account wants to buy. */
export interface TopUpRecord {
  readonly id: string
  readonly credits: number
  readonly status: TopUpStatus
  /** True if the payment provider has confirmed that it knows the top-up. */
  readonly placed: boolean
  /** URL of the payment page, if there is one. */
  readonly url: string | null
  readonly returnUrl: string | null
  /** Why it failed. */
  readonly reason: string | null
  readonly createdAt: number
  readonly completedAt: number | null
}

/**
 * The time at which a top-up was made. Ids of top-ups do not sort by time, because some are derived
 * from a caller's key.
 */
export interface TopUpTime {
  readonly createdAt: number
  readonly id: string
}

/** The account of a top-up, because payment providers do not know accounts. Stored under `SYSTEM`. */
export interface TopUpOwner {
  readonly id: string
  readonly account: string
}

/** The plan at the end of a month, or the present one. Stored for months in which a plan was chosen. */
export interface PlanChange {
  /** `YYYY-MM`. */
  readonly period: string
  readonly plan: string
}

/** The dimension of a {@link SpendingPoint}. */
export type SpendingPart = 'kind' | 'outcome' | 'day' | 'task'

/** A sum over the ledger entries of a month. */
export interface SpendingPoint {
  readonly part: SpendingPart
  /** Kind, outcome, `YYYY-MM-DD`, or task id (`~`: no task). */
  readonly name: string
  readonly metric: string
  readonly value: number
}

/**
 * Sums over a month's ledger entries. They are updated in the commits that write the entries, so
 * that no reader has to add up entries.
 */
export interface SpendingSums {
  add(change: Change, account: string, entry: LedgerEntry): void
  /** Reads at most `limit` sums of a dimension, in order, beginning after `after`. */
  read(
    account: string,
    period: string,
    part: SpendingPart,
    limit: number,
    after?: Pick<SpendingPoint, 'name' | 'metric'>,
  ): Promise<SpendingPoint[]>
}

/** Records of billing, beside those of the ledger. */
export interface BillingRecords {
  readonly topUps: Collection<TopUpRecord>
  readonly topUpOwners: Collection<TopUpOwner>
  readonly topUpTimes: Collection<TopUpTime>
  /** Marks an account whose earlier top-ups have their times stored too. */
  readonly topUpsTimed: Collection<{ readonly id: 'all' }>
  readonly planChanges: Collection<PlanChange>
  readonly spending: SpendingSums
}

/** Stands in place of a task id for executions without a task. */
export const NO_TASK = '~'

/** Opens the records of billing. */
export function openBillingRecords(store: Store): BillingRecords {
  return {
    topUps: new Collection<TopUpRecord>(store, { name: 'top-ups', id: ({ id }) => [id] }),
    topUpOwners: new Collection<TopUpOwner>(store, {
      name: 'top-up-owners',
      id: ({ id }) => [id],
      owner: ({ account }) => account,
    }),
    topUpTimes: new Collection<TopUpTime>(store, {
      name: 'top-up-times',
      id: ({ createdAt, id }) => [createdAt, id],
    }),
    topUpsTimed: new Collection<{ readonly id: 'all' }>(store, {
      name: 'top-ups-timed',
      id: ({ id }) => [id],
    }),
    planChanges: new Collection<PlanChange>(store, {
      name: 'plan-changes',
      id: ({ period }) => [period],
    }),
    spending: createSpending(store),
  }
}

function createSpending(store: Store): SpendingSums {
  const keyOf = (account: string, ...parts: readonly string[]): Key => [
    account,
    'spending',
    ...parts,
  ]
  return {
    add(change, account, { period, kind, moves, pages = [], at, task }) {
      const add = (part: SpendingPart, name: string, metric: string, amount: number): void => {
        if (amount !== 0) change.add(keyOf(account, period, part, name, metric), amount)
      }
      add('kind', kind, 'entries', 1)
      add('kind', kind, 'wallet', moves.wallet ?? 0)
      if (kind !== 'settle' && kind !== 'fetch' && kind !== 'refund') return
      const amount = Math.abs(moves.revenue ?? 0)
      const metric = kind === 'refund' ? 'refunded' : 'spent'
      add('day', new Date(at).toISOString().slice(0, 10), metric, amount)
      add('task', task ?? NO_TASK, metric, amount)
      if (kind === 'refund') return
      // Most pages of a commit have the same outcome, so they share one key.
      const outcomes = new Map<string, { pages: number; credits: number }>()
      for (const [, outcome, credits] of pages) {
        const sum = outcomes.get(outcome)
        outcomes.set(outcome, {
          pages: (sum?.pages ?? 0) + 1,
          credits: (sum?.credits ?? 0) + credits,
        })
      }
      for (const [outcome, sum] of outcomes) {
        add('outcome', outcome, 'pages', sum.pages)
        add('outcome', outcome, 'credits', sum.credits)
      }
    },
    async read(account, period, part, limit, last) {
      const prefix = keyOf(account, period, part)
      const after = last && [...prefix, last.name, last.metric]
      const entries = await store.list({ prefix, limit, ...(after && { after }) })
      return entries.map(({ key, value }) => ({
        part,
        name: String(key[4]),
        metric: String(key[5]),
        value: Number(value),
      }))
    },
  }
}
