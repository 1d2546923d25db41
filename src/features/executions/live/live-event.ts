import type { ExecutionRecord, ProgressRecord, MoveRecord } from '../records.ts'
import { executionOf } from '../execution.ts'
import type { Execution } from '../execution.ts'
import type { PageReceipt } from '../receipt.ts'

/** Data of `state`: an execution without its counters. */
export type ExecutionState = Omit<Execution, keyof ExecutionProgress>

/** Data of `progress`: the counters. */
export type ExecutionProgress = Pick<Execution, 'counters' | 'filled' | 'errors' | 'cost'>

/** An event without its position. `gap`: outcomes before it are no longer stored in order. */
export type EventContent =
  | { readonly event: 'state'; readonly data: ExecutionState }
  | { readonly event: 'page'; readonly data: PageReceipt }
  | { readonly event: 'gap'; readonly data: Readonly<Record<string, never>> }

/** An event with its position in the history: the positions before and after it. */
export type LiveEvent = EventContent & { readonly from: string; readonly id: string }

/** The facts of a move. */
export type Move = Omit<MoveRecord, 'execution'>

/** An execution as it was after a move. */
export function stateOf(
  execution: ExecutionRecord,
  { at, status, reason, startedAt, finishedAt }: Move,
  progress: ProgressRecord,
): ExecutionState {
  const {
    counters: _counters,
    filled: _filled,
    errors: _errors,
    cost: _cost,
    ...state
  } = executionOf({ ...execution, status, reason, startedAt, finishedAt, updatedAt: at }, progress)
  return state
}

/** The counters of an execution. */
export function progressOf(
  execution: ExecutionRecord,
  progress: ProgressRecord,
): ExecutionProgress {
  const { counters, filled, errors, cost } = executionOf(execution, progress)
  return { counters, filled, errors, cost }
}

/** Serialises a server-sent event (HTML Standard, section 9.2.5). JSON contains no line ends. */
export function eventText(event: string, id: string, data: object): string {
  return `event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`
}
