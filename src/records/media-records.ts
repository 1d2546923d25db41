import type { Store } from '../ports/store.ts'
import { Collection } from './collection.ts'

/** Bytes taken from a page. There is one record for the same bytes, however often they are taken. */
export interface MediaRecord {
  /** `med_` and the digest. */
  readonly id: string
  readonly kind: 'image' | 'file' | 'screenshot'
  /** SHA-256 of the bytes, hex. */
  readonly sha256: string
  readonly blob: string
  /** By the bytes, where they tell; see engine/media/sniff-type. */
  readonly contentType: string
  readonly bytes: number
  /** Pixels, of images whose head tells; else `null`. */
  readonly width: number | null
  readonly height: number | null
  /** For people, safe in paths and headers. */
  readonly name: string
  /** Where they were first found. */
  readonly sourceUrl: string
  readonly firstSeenAt: number
}

/** Who a name in media links stands for. */
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
    mediaOwners: new Collection<MediaOwnerRecord>(store, { name: 'mediaOwners', id: ({ owner }) => [owner] }),
  }
}

/** The id of the item with these bytes. */
export function mediaId(sha256: string): string {
  return `med_${sha256}`
}
