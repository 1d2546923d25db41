import type { Store } from '../../src/ports/store.ts'

/** The store to test: empty, and used by nobody else. */
export interface StoreSubject {
  readonly store: Store
  /** The time that the store sees. */
  readonly clock: { now(): number; advance(ms: number): Promise<void> }
  /** Opens the entries of `store` again after its close; left out if nothing outlives the store. */
  readonly reopen?: () => Promise<Store>
}
