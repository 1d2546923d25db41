import type { Cursors } from '../../kernel/cursor.ts'
import { listRecords } from '../common/list-records.ts'
import { BY_MONTH } from '../common/timed-records.ts'
import type { CreatedQuery } from '../common/list-records.ts'
import { startOfMonth, isoTime } from '../common/time.ts'
import type { EntryKind, LedgerEntry, CreditAccount } from '../ledger/records.ts'
import { eachPage } from '../../records/paginate.ts'
import type { Records } from '../records.ts'
import type { ListPage } from '../common/list-page.ts'
import type { Outcome } from '../executions/records.ts'

/** Filters of ledger entries. All conditions must hold. */
export interface EntryQuery extends CreatedQuery {
  /** Month that the entries are accounted to, `YYYY-MM`. */
  readonly period?: string
  readonly kind?: EntryKind
  /** Id of an execution. */
  readonly execution?: string
}

/**
 * The time by which entries are listed. An entry with a time before its month is listed at the
 * start of the month, so that a period needs only its own months.
 */
export function timeOfEntry({ at, period }: LedgerEntry): number {
  return Math.max(at, startOfMonth(period))
}

/** Reads one list page of an account's ledger, newest first unless `sort` says otherwise. */
export function readEntries(
  core: { readonly records: Records; readonly cursors: Cursors },
  account: string,
  query: EntryQuery,
): Promise<ListPage<BillingEntry>> {
  const { period, kind, execution } = query
  return listRecords(core, {
    account,
    operation: 'billing.ledger',
    query,
    filter: [period ?? null, kind ?? null, execution ?? null],
    source: {
      collection: core.records.ledger,
      timeOf: timeOfEntry,
      ...(execution !== undefined
        ? { index: 'execution', within: [execution], keys: BY_MONTH }
        : period === undefined
          ? { keys: BY_MONTH }
          : { within: [period], keys: null }),
    },
    ...((kind !== undefined || period !== undefined) && {
      keep: (entry: LedgerEntry) =>
        (kind ?? entry.kind) === entry.kind && (period ?? entry.period) === entry.period,
    }),
    show: (items) => items.map(entryOf),
  })
}

/** All entries of a month, in order. */
export async function* entriesOf(
  records: Records,
  account: string,
  period: string,
): AsyncGenerator<LedgerEntry, void, undefined> {
  for await (const page of eachPage(records.ledger, account, [period]))
    for (const { value } of page) yield value
}

/** A ledger entry on the wire. */
export interface BillingEntry {
  readonly id: string
  /** Month that it is accounted to, `YYYY-MM`. */
  readonly period: string
  readonly at: string
  readonly kind: EntryKind
  /** Its cause. No two entries have the same. */
  readonly cause: string
  /** Credits added to each account that it touches. They sum to zero. */
  readonly moves: Readonly<Partial<Record<CreditAccount, number>>>
  readonly executionId: string | null
  readonly taskId: string | null
  /** The pages of a settlement or a refund, by their number in the execution's receipt. */
  readonly pages: readonly {
    readonly seq: number
    readonly outcome: Outcome
    readonly credits: number
  }[]
  readonly note: string | null
}

/** Converts an entry to the wire. */
export function entryOf({
  id,
  period,
  at,
  kind,
  cause,
  moves,
  execution,
  task,
  pages = [],
  note,
}: LedgerEntry): BillingEntry {
  return {
    id,
    period,
    at: isoTime(at),
    kind,
    cause,
    moves,
    executionId: execution,
    taskId: task,
    pages: pages.map(([seq, outcome, credits]) => ({ seq, outcome, credits })),
    note: note ?? null,
  }
}
