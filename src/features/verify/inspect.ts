import type { Store } from '../../ports/store.ts'
import { collectionsOf, createRecords } from '../records.ts'
import type { Records } from '../records.ts'
import { accountsOf, verifyRecords } from '../../records/verify.ts'
import type { Verification, VerifyOptions } from '../../records/verify.ts'

/** A store as somebody sees it who looks everything through. */
export interface Inspection {
  readonly records: Records
  /** Every account that has a record; the platform's own is among them. */
  accounts(): AsyncIterable<string>
  /** Compares index entries with records; see {@link verifyRecords}. */
  indexes(options: VerifyOptions): Promise<Verification>
}

/** Opens a store to be looked through. */
export function inspect(store: Store): Inspection {
  const records = createRecords(store)
  const collections = collectionsOf(records)
  return {
    records,
    accounts: () => accountsOf(store),
    indexes: (options) => verifyRecords(store, collections, options),
  }
}
