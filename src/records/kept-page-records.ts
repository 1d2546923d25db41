import type { Store } from '../ports/store.ts'
import { Collection } from './collection.ts'
import { rowsFolder } from './row-blobs.ts'

/** A page that an execution has kept, as its recipe was run on it. */
export interface KeptPageRecord {
  readonly execution: string
  /** From 0, without gaps, in the order of settling: that of the rows. */
  readonly number: number
  /** Its line in the receipt. */
  readonly seq: number
  /** The URL that was asked for. */
  readonly url: string
  readonly finalUrl: string
  readonly status: number
  readonly contentType: string
  readonly label: string
  readonly depth: number
  readonly hop: number
  readonly foundOn?: string
  /** Holds the pages of one commit, one after the other, each in gzip. */
  readonly blob: string
  readonly offset: number
  readonly length: number
}

/** Records of the pages that executions keep. */
export interface KeptPageRecords {
  readonly keptPages: Collection<KeptPageRecord>
}

/** Opens the records of kept pages. */
export function openKeptPageRecords(store: Store): KeptPageRecords {
  return {
    keptPages: new Collection<KeptPageRecord>(store, {
      name: 'kept-pages',
      id: (page) => [page.execution, page.number],
    }),
  }
}

/**
 * The blob with the pages of one commit: beside the rows, so that whatever looks after those finds
 * it.
 */
export function pagesBlob(execution: string, commit: string): string {
  return `${rowsFolder(execution)}pages/${commit.replace(':', '-')}.bin`
}
