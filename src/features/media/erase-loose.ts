import { Change } from '../../records/change.ts'
import { SYSTEM } from '../../records/collection.ts'
import type { Stored } from '../../records/collection.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { Clock } from '../../ports/clock.ts'
import type { JobResult } from '../../ports/queue.ts'
import type { Records } from '../records.ts'
import { ERASE_DELAY_MS } from './delete-items.ts'
import { dropPut, isBeingStored } from './puts.ts'
import { mediaBlob } from './records.ts'
import type { MediaPutRecord } from './records.ts'

const BATCH = 100

/**
 * Erases the bytes that a finished execution has stored for pages which were never committed. If
 * an unfinished execution has stored the same bytes, they stay for it. Otherwise they are erased as
 * those of a deleted item: an execution that stores the same content from now on uses another blob,
 * and the bytes are deleted some minutes later. The call is idempotent.
 */
export async function eraseLooseMedia(
  parts: { readonly records: Records; readonly clock: Pick<Clock, 'now'> },
  account: string,
  execution: string,
  signal: AbortSignal,
): Promise<void> {
  const { records } = parts
  const stored = await records.executions.get(account, execution)
  // Only a finished execution can be deleted.
  if (stored && stored.value.finishedAt == null) return
  for (;;) {
    const puts = await records.mediaPuts.list(account, { within: [execution], limit: BATCH })
    if (puts.length === 0) return
    for (const put of puts) {
      signal.throwIfAborted()
      // If another commit comes between, the record is listed again.
      await eraseLoose(parts, account, put)
    }
  }
}

async function eraseLoose(
  { records, clock }: { readonly records: Records; readonly clock: Pick<Clock, 'now'> },
  account: string,
  { value: put }: Stored<MediaPutRecord>,
): Promise<void> {
  const { id, generation = 0 } = put
  const blob = mediaBlob(put)
  const [item, deleted] = await Promise.all([
    records.media.get(account, id),
    records.mediaDeletions.get(account, id),
  ])
  const isNamed = item !== null && mediaBlob(item.value) === blob
  const change = new Change()
  dropPut(records, change, account, put)
  if (!isNamed && !(await isBeingStored(records, account, { id, blob }))) {
    if (item) records.media.require(change, account, item)
    else records.media.requireAbsent(change, account, id)
    if (deleted) records.mediaDeletions.require(change, account, deleted)
    else records.mediaDeletions.requireAbsent(change, account, id)
    if ((deleted?.value.count ?? 0) <= generation)
      records.mediaDeletions.put(change, account, { id, count: generation + 1 })
    records.outbox.put(change, SYSTEM, {
      id: `media-erase:${account}:${blob}`,
      kind: 'media-erase',
      data: { account, media: id, blob },
      at: clock.now() + ERASE_DELAY_MS,
    })
  }
  await records.commit(change)
}

/**
 * Erases a blob that no record will name again, or asks to be called again while an unfinished
 * execution may commit a page with its bytes.
 */
export async function eraseBlob(
  {
    records,
    blobs,
    clock,
  }: {
    readonly records: Records
    readonly blobs: Pick<Blobs, 'remove'>
    readonly clock: Pick<Clock, 'now'>
  },
  { account, media: id, blob }: { account: string; media: string; blob: string },
): Promise<JobResult> {
  const present = await records.media.get(account, id)
  // During an update, a process of an earlier version may commit a page with deleted content.
  if (present && mediaBlob(present.value) === blob) return 'done'
  if (await isBeingStored(records, account, { id, blob }))
    return { again: clock.now() + ERASE_DELAY_MS }
  await blobs.remove(blob)
  return 'done'
}
