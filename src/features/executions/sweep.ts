import { Change } from '../../records/change.ts'
import { SYSTEM } from '../../records/collection.ts'
import type { Collection } from '../../records/collection.ts'
import type { Records } from '../records.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { Clock } from '../../ports/clock.ts'
import { requestLateSweep } from './lifecycle.ts'
import { eachPage } from '../../records/paginate.ts'
import { rowsFolder } from './records.ts'

const BATCH = 500
/**
 * Number of reports of helpers that are read at once, because each may have a hundred thousand
 * characters.
 */
export const REPORTS = 25

/**
 * Deletes data that only a running execution needs: the marks of seen URLs and rows, and the
 * assignments of its helpers. The call is idempotent.
 */
export async function sweep(
  { records, clock }: { readonly records: Records; readonly clock: Pick<Clock, 'now'> },
  account: string,
  execution: string,
  signal: AbortSignal,
): Promise<void> {
  for (const marks of [records.seenUrls, records.seenRows])
    await empty(records, marks, account, execution, signal)
  await endSharedRun(records, account, execution, clock.now(), signal)
}

/**
 * Ends a shared run. It first stops helpers from joining, and then stops the joined helpers from
 * reporting. A helper that is still a member may be writing a blob, or may have died meanwhile, so
 * another sweep follows.
 */
async function endSharedRun(
  records: Records,
  account: string,
  execution: string,
  now: number,
  signal: AbortSignal,
): Promise<void> {
  for (let isClosed = false; !isClosed;) {
    const run = await records.sharedRuns.get(account, execution)
    // Another delivery of the sweep may have deleted the record, so it is closed only if it exists.
    if (!run) return
    const change = new Change()
    records.sharedRuns.update(change, account, run, { execution, closed: true })
    isClosed = run.value.closed || (await records.commit(change))
  }
  const members = await records.memberships.list(account, { within: [execution], limit: 1 })
  if (members.length > 0) {
    // A delivery that comes after a crash finds no members any more.
    const late = new Change()
    requestLateSweep(records, late, { account, id: execution }, now)
    await records.commit(late)
  }
  await empty(records, records.memberships, account, execution, signal)
  await empty(records, records.assignments, account, execution, signal)
  await empty(records, records.reports, account, execution, signal, REPORTS)
  const done = new Change()
  records.sharedRuns.drop(done, account, execution)
  records.calls.drop(done, SYSTEM, execution)
  await records.commit(done)
}

async function empty<T>(
  records: Records,
  marks: Collection<T>,
  account: string,
  execution: string,
  signal: AbortSignal,
  batch = BATCH,
): Promise<void> {
  for (;;) {
    signal.throwIfAborted()
    const rest = await marks.list(account, { within: [execution], limit: batch })
    if (rest.length === 0) return
    const change = new Change()
    for (const { id } of rest) marks.drop(change, account, ...id)
    await records.commit(change)
  }
}

/**
 * Deletes blobs that failed commits have left behind. It does so only for a finished execution,
 * which gets no more segments and keeps no more pages. A blob of cached pages is deleted once none
 * of its pages can be used any more. The call is idempotent.
 */
export async function sweepBlobs(
  records: Records,
  blobs: Blobs,
  account: string,
  execution: string,
  signal: AbortSignal,
): Promise<void> {
  const stored = await records.executions.get(account, execution)
  if (stored?.value.finishedAt == null) return
  const named = await blobs.list(rowsFolder(execution))
  if (named.length === 0) return
  const referenced = new Set<string>()
  for await (const page of eachPage(records.segments, account, [execution]))
    for (const { value } of page) referenced.add(value.blob)
  for await (const page of eachPage(records.keptPages, account, [execution]))
    for (const { value } of page) referenced.add(value.blob)
  for await (const page of eachPage(records.cacheBlobs, account, [execution]))
    for (const { value } of page) referenced.add(value.blob)
  for (const name of named) {
    signal.throwIfAborted()
    if (!referenced.has(name)) await blobs.remove(name)
  }
}
