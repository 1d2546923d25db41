import type { Store } from '../../src/ports/store.ts'

/** A Store to hold against the contract, empty and of its own. */
export interface StoreSubject {
  readonly store: Store
  /** The time that the store sees. */
  readonly clock: { now(): number; advance(ms: number): Promise<void> }
  /** Opens what `store` has written, after it was closed; left out where nothing outlives the store. */
  readonly reopen?: () => Promise<Store>
}
