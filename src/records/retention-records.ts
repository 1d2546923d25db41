import type { Store } from '../ports/store.ts'
import { Collection } from './collection.ts'

/**
 * That an account's executions are looked through once a day, for those whose time is over. One an
 * account.
 */
export interface RetentionRecord {
  readonly since: number
  /**
   * End of the youngest execution that was retired, Unix milliseconds: what began before may lack
   * its receipts. 0: none was.
   */
  readonly until: number
}

/** An execution that is no more, of which something may be left. */
export interface RetiredRecord {
  readonly execution: string
}

/** Records of how long things are kept. */
export interface RetentionRecords {
  readonly retentions: Collection<RetentionRecord>
  readonly retired: Collection<RetiredRecord>
}

/** Opens the records of how long things are kept. */
export function openRetentionRecords(store: Store): RetentionRecords {
  return {
    retentions: new Collection<RetentionRecord>(store, { name: 'retention', id: () => [] }),
    retired: new Collection<RetiredRecord>(store, {
      name: 'retired',
      id: ({ execution }) => [execution],
    }),
  }
}
