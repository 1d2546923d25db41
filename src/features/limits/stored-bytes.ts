import { overCap } from '../../kernel/errors.ts'
import { Change } from '../../records/change.ts'
import type { Stored } from '../../records/collection.ts'
import { eachPage } from '../../records/paginate.ts'
import type { StoredBaseRecord } from './records.ts'
import type { Records } from '../records.ts'
import type { ProgressRecord } from '../executions/records.ts'

/** What an execution's counters know of the bytes that it has stored: rows, kept pages and media. */
export function bytesOf({ rowBytes = 0, kept, media }: ProgressRecord): number {
  return rowBytes + (kept?.bytes ?? 0) + (media?.bytes ?? 0)
}

/** Adds to a commit what an execution stores by it, and gives the counters that say so. */
export function countStored(
  records: Records,
  change: Change,
  account: string,
  before: ProgressRecord,
  after: ProgressRecord,
): ProgressRecord {
  const added = bytesOf(after) - bytesOf(before)
  if (added !== 0) records.storedBytes.add(change, account, added)
  // A commit that stores nothing keeps what was counted: forgotten, it would be counted again as
  // from before.
  const counted = (before.countedBytes ?? 0) + added
  return counted === 0 ? after : { ...after, countedBytes: counted }
}

/**
 * Bytes of an account's executions: those that were counted as they were stored, and those from
 * before, which are counted once. The latter are what the counters know beyond what they have
 * counted, which no commit changes: so executions may go on meanwhile.
 */
export async function storedBytes(records: Records, account: string): Promise<number> {
  const base = await openBase(records, account)
  return base.value.bytes + (await records.storedBytes.read(account))
}

/** The bytes from before, which are counted here if they never were. */
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
    // Whoever was faster has counted the same. A commit whose answer was lost may have been made.
    await records.commit(change).catch(async (error: unknown) => {
      if ((await records.storedBases.get(account, 'all')) === null) throw error
    })
  }
}

/** Bytes that executions stored before they were counted. */
async function uncountedBytes(records: Records, account: string): Promise<number> {
  let bytes = 0
  for await (const page of eachPage(records.progress, account))
    for (const { value } of page) bytes += bytesOf(value) - (value.countedBytes ?? 0)
  return bytes
}

/**
 * Refuses another execution where the account has stored as much as it may; `null`: any number.
 * What runs already goes on.
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
    `The account has ${stored} bytes of rows, kept pages and media, and may have ${most}: wait until its plan's retention has deleted old executions, or choose a plan with more`,
  )
}
