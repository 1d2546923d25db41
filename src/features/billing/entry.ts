import type { CreditAccount, EntryKind, LedgerEntry } from '../../records/ledger-records.ts'
import type { Outcome } from '../../records/types.ts'
import { isoTime } from '../iso-time.ts'

/** A ledger entry on the wire. */
export interface Entry {
  readonly id: string
  /** Month it is accounted to, `YYYY-MM`. */
  readonly period: string
  readonly at: string
  readonly kind: EntryKind
  /** What it was written for; no two entries have the same. */
  readonly cause: string
  /** Credits added to each account it touches; they sum to zero. */
  readonly moves: Readonly<Partial<Record<CreditAccount, number>>>
  readonly executionId: string | null
  readonly taskId: string | null
  /** Pages that it is for, of a settlement or a refund, by their number in the execution's receipt. */
  readonly pages: readonly {
    readonly seq: number
    readonly outcome: Outcome
    readonly credits: number
  }[]
  readonly note: string | null
}

/** An entry as the wire has it. */
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
}: LedgerEntry): Entry {
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
