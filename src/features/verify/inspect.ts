import { Pace } from '../../kernel/pace.ts'
import type { Store } from '../../ports/store.ts'
import { collectionsOf, createRecords } from '../records.ts'
import type { Records } from '../records.ts'
import { accountsOf, verifyRecords } from '../../records/verify.ts'
import type { Verification, IndexCheckOptions } from '../../records/verify.ts'

/** Access to a whole store, for code that reads all of it. */
export interface Inspection {
  readonly records: Records
  /** Every account that has a record, including the platform's own. */
  accounts(): AsyncIterable<string>
  /** Compares index entries with records; see {@link verifyRecords}. */
  indexes(options: IndexCheckOptions): Promise<Verification>
}

/** Opens a store for inspection, which goes on beside the requests of its process. */
export function inspect(wholeStore: Store): Inspection {
  const store = paced(wholeStore)
  const records = createRecords(store)
  const collections = collectionsOf(records)
  return {
    records,
    accounts: () => accountsOf(store),
    indexes: (options) => verifyRecords(store, collections, options),
  }
}

/**
 * The store, with reads that yield to the event loop. Some stores answer at once, so reading all of
 * an account would otherwise take one turn.
 */
function paced(store: Store): Store {
  const pace = new Pace()
  return {
    async get(keys) {
      await pace.step()
      return store.get(keys)
    },
    async list(range) {
      await pace.step()
      return store.list(range)
    },
    commit: (change) => store.commit(change),
    close: async () => undefined,
  }
}
