import { Change } from '../records/change.ts'
import type { Collection } from '../records/collection.ts'
import type { Records } from '../records/records.ts'
import type { SeenRecord } from '../records/types.ts'

const BATCH = 500

/** Deletes what only a running execution needs: the marks of URLs and rows it has met. Repeating it does no harm. */
export async function sweep(records: Records, account: string, execution: string, signal: AbortSignal): Promise<void> {
  for (const marks of [records.seenUrls, records.seenRows]) await empty(records, marks, account, execution, signal)
}

async function empty(records: Records, marks: Collection<SeenRecord>, account: string, execution: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted()
    const found = await marks.list(account, { within: [execution], limit: BATCH })
    if (found.length === 0) return
    const change = new Change()
    for (const { value } of found) marks.drop(change, account, value.execution, value.identity)
    await records.commit(change)
  }
}
