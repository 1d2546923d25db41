import { addPut } from '../../features/media/puts.ts'
import { mediaBlob } from '../../features/media/records.ts'
import type {
  MediaDeletionRecord,
  MediaPutRecord,
  MediaRecord,
} from '../../features/media/records.ts'
import type { Records } from '../../features/records.ts'
import { sha256Hex } from '../../kernel/crypto.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { Clock } from '../../ports/clock.ts'
import { Change } from '../../records/change.ts'
import type { Stored } from '../../records/collection.ts'
import { retryFailures } from '../../records/retry.ts'
import { requestSweepIfFinished } from '../commit/late-sweep.ts'

/** The stores of an account's media. */
export interface MediaStores {
  readonly records: Records
  readonly blobs: Blobs
  readonly clock: Clock
  readonly account: string
}

/**
 * Stores bytes whose page may never be committed. The sweep of the execution finds them by a note.
 * If the store fails at the note, the bytes may stay for ever, which is better than a page that
 * fails.
 */
export async function putMedia(
  stores: MediaStores,
  put: MediaPutRecord,
  body: Uint8Array<ArrayBuffer>,
): Promise<void> {
  const { records, blobs, clock, account } = stores
  const blob = mediaBlob(put)
  const note = new Change()
  addPut(records, note, account, put)
  await retryFailures(clock, () => records.commit(note)).catch(() => false)
  // Another process may have put these bytes and committed them meanwhile. Not every blob store
  // replaces a blob atomically, so bytes that are already complete are not written again.
  if ((await completeBytes(blobs, put)) === null) await blobs.put(blob, body)
  await retryFailures(clock, () =>
    requestSweepIfFinished({ records, clock, account, execution: put.execution }),
  ).catch(() => undefined)
}

/**
 * The items as a commit may add them. If the content of an item was deleted since its bytes were
 * stored, by a user or as another execution's remains, that blob will be erased. The item then gets
 * a copy of its own. The commit must fail if one of the `deletions` changes.
 *
 * @throws {Error} if the bytes are erased already, so that the page is read again
 */
export async function withLastingBytes(
  stores: MediaStores,
  execution: string,
  items: readonly MediaRecord[],
  deletions: readonly (Stored<MediaDeletionRecord> | null)[],
): Promise<readonly MediaRecord[]> {
  const lasting: MediaRecord[] = []
  for (const [index, item] of items.entries()) {
    const generation = deletions[index]?.value.count ?? 0
    if (generation <= (item.generation ?? 0)) {
      lasting.push(item)
      continue
    }
    const bytes = await completeBytes(stores.blobs, item)
    if (bytes === null)
      throw new Error(
        'Bytes of media were erased before their page was committed; it is read again',
      )
    const { id, sha256, owner } = item
    await putMedia(stores, { execution, id, sha256, owner, generation }, bytes)
    lasting.push({ ...item, generation })
  }
  return lasting
}

/** The bytes of a blob. `null`: it is absent or torn. */
async function completeBytes(
  blobs: Blobs,
  named: Pick<MediaRecord, 'owner' | 'sha256' | 'generation'>,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const stored = await blobs.get(mediaBlob(named))
  if (stored === null) return null
  const bytes = new Uint8Array(stored)
  return (await sha256Hex(bytes)) === named.sha256 ? bytes : null
}
