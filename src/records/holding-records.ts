import type { Store } from '../ports/store.ts'
import { Collection } from './collection.ts'

/** What accounts have by number. `keys`: those that are not revoked. */
export type Held = 'keys' | 'tasks' | 'datasets'

/** How many records of a kind an account has. Written in each commit that adds or removes one, and checked by its version. */
export interface HoldingRecord {
  readonly kind: Held
  readonly count: number
}

/** Records of what accounts have. Of a kind that was never counted there is none. */
export interface HoldingRecords {
  readonly holdings: Collection<HoldingRecord>
}

/** Opens the records of what accounts have. */
export function openHoldingRecords(store: Store): HoldingRecords {
  return { holdings: new Collection<HoldingRecord>(store, { name: 'holdings', id: ({ kind }) => [kind] }) }
}
