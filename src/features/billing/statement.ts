import type {
  Credits,
  EntryKind,
  LedgerEntry,
  StatementRecord,
} from '../../records/ledger-records.ts'
import { moved } from '../common/ledger/credits.ts'
import { endOfMonth } from '../common/ledger/month.ts'

/** What a statement begins with. */
export interface StatementFacts {
  /** `YYYY-MM`. */
  readonly period: string
  /** Id of the plan that the month ended with. */
  readonly plan: string
  /** What the statement before closed with. */
  readonly opening: Credits
}

/**
 * The statement of a month, worked out of its ledger entries and nothing else; the same whenever it
 * is done.
 *
 * @throws {RangeError} for an entry that is off balance
 */
export async function computeStatement(
  { period, plan, opening }: StatementFacts,
  entries: Iterable<LedgerEntry> | AsyncIterable<LedgerEntry>,
): Promise<StatementRecord> {
  const totals: Partial<Record<EntryKind, { entries: number; wallet: number }>> = {}
  let closing = opening
  let count = 0
  for await (const { kind, moves } of entries) {
    closing = moved(closing, moves)
    const total = (totals[kind] ??= { entries: 0, wallet: 0 })
    total.entries += 1
    total.wallet += moves.wallet ?? 0
    count += 1
  }
  return { period, closedAt: endOfMonth(period), plan, opening, closing, totals, entries: count }
}
