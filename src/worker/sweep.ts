import { Change } from '../records/change.ts'
import { SYSTEM } from '../records/collection.ts'
import type { Collection } from '../records/collection.ts'
import type { Records } from '../records/records.ts'

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
