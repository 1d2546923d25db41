import type { Store } from '../../ports/store.ts'
import { Collection } from '../../records/collection.ts'
import { rowsFolder } from './records.ts'
import { shortKey } from '../../kernel/short-key.ts'

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

/** A page that may be read again instead of being fetched. It expires. */
export interface CachedPageRecord {
  /** SHA-256 of what the page was asked for with. */
  readonly settings: string
  /** The URL that was asked for. */
  readonly url: string
  readonly finalUrl: string
  readonly status: number
  readonly contentType: string
  /** Whether a browser has made it. */
  readonly rendered: boolean
  /** When it was asked for, in Unix milliseconds. */
  readonly at: number
  /** Holds the page in gzip, among others. */
  readonly blob: string
  readonly offset: number
  readonly length: number
}

/**
 * A blob of an execution that holds nothing but cached pages. It expires with the last of them, and
 * the blob goes with the next sweep.
 */
interface CacheBlobRecord {
  readonly execution: string
  readonly blob: string
}

/** Records of pages that executions of an account may read from one another. */
export interface PageCacheRecords {
  readonly cachedPages: Collection<CachedPageRecord>
  readonly cacheBlobs: Collection<CacheBlobRecord>
}

/** Opens the records of cached pages. */
export function openPageCacheRecords(store: Store): PageCacheRecords {
  return {
    cachedPages: new Collection<CachedPageRecord>(store, {
      name: 'cached-pages',
      id: ({ settings, url }) => cachedPageId(settings, url),
    }),
    cacheBlobs: new Collection<CacheBlobRecord>(store, {
      name: 'cache-blobs',
      id: ({ execution, blob }) => [execution, blob],
    }),
  }
}

/** Where a page is found. Long URLs are cut short, so that another may lie there. */
export function cachedPageId(settings: string, url: string): readonly [string, string] {
  return [settings, shortKey(url)]
}

/**
 * The blob with the cached pages of one commit: beside the rows, so that whatever looks after those
 * finds it.
 */
export function cacheBlob(execution: string, commit: string): string {
  return `${rowsFolder(execution)}cache/${commit.replace(':', '-')}.bin`
}

/**
 * That an account's executions are looked through once a day, for those whose time is over. One an
 * account.
 */
interface RetentionRecord {
  readonly since: number
  /**
   * End of the youngest execution that was retired, Unix milliseconds: what began before may lack
   * its receipts. 0: none was.
   */
  readonly until: number
}

/** An execution that is no more, of which something may be left. */
interface RetiredRecord {
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
