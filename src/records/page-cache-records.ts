import { shortKey } from '../kernel/short-key.ts'
import type { Store } from '../ports/store.ts'
import { Collection } from './collection.ts'
import { rowsFolder } from './row-blobs.ts'

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
export interface CacheBlobRecord {
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
