import type { Store } from '../../ports/store.ts'
import type { Key } from '../../kernel/key.ts'
import type { Change } from '../../records/change.ts'
import { Collection } from '../../records/collection.ts'

/** What accounts have by number. `keys`: those that are not revoked. */
export type Held = 'keys' | 'tasks' | 'datasets'

/**
 * How many records of a kind an account has. Written in each commit that adds or removes one, and
 * checked by its version.
 */
export interface HoldingRecord {
  readonly kind: Held
  readonly count: number
}

/** Bytes that executions had stored before they were counted. */
export interface StoredBaseRecord {
  readonly id: 'all'
  readonly bytes: number
}

/** Bytes that executions have stored since they are counted, which commits add to without a check. */
export interface StoredBytes {
  add(change: Change, account: string, amount: number): void
  read(account: string): Promise<number>
}

/** Records of what accounts have. Of a kind that was never counted there is none. */
export interface HoldingRecords {
  readonly holdings: Collection<HoldingRecord>
  readonly storedBases: Collection<StoredBaseRecord>
  readonly storedBytes: StoredBytes
}

/** Opens the records of what accounts have. */
export function openHoldingRecords(store: Store): HoldingRecords {
  const counterOf = (account: string): Key => [account, 'stored-bytes', 'all']
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
