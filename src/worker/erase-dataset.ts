import { Change } from '../records/change.ts'
import type { Records } from '../records/records.ts'

const BATCH = 250

/**
 * Deletes what a deleted dataset has left behind, a batch a commit. Nothing writes there any more;
 * repeating it does no harm.
 */
export async function eraseDataset(
  records: Records,
  account: string,
  dataset: string,
  signal: AbortSignal,
): Promise<void> {
  // An id is never given twice, but a job may be delivered twice, and late.
  if (await records.datasets.get(account, dataset)) return
  for (const erase of [
    eraseItems,
    ...[
      records.sightings,
      records.seenLog,
      records.seenTables,
      records.itemChanges,
      records.merges,
      records.pendingMerges,
    ].map((collection) => eraseAll(collection)),
  ]) {
    do signal.throwIfAborted()
    while (await erase(records, account, dataset))
  }
}

async function eraseItems(records: Records, account: string, dataset: string): Promise<boolean> {
  const found = await records.items.list(account, { within: [dataset], limit: BATCH })
  const change = new Change()
  for (const item of found) records.items.remove(change, account, item)
  if (found.length > 0) await records.commit(change)
  return found.length > 0
}

type Plain =
  | Records['sightings']
  | Records['seenLog']
  | Records['seenTables']
  | Records['itemChanges']
  | Records['merges']
  | Records['pendingMerges']

/** Of a collection without indexes. */
function eraseAll(collection: Plain): typeof eraseItems {
  return async (records, account, dataset) => {
    const found = await collection.list(account, { within: [dataset], limit: BATCH })
    const change = new Change()
    for (const { id } of found) collection.drop(change, account, ...id)
    if (found.length > 0) await records.commit(change)
    return found.length > 0
  }
}
