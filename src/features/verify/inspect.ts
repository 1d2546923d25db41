import type { Store } from '../../ports/store.ts'
import { collectionsOf, createRecords } from '../records.ts'
import type { Records } from '../records.ts'
import { accountsOf, verifyRecords } from '../../records/verify.ts'
import type { Verification, IndexCheckOptions } from '../../records/verify.ts'

/** Access to a whole store, for code that goes through all of it. */
export interface Inspection {
  readonly records: Records
  /** Every account that has a record, including the platform's own. */
  accounts(): AsyncIterable<string>
  /** Compares index entries with records; see {@link verifyRecords}. */
  indexes(options: IndexCheckOptions): Promise<Verification>
}

/** Opens a store for inspection. */
export function inspect(store: Store): Inspection {
  const records = createRecords(store)
  const collections = collectionsOf(records)
  return {
    records,
    accounts: () => accountsOf(store),
    indexes: (options) => verifyRecords(store, collections, options),
  }
}
