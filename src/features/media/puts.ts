import type { Change } from '../../records/change.ts'
import { eachPage } from '../../records/paginate.ts'
import type { Records } from '../records.ts'
import { mediaBlob } from './records.ts'
import type { MediaPutRecord } from './records.ts'

/** Notes that an execution stores bytes, both for its sweep and for who erases the blob. */
export function addPut(
  { mediaPuts, mediaPutters }: Pick<Records, 'mediaPuts' | 'mediaPutters'>,
  change: Change,
  account: string,
  put: MediaPutRecord,
): void {
  mediaPuts.put(change, account, put)
  mediaPutters.put(change, account, put)
}

/** Deletes the note: a record names the blob from now on, or its bytes will be erased. */
export function dropPut(
  { mediaPuts, mediaPutters }: Pick<Records, 'mediaPuts' | 'mediaPutters'>,
  change: Change,
  account: string,
  put: MediaPutRecord,
): void {
  mediaPuts.drop(change, account, ...mediaPuts.spec.id(put))
  mediaPutters.drop(change, account, ...mediaPutters.spec.id(put))
}

/** True if an unfinished execution has stored this blob for a page that it may still commit. */
export async function isBeingStored(
  records: Pick<Records, 'mediaPutters' | 'executions'>,
  account: string,
  { id, blob }: { readonly id: string; readonly blob: string },
): Promise<boolean> {
  for await (const page of eachPage(records.mediaPutters, account, [id]))
    for (const { value } of page) {
      if (mediaBlob(value) !== blob) continue
      const execution = await records.executions.get(account, value.execution)
      if (execution && execution.value.finishedAt == null) return true
    }
  return false
}
