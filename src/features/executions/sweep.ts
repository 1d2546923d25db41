import { Change } from '../../records/change.ts'
import { SYSTEM } from '../../records/collection.ts'
import type { Collection } from '../../records/collection.ts'
import type { Records } from '../records.ts'
import type { Blobs } from '../../ports/blobs.ts'
import { eachPage } from '../../records/paginate.ts'
import { rowsFolder } from './records.ts'

const BATCH = 500

/**
 * Deletes what only a running execution needs: the marks of URLs and rows it has met, and what its
 * helpers were told. Repeating it does no harm.
 */
export async function sweep(
  records: Records,
  account: string,
  execution: string,
  signal: AbortSignal,
): Promise<void> {
  for (const marks of [records.seenUrls, records.seenRows])
    await empty(records, marks, account, execution, signal)
  await endCrew(records, account, execution, signal)
}

/** First nobody can join any more, then nobody who has can report. */
async function endCrew(
  records: Records,
  account: string,
  execution: string,
  signal: AbortSignal,
): Promise<void> {
  if (!(await records.crews.get(account, execution))) return
  const closed = new Change()
  records.crews.put(closed, account, { execution, closed: true })
  await records.commit(closed)
  await empty(records, records.hands, account, execution, signal)
  await empty(records, records.errands, account, execution, signal)
  await empty(records, records.reports, account, execution, signal)
  const done = new Change()
  records.crews.drop(done, account, execution)
  records.calls.drop(done, SYSTEM, execution)
  await records.commit(done)
}

async function empty<T>(
  records: Records,
  marks: Collection<T>,
  account: string,
  execution: string,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    signal.throwIfAborted()
    const found = await marks.list(account, { within: [execution], limit: BATCH })
    if (found.length === 0) return
    const change = new Change()
    for (const { id } of found) marks.drop(change, account, ...id)
    await records.commit(change)
  }
}

/**
 * Deletes the blobs that commits which failed have left behind. Of a finished execution only: it
 * gets no more segments and keeps no more pages. Those of cached pages go when none of them is of
 * use any longer. Repeating it does no harm.
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
  const kept = new Set<string>()
  for await (const page of eachPage(records.segments, account, [execution]))
    for (const { value } of page) kept.add(value.blob)
  for await (const page of eachPage(records.keptPages, account, [execution]))
    for (const { value } of page) kept.add(value.blob)
  for await (const page of eachPage(records.cacheBlobs, account, [execution]))
    for (const { value } of page) kept.add(value.blob)
  for (const name of named) {
    signal.throwIfAborted()
    if (!kept.has(name)) await blobs.remove(name)
  }
}
