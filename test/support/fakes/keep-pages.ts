import { countStored } from '../../../src/features/limits/stored-bytes.ts'
import type { Records } from '../../../src/features/records.ts'
import { Change } from '../../../src/records/change.ts'

/** Makes an execution one that has kept a page, as far as its counters tell. */
export async function countKept(
  records: Records,
  account: string,
  execution: string,
): Promise<void> {
  const progress = await records.progress.get(account, execution)
  if (!progress) throw new Error('no such execution')
  const change = new Change()
  const kept = { ...progress.value, kept: { pages: 1, bytes: 100, omitted: 0 } }
  records.progress.put(change, account, countStored(records, change, account, progress.value, kept))
  await records.commit(change)
}
