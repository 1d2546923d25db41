import { PlatformError } from '../../kernel/errors.ts'
import type { Blobs } from '../../ports/blobs.ts'
import { SYSTEM } from '../../records/collection.ts'
import type { WholeStore } from '../../records/whole-store.ts'
import { rowsFolder } from '../executions/records.ts'
import { mediaFolder } from '../media/records.ts'
import type { Records } from '../records.ts'

/** The result of {@link eraseAccount}. */
export interface EraseReport {
  /** Entries of the store, indexes included. */
  readonly records: number
  readonly blobs: number
}

/** The part of blobs that an erasure needs. */
export type ErasableBlobs = Pick<Blobs, 'list' | 'remove'>

/** Maximum number of passes. Each finds what was written during the pass before it. */
const MOST_PASSES = 10

/**
 * Deletes all that is stored of an account: records, indexes, counters, money, keys, jobs and
 * blobs. It ends when a pass finds nothing more.
 *
 * @throws {PlatformError} `CONFLICT`: one of its executions still runs, or new data is written for
 *   it again and again; `BAD_REQUEST`: it is the platform's own account
 */
export async function eraseAccount(
  {
    whole,
    records,
    blobs,
  }: { readonly whole: WholeStore; readonly records: Records; readonly blobs: ErasableBlobs },
  account: string,
): Promise<EraseReport> {
  if (account === SYSTEM)
    throw new PlatformError('BAD_REQUEST', `${SYSTEM} is the platform itself and not an account`)
  await assertIdle(records, account)
  const total = { records: 0, blobs: 0 }
  for (let pass = 1; ; pass++) {
    // Blobs go first, because records name them.
    const erasedBlobs = await eraseBlobs(whole, blobs, account)
    const erased = await whole.erase(account)
    total.blobs += erasedBlobs
    total.records += erased
    if (erasedBlobs + erased === 0) return total
    if (pass === MOST_PASSES)
      throw new PlatformError(
        'CONFLICT',
        `Something writes for ${account} again and again. Suspend it where its callers sign in, then ` +
          'erase it again',
      )
  }
}

async function assertIdle(records: Records, account: string): Promise<void> {
  for (const status of ['queued', 'running']) {
    const [active] = await records.executions.listIds('status', account, {
      within: [status],
      limit: 1,
    })
    if (active)
      throw new PlatformError(
        'CONFLICT',
        `Execution ${String(active[0])} of ${account} is ${status}. Cancel its executions first`,
      )
  }
}

/** Deletes the blobs that records name, and blobs in the same folders that no record names any more. */
async function eraseBlobs(
  whole: WholeStore,
  blobs: ErasableBlobs,
  account: string,
): Promise<number> {
  const names = new Set<string>()
  const folders = new Set<string>()
  for await (const { key, blobs: named } of whole.records(account)) {
    for (const name of named) names.add(name)
    const [owner, collection, id] = key
    if (owner === account && EXECUTIONS.has(String(collection))) folders.add(rowsFolder(String(id)))
    if (collection === 'mediaOwners') folders.add(mediaFolder(String(id)))
  }
  for (const folder of folders) for (const name of await blobs.list(folder)) names.add(name)
  for (const name of names) await blobs.remove(name)
  return names.size
}

/** Collections whose ids begin with the id of an execution that has blobs. */
const EXECUTIONS: ReadonlySet<string> = new Set(['executions', 'progress', 'retired', 'fences'])
