import type { Change } from '../../records/change.ts'
import type { Stored } from '../../records/collection.ts'
import type { Records } from '../../records/records.ts'
import type { ExecutionRecord } from '../../records/types.ts'
import type { Ledger } from '../common/ledger/ledger.ts'
import { countEnd } from '../common/usage.ts'
import { moveExecution } from './transitions.ts'
import type { MoveFacts } from './transitions.ts'

/** A state that never changes any more. */
export type FinalStatus = 'succeeded' | 'failed' | 'cancelled' | 'timed_out'

/** What {@link endExecution} works with. */
export interface EndOptions {
  readonly records: Records
  readonly ledger: Ledger
}

/**
 * Adds the end of an execution to a commit, with everything that it calls for: what was not spent of its hold goes back.
 * The commit depends on the counters too, so that what was spent is what the last page said.
 *
 * @throws {PlatformError} 409 for a move that is not allowed
 */
export async function endExecution({ records, ledger }: EndOptions, change: Change, account: string, stored: Stored<ExecutionRecord>, to: FinalStatus, facts: MoveFacts): Promise<ExecutionRecord> {
  const moved = moveExecution(records, change, account, stored, to, facts)
  const progress = await records.progress.get(account, moved.id)
  if (progress) records.progress.require(change, account, progress)
  await ledger.release(change, account, moved, progress?.value.credits ?? 0, facts.now)
  countEnd(records, change, account, moved, progress?.value ?? null)
  return moved
}
