import { Change } from '../../records/change.ts'
import { SYSTEM } from '../../records/collection.ts'
import type { Records } from '../../features/records.ts'
import type { Clock } from '../../ports/clock.ts'

/** An execution, and where it is stored. */
export interface SweptExecution {
  readonly records: Records
  readonly clock: Clock
  readonly account: string
  readonly execution: string
}

/**
 * Requests another sweep of an execution that has ended, and may be deleted: its own sweep may have
 * run before the caller wrote a blob. An unfinished execution is swept at its end.
 */
export async function requestSweepIfFinished({
  records,
  clock,
  account,
  execution,
}: SweptExecution): Promise<void> {
  const stored = await records.executions.get(account, execution)
  if (stored && stored.value.finishedAt == null) return
  const change = new Change()
  records.outbox.put(change, SYSTEM, {
    id: `sweep:${execution}:overtaken`,
    kind: 'sweep',
    data: { account, execution },
    at: clock.now(),
  })
  await records.commit(change)
}
