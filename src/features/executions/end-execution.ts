import type { Change } from '../../records/change.ts'
import type { Stored } from '../../records/collection.ts'
import type { Records } from '../../records/records.ts'
import type { ExecutionRecord } from '../../records/types.ts'
import type { Ledger } from '../common/ledger/ledger.ts'
import type { Sitting } from '../common/ledger/sitting.ts'
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
 * Adds the end of an execution to a commit.
 *
 * @throws {PlatformError} 409 for a move that is not allowed
 */
export type EndNow = (change: Change, to: FinalStatus, facts: MoveFacts) => ExecutionRecord

/**
 * Reads what the end of an execution calls for; the answer adds it to a commit: what was not spent
 * of its hold goes back. The commit depends on the counters too, so that what was spent is what the
 * last page said.
 */
export async function readEnd(
  { records, ledger }: EndOptions,
  sitting: Sitting,
  stored: Stored<ExecutionRecord>,
): Promise<EndNow> {
  const { account } = sitting
  const [progress, release] = await Promise.all([
    records.progress.get(account, stored.value.id),
    ledger.release(sitting, stored.value),
  ])
  return (change, to, facts) => {
    const moved = moveExecution(records, change, account, stored, to, facts)
    if (progress) records.progress.require(change, account, progress)
    release(change, progress?.value.credits ?? 0)
    countEnd(records, change, account, moved, progress?.value ?? null)
    return moved
  }
}

/**
 * The same, for one whose commit nobody shares.
 *
 * @throws {PlatformError} 409 for a move that is not allowed
 */
export async function endExecution(
  options: EndOptions,
  change: Change,
  account: string,
  stored: Stored<ExecutionRecord>,
  to: FinalStatus,
  facts: MoveFacts,
): Promise<ExecutionRecord> {
  const sitting = options.ledger.sitting(account, facts.now)
  const moved = (await readEnd(options, sitting, stored))(change, to, facts)
  sitting.write(change)
  return moved
}
