import type { Store } from '../../ports/store.ts'
import { Collection } from '../../records/collection.ts'
import type { Reason } from '../executions/records.ts'

/** Bytes taken from a page. There is one record for the same bytes, however often they are taken. */
export interface MediaRecord {
  /** `med_` and the digest. */
  readonly id: string
  readonly kind: 'image' | 'file' | 'screenshot'
  /** SHA-256 of the bytes, hex. */
  readonly sha256: string
  /** What stands for the account in links and in names of blobs. */
  readonly owner: string
  /** By the bytes, where they tell; see engine/media/sniff-type. */
  readonly contentType: string
  readonly bytes: number
  /** Pixels, of images whose head tells; else `null`. */
  readonly width: number | null
  readonly height: number | null
  /** Where they were first found. */
  readonly sourceUrl: string
  readonly firstSeenAt: number
}

/** Bytes that a page refers to. */
export interface WantedMedia {
  readonly url: string
  readonly pageUrl: string
}

/** An item, or why there is none. `sourceUrl`: as far as rows should show it. */
export type TakenMedia = { readonly sourceUrl: string } & (
  | { readonly item: MediaRecord }
  | { readonly item: null; readonly error: Reason }
)

/** Whose items a media link leads to. */
export interface MediaOwnerRecord {
  /** Derived from the account by a secret, so that a link does not tell it. */
  readonly owner: string
  readonly account: string
}

/** Records of media items. */
export interface MediaRecords {
  readonly media: Collection<MediaRecord>
  /** Across accounts. */
  readonly mediaOwners: Collection<MediaOwnerRecord>
}

/** Opens the records of media items. */
export function openMediaRecords(store: Store): MediaRecords {
  return {
    media: new Collection<MediaRecord>(store, { name: 'media', id: (item) => [item.id] }),
    mediaOwners: new Collection<MediaOwnerRecord>(store, {
      name: 'mediaOwners',
      id: ({ owner }) => [owner],
    }),
  }
}

/** Where the bytes of an item are. */
export function mediaBlob({ owner, sha256 }: Pick<MediaRecord, 'owner' | 'sha256'>): string {
  return `media/${owner}/${sha256}`
}
