import type { Row } from '../../kernel/json.ts'
import type { Store } from '../../ports/store.ts'
import { Collection } from '../../records/collection.ts'
import { rowsFolder } from './records.ts'
import type { Caller } from './records.ts'
import { shortKey } from '../../kernel/short-key.ts'
import type { NormalUrl } from '../../kernel/url.ts'

/** A page in an archive, and where its bytes are. */
export interface StoredPage {
  /** The URL that was requested. */
  readonly url: string
  readonly finalUrl: string
  readonly status: number
  readonly contentType: string
  /** The blob that holds the pages of one commit, one after the other, each in gzip. */
  readonly blob: string
  readonly offset: number
  readonly length: number
}

/** A page that an execution has kept, in the form that its recipe was run on. */
export interface KeptPageRecord extends StoredPage {
  readonly url: NormalUrl
  readonly execution: string
  /** From 0, without gaps, in order of settling, which is the order of the rows. */
  readonly number: number
  /** Its line in the receipt. */
  readonly seq: number
  readonly label: string
  readonly depth: number
  readonly hop: number
  readonly foundOn?: string
  readonly carried?: Row
  /** When it was requested, in Unix milliseconds. Absent: not known. */
  readonly at?: number
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
      blobs: ({ blob }) => [blob],
    }),
  }
}

/**
 * Name of the blob with the pages of one commit. It lies beside the rows, so that code that sweeps
 * those finds it.
 */
export function pagesBlob(execution: string, commit: string): string {
  return `${rowsFolder(execution)}pages/${commit.replace(':', '-')}.bin`
}

/** A page that may be read again instead of being fetched. It expires. */
export interface CachedPageRecord extends StoredPage {
  /** SHA-256 of the settings that the page was requested with. */
  readonly settings: string
  /** True if a browser rendered it. */
  readonly rendered: boolean
  /** When it was requested, in Unix milliseconds. */
  readonly at: number
}

/**
 * A blob of an execution that holds only cached pages. This record expires with the last of them,
 * and the next sweep deletes the blob.
 */
interface CacheBlobRecord {
  readonly execution: string
  readonly blob: string
}

/** Records of pages that an account's executions may read from one another. */
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
      blobs: ({ blob }) => [blob],
    }),
    cacheBlobs: new Collection<CacheBlobRecord>(store, {
      name: 'cache-blobs',
      id: ({ execution, blob }) => [execution, blob],
      blobs: ({ blob }) => [blob],
    }),
  }
}

/** Key of a cached page. Long URLs are cut, so a record with this key may have another URL. */
export function cachedPageId(settings: string, url: string): readonly [string, string] {
  return [settings, shortKey(url)]
}

/**
 * Name of the blob with the cached pages of one commit. It lies beside the rows, so that code that
 * sweeps those finds it.
 */
export function cacheBlob(execution: string, commit: string): string {
  return `${rowsFolder(execution)}cache/${commit.replace(':', '-')}.bin`
}

/**
 * Marks an account for which a daily check deletes executions that are past their retention. There
 * is one record for each account.
 */
interface RetentionRecord {
  readonly since: number
  /**
   * Latest end of an execution that an earlier version has retired, in Unix milliseconds.
   * Executions that began before this time may lack their receipts. 0: none was retired.
   */
  readonly until: number
}

/** Deletions that an account made with an earlier version. One record an account. */
interface DeletionRecord {
  /** Latest end of an execution that was deleted, in Unix milliseconds. */
  readonly until: number
}

/** A deleted execution that may have left data to erase. */
interface RetiredRecord {
  readonly execution: string
  /** Unix milliseconds until which its data stays, because a worker may still write. Absent: 0. */
  readonly eraseAt?: number
  /** As in its execution. */
  readonly startedBy?: Caller
}

/** Records of retention. */
export interface RetentionRecords {
  readonly retentions: Collection<RetentionRecord>
  readonly deletions: Collection<DeletionRecord>
  readonly retired: Collection<RetiredRecord>
}

/** Opens the records of retention. */
export function openRetentionRecords(store: Store): RetentionRecords {
  return {
    retentions: new Collection<RetentionRecord>(store, { name: 'retention', id: () => [] }),
    deletions: new Collection<DeletionRecord>(store, { name: 'deletions', id: () => [] }),
    retired: new Collection<RetiredRecord>(store, {
      name: 'retired',
      id: ({ execution }) => [execution],
    }),
  }
}
