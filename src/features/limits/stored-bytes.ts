import { overCap } from '../../kernel/errors.ts'
import { Change } from '../../records/change.ts'
import type { Stored } from '../../records/collection.ts'
import { eachPage } from '../../records/paginate.ts'
import type { StoredBaseRecord } from './records.ts'
import type { Records } from '../records.ts'
import type { ProgressRecord } from '../executions/records.ts'

/**
 * Bytes that an execution has stored, by its counters: rows, kept pages, and facts about its
 * visits. They are deleted with it. Bytes that its rows will add to a dataset count too, until they
 * are merged. Media and merged items are counted by their own records, because executions share
 * them.
 */
export function bytesOf(progress: ProgressRecord): number {
  const { rowBytes = 0, mergeBytes = 0, visitBytes = 0, kept } = progress
  return rowBytes + mergeBytes + visitBytes + (kept?.bytes ?? 0)
}

/**
 * Adds the bytes that a commit stores to the account's counter. Returns the execution's counters
 * including them.
 */
export function countStored(
  records: Records,
  change: Change,
  account: string,
  before: ProgressRecord,
  after: ProgressRecord,
): ProgressRecord {
  const added = bytesOf(after) - bytesOf(before)
  if (added !== 0) records.storedBytes.add(change, account, added)
  // A commit that stores no bytes must keep `countedStored`. Without it, the bytes would be counted
  // again as earlier ones.
  const counted = (before.countedStored ?? 0) + added
  const { countedStored: _before, ...rest } = after
  return counted === 0 ? rest : { ...rest, countedStored: counted }
}

/**
 * Bytes of an account's executions, media and datasets: those counted when they were stored, and
 * earlier ones, which are counted once. The earlier bytes are the difference between an execution's
 * counters and its `countedStored`, plus the media that are not `counted`. No commit changes that
 * difference, so executions may continue during the count. Items of datasets from earlier versions
 * are counted when they are next written; changes from earlier versions are never counted.
 */
export async function storedBytes(records: Records, account: string): Promise<number> {
  const base = await openBase(records, account)
  return base.value.bytes + (await records.storedBytes.read(account))
}

/** Returns the earlier bytes. They are counted at the first call. */
export async function openBase(
  records: Records,
  account: string,
): Promise<Stored<StoredBaseRecord>> {
  for (;;) {
    const base = await records.storedBases.get(account, 'blobs')
    if (base) return base
    const change = new Change()
    records.storedBases.insert(change, account, {
      id: 'blobs',
      bytes: await uncountedBytes(records, account),
    })
    // A concurrent count gives the same result. A commit whose answer was lost may have been
    // written.
    await records.commit(change).catch(async (error: unknown) => {
      if ((await records.storedBases.get(account, 'blobs')) === null) throw error
    })
  }
}

/** Bytes that were stored before bytes were counted. */
async function uncountedBytes(records: Records, account: string): Promise<number> {
  let bytes = 0
  for await (const page of eachPage(records.progress, account))
    for (const { value } of page) bytes += bytesOf(value) - (value.countedStored ?? 0)
  for await (const page of eachPage(records.media, account))
    for (const { value } of page) bytes += value.counted ? 0 : value.bytes
  return bytes
}

/**
 * Refuses another execution if the account has stored its maximum of bytes. `null`: no limit. A
 * running execution checks this limit itself.
 *
 * @throws {PlatformError} 409
 */
export async function demandBytes(
  records: Records,
  account: string,
  most: number | null,
): Promise<void> {
  if (most === null) return
  const stored = await storedBytes(records, account)
  if (stored < most) return
  throw overCap(
    `The account has ${stored} bytes of rows, pages, media and datasets, and may have ` +
      `${most}: delete some, wait until old executions expire, or choose a plan with more`,
    { of: 'bytes', used: stored, most },
  )
}
