import type { Store } from '../../ports/store.ts'
import type { Key } from '../../kernel/key.ts'
import type { Change } from '../../records/change.ts'
import { Collection } from '../../records/collection.ts'

/** Kinds of records that are counted. `keys`: only those that are not revoked. */
export type HoldingKind = 'keys' | 'tasks' | 'datasets'

/**
 * The number of an account's records of a kind. Each commit that adds or removes one writes it and
 * checks its version.
 */
export interface HoldingRecord {
  readonly kind: HoldingKind
  readonly count: number
}

/** Bytes that were stored before bytes were counted. */
export interface StoredBaseRecord {
  readonly id: 'blobs'
  readonly bytes: number
}

/** Bytes that were stored since bytes are counted. Commits add to it without a check. */
export interface StoredBytes {
  add(change: Change, account: string, amount: number): void
  read(account: string): Promise<number>
}

/** Records of the numbers of what accounts have. A kind that was never counted has no record. */
export interface HoldingRecords {
  readonly holdings: Collection<HoldingRecord>
  readonly storedBases: Collection<StoredBaseRecord>
  readonly storedBytes: StoredBytes
}

/** Opens the records of what accounts have. */
export function openHoldingRecords(store: Store): HoldingRecords {
  const counterOf = (account: string): Key => [account, 'stored-bytes', 'blobs']
  return {
    holdings: new Collection<HoldingRecord>(store, { name: 'holdings', id: ({ kind }) => [kind] }),
    storedBases: new Collection<StoredBaseRecord>(store, {
      name: 'stored-bases',
      id: ({ id }) => [id],
    }),
    storedBytes: {
      add: (change, account, amount) => void change.add(counterOf(account), amount),
      async read(account) {
        const [counter] = await store.get([counterOf(account)])
        return Number(counter?.value ?? 0)
      },
    },
  }
}
