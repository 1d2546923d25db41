import type { Store } from '../ports/store.ts'
import { Collection } from './collection.ts'

/**
 * What the search that an execution starts from has found. Written once: whoever works on the
 * execution goes by it.
 */
export interface FoundStartsRecord {
  readonly execution: string
  /** Who was asked. */
  readonly source: string
  /** Best first, each page once. */
  readonly urls: readonly string[]
  readonly at: number
}

/** Records of the searches that executions start from. */
export interface FoundStartRecords {
  readonly foundStarts: Collection<FoundStartsRecord>
}

/** Opens the records of the searches that executions start from. */
export function openFoundStartRecords(store: Store): FoundStartRecords {
  return {
    foundStarts: new Collection<FoundStartsRecord>(store, {
      name: 'found-starts',
      id: ({ execution }) => [execution],
    }),
  }
}
