import { overCap } from '../../kernel/errors.ts'
import { Change } from '../../records/change.ts'
import type { Stored } from '../../records/collection.ts'
import { eachPage } from '../../records/paginate.ts'
import type { StoredBaseRecord } from './records.ts'
import type { Records } from '../records.ts'
import type { ProgressRecord } from '../executions/records.ts'

/** Bytes that an execution has stored, by its counters: rows, kept pages and media. */
export function bytesOf({ rowBytes = 0, kept, media }: ProgressRecord): number {
  return rowBytes + (kept?.bytes ?? 0) + (media?.bytes ?? 0)
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
  // A commit that stores nothing must keep `countedBytes`. Without it the bytes would be counted
  // again as earlier ones.
  const counted = (before.countedBytes ?? 0) + added
  return counted === 0 ? after : { ...after, countedBytes: counted }
}

/**
 * Bytes of an account's executions: those counted when they were stored, and earlier ones, which
 * are counted once. The earlier bytes are the difference between an execution's counters and its
 * `countedBytes`. No commit changes that difference, so executions may continue during the count.
 */
export async function storedBytes(records: Records, account: string): Promise<number> {
  const base = await openBase(records, account)
  return base.value.bytes + (await records.storedBytes.read(account))
}

/** The earlier bytes. They are counted here if they never were. */
export async function openBase(
  records: Records,
  account: string,
): Promise<Stored<StoredBaseRecord>> {
  for (;;) {
    const base = await records.storedBases.get(account, 'all')
    if (base) return base
    const change = new Change()
    records.storedBases.insert(change, account, {
      id: 'all',
      bytes: await uncountedBytes(records, account),
    })
    // A concurrent count gives the same result. A commit whose answer was lost may have been
    // written.
    await records.commit(change).catch(async (error: unknown) => {
      if ((await records.storedBases.get(account, 'all')) === null) throw error
    })
  }
}

/** Bytes that executions stored before bytes were counted. */
async function uncountedBytes(records: Records, account: string): Promise<number> {
  let bytes = 0
  for await (const page of eachPage(records.progress, account))
    for (const { value } of page) bytes += bytesOf(value) - (value.countedBytes ?? 0)
  return bytes
}

/**
 * Refuses another execution if the account has stored as much as it may. `null`: no limit. Running
 * executions continue.
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
    `The account has ${stored} bytes of rows, kept pages and media, and may have ${most}: ` +
      'wait until old executions expire, or choose a plan with more',
  )
}
