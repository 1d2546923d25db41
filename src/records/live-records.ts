import type { Store } from '../ports/store.ts'
import { Collection } from './collection.ts'
import type { ExecutionStatus, Reason } from './types.ts'

/** How long the history of an execution can be read again by who lost the connection, in ms. */
export const HISTORY_MS = 86_400_000

/**
 * What one commit of a worker settled. Visits are kept in the order of discovery; this keeps the
 * order of settling.
 */
export interface SettledRecord {
  readonly execution: string
  /** From 0, without gaps; `settled` of the counters is the next one. */
  readonly index: number
  /** `updatedAt` of the move to `running` under which it was written. */
  readonly move: number
  /** Numbers of the visits. */
  readonly seqs: readonly number[]
}

/** A change of an execution's status. */
export interface MoveRecord {
  readonly execution: string
  /** `updatedAt` of the execution after it, which is greater after each move. */
  readonly at: number
  readonly status: ExecutionStatus
  readonly reason: Reason | null
  readonly startedAt: number | null
  readonly finishedAt: number | null
}

/** Records of what happened to an execution, in its order; kept for {@link HISTORY_MS}. */
export interface LiveRecords {
  readonly settled: Collection<SettledRecord>
  readonly moves: Collection<MoveRecord>
}

/** Opens the records of what happened to executions. */
export function openLiveRecords(store: Store): LiveRecords {
  return {
    settled: new Collection<SettledRecord>(store, {
      name: 'settled',
      id: (record) => [record.execution, record.index],
    }),
    moves: new Collection<MoveRecord>(store, {
      name: 'moves',
      id: (move) => [move.execution, move.at],
    }),
  }
}
