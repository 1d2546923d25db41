import {
  markInterrupted,
  requestLateSweep,
  requestSweep,
} from '../../features/executions/lifecycle.ts'
import { Change } from '../../records/change.ts'
import { retryConflicts } from '../../records/retry.ts'
import type { Records } from '../../features/records.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { Clock } from '../../ports/clock.ts'

/** An execution, and where it is stored. */
export interface SweptExecution {
  readonly records: Records
  readonly clock: Pick<Clock, 'now'>
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
  const now = { part: 'overtaken', at: clock.now() }
  requestSweep(records, change, { account, id: execution }, now)
  await records.commit(change)
}

/**
 * Writes a blob beside the rows of an execution. A write that fails may be carried out
 * nevertheless, and after the sweep of the end. So a sweep that waits for it follows the end, too.
 */
export async function putSwept(
  target: SweptExecution & { readonly blobs: Blobs },
  { name, bytes }: { readonly name: string; readonly bytes: Uint8Array },
): Promise<void> {
  try {
    await target.blobs.put(name, bytes)
  } catch (error) {
    await requestLate(target).catch(() => undefined)
    throw error
  }
}

async function requestLate({ records, clock, account, execution }: SweptExecution): Promise<void> {
  await retryConflicts(async () => {
    const stored = await records.executions.get(account, execution)
    const change = new Change()
    if (stored && stored.value.finishedAt == null) markInterrupted(records, change, account, stored)
    else requestLateSweep(records, change, { account, id: execution }, clock.now())
    return records.commit(change)
  })
}
