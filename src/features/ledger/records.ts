import type { Store } from '../../ports/store.ts'
import { Collection } from '../../records/collection.ts'
import type { Outcome } from '../executions/records.ts'

/**
 * The accounts of the ledger. `grants` is the source of credits, so its balance is negative.
 * `wallet` can be spent. `held` is set aside for executions. `revenue` was spent. `expired` was
 * lost. Their sum is always zero.
 */
export type CreditAccount = 'wallet' | 'held' | 'revenue' | 'grants' | 'expired'

/** Credits in each account: whole numbers. */
export type Credits = Readonly<Record<CreditAccount, number>>

/** Kinds of entries, in the order of a statement's sums. */
export const ENTRY_KINDS = [
  'grant',
  'top_up',
  'reserve',
  'settle',
  'release',
  'fetch',
  'refund',
  'expire',
  'adjust',
] as const

/** Kind of an entry. */
export type EntryKind = (typeof ENTRY_KINDS)[number]

/** A page that an entry pays for: its number in the execution, its outcome and its price. */
export type PaidPage = readonly [seq: number, outcome: Outcome, credits: number]

/** One movement of credits. Written once and never changed. */
export interface LedgerEntry {
  /** Sorts by time within its period. */
  readonly id: string
  /** Month it is accounted to, `YYYY-MM`, UTC: the one that was open when it was committed. */
  readonly period: string
  /** Unix milliseconds. */
  readonly at: number
  readonly kind: EntryKind
  /** The cause of the entry. No two entries of an account have the same. */
  readonly cause: string
  /** Credits added to each account it touches; they sum to zero. */
  readonly moves: Readonly<Partial<Record<CreditAccount, number>>>
  readonly execution: string | null
  readonly task: string | null
  /**
   * For a `settle` or a `fetch`: the pages that cost something. For a `refund`: the page that it
   * refunds, if it is for one page.
   */
  readonly pages?: readonly PaidPage[]
  /** Text for people. */
  readonly note?: string
}

/** Marks a cause that has its entry. */
export interface CauseRecord {
  readonly cause: string
  readonly entry: string
  readonly period: string
}

/** Credits that were added together and expire together. */
export interface Lot {
  /** Cause of the entry that brought them. */
  readonly id: string
  readonly left: number
  /** Unix milliseconds; `null`: never. */
  readonly expiresAt: number | null
}

/**
 * An account's credits. Credits that running executions have spent of their holds are not
 * subtracted here yet. They are in the progress records, so that a thousand pages a second do not
 * write the same record. They are subtracted when the hold is released.
 */
export interface WalletRecord {
  readonly credits: Credits
  /**
   * The lots of the wallet, the first to expire first. They sum to the wallet, or to more if the
   * wallet is overdrawn.
   */
  readonly lots: readonly Lot[]
  /** Month whose plan credits have been granted, `YYYY-MM`. `null`: none yet. */
  readonly grantedFor: string | null
  /** The account has at most so many unfinished executions. Absent: they are not counted yet. */
  readonly unfinished?: number
}

/** The part of a day's cap that an execution has taken, so that it need not ask for every page. */
export interface DayShare {
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string
  readonly taken: number
  /** Credits that it had spent before. In all it may spend up to `from + taken`. */
  readonly from: number
}

/** Credits set aside for an unfinished execution. */
export interface HoldRecord {
  readonly execution: string
  readonly reserved: number
  /** The lots that they were taken from. Unspent credits return to these. */
  readonly lots: readonly Lot[]
  readonly openedAt: number
  /** Absent: the account has no daily cap, or nothing was spent yet. */
  readonly share?: DayShare
}

/**
 * The month that entries are accounted to. Every commit with an entry depends on it, so that a
 * closed month never changes.
 */
export interface PeriodRecord {
  readonly open: string
}

/** An account's subscription. */
export interface SubscriptionRecord {
  readonly plan: string
  readonly since: number
  /** Credits that the account may spend in a day, UTC; `null`: no cap of its own. */
  readonly dailyCap: number | null
}

/** A closed month. */
export interface StatementRecord {
  readonly period: string
  readonly closedAt: number
  readonly plan: string
  readonly opening: Credits
  readonly closing: Credits
  /** Credits added to the wallet by each kind of entry, and how many there are. */
  readonly totals: Readonly<
    Partial<Record<EntryKind, { readonly entries: number; readonly wallet: number }>>
  >
  readonly entries: number
}

/** Credits of a day's cap that executions have taken. */
export interface DayRecord {
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string
  readonly taken: number
}

/** Credits that were given back to an execution, in all and by page. */
export interface RefundRecord {
  readonly execution: string
  /** The page. `null`: the sum of all pages. */
  readonly seq: number | null
  readonly credits: number
}

/** Records of money. An account has one wallet, period and subscription. */
export interface LedgerRecords {
  readonly ledger: Collection<LedgerEntry>
  readonly causes: Collection<CauseRecord>
  readonly wallets: Collection<WalletRecord>
  readonly holds: Collection<HoldRecord>
  readonly periods: Collection<PeriodRecord>
  readonly subscriptions: Collection<SubscriptionRecord>
  readonly statements: Collection<StatementRecord>
  readonly days: Collection<DayRecord>
  readonly refunds: Collection<RefundRecord>
}

/** Opens the records of money. */
export function openLedgerRecords(store: Store): LedgerRecords {
  return {
    ledger: new Collection<LedgerEntry>(store, {
      name: 'ledger',
      id: (entry) => [entry.period, entry.id],
      indexes: {
        execution: (entry) => (entry.execution === null ? [] : [[entry.execution]]),
        // The first entry of each execution, and all entries without one. They are the lines of the
        // activity that people read.
        activity: ({ kind }) => (kind === 'settle' || kind === 'release' ? [] : [[]]),
      },
    }),
    causes: new Collection<CauseRecord>(store, {
      name: 'ledger-causes',
      id: (cause) => [cause.cause],
    }),
    wallets: new Collection<WalletRecord>(store, { name: 'wallet', id: () => [] }),
    holds: new Collection<HoldRecord>(store, { name: 'holds', id: (hold) => [hold.execution] }),
    periods: new Collection<PeriodRecord>(store, { name: 'ledger-period', id: () => [] }),
    subscriptions: new Collection<SubscriptionRecord>(store, {
      name: 'subscription',
      id: () => [],
    }),
    statements: new Collection<StatementRecord>(store, {
      name: 'statements',
      id: (statement) => [statement.period],
    }),
    days: new Collection<DayRecord>(store, { name: 'spending-days', id: (day) => [day.day] }),
    refunds: new Collection<RefundRecord>(store, {
      name: 'refunds',
      id: ({ execution, seq }) => (seq === null ? [execution] : [execution, seq]),
    }),
  }
}
