import type { Store } from '../../ports/store.ts'
import { Collection } from '../../records/collection.ts'
import type { Reason } from '../executions/records.ts'

/** A media item of a page. The same bytes have one record, however often they are fetched. */
export interface MediaRecord {
  /** `med_` and the digest. */
  readonly id: string
  readonly kind: 'image' | 'file' | 'screenshot'
  /** SHA-256 of the bytes, hex. */
  readonly sha256: string
  /** The account's pseudonym in links and in blob names. */
  readonly owner: string
  /** Detected from the bytes if possible; see engine/media/sniff-type. */
  readonly contentType: string
  readonly bytes: number
  /** Pixels, for images whose header contains them. Else `null`. */
  readonly width: number | null
  readonly height: number | null
  /** The page on which it was first found. */
  readonly sourceUrl: string
  readonly firstSeenAt: number
  /** True if the account's counter has its bytes. Absent: it is older than that counter. */
  readonly counted?: true
  /** Number of earlier deletions of this content. It is part of the blob's name. Absent: none. */
  readonly generation?: number
}

/** The number of deletions of a content. Its next record gets the next generation. */
export interface MediaDeletionRecord {
  readonly id: string
  readonly count: number
}

/** Bytes that an execution has stored, and that no record names yet. */
export interface MediaPutRecord extends Pick<
  MediaRecord,
  'id' | 'sha256' | 'owner' | 'generation'
> {
  readonly execution: string
}

/** The time at which an item was first seen. Items are listed in this order. */
export interface MediaTimeRecord {
  readonly firstSeenAt: number
  readonly id: string
}

/** Marks an account whose items of earlier versions have their times stored too. */
export interface MediaTimedRecord {
  readonly id: 'all'
}

/** Media that a page refers to. */
export interface WantedMedia {
  readonly url: string
  readonly pageUrl: string
}

/** A fetched media item, or the error. `sourceUrl`: the URL as far as rows should show it. */
export type TakenMedia = { readonly sourceUrl: string } & (
  | { readonly item: MediaRecord }
  | { readonly item: null; readonly error: Reason }
)

/** The account of a pseudonym in media links. */
export interface MediaOwnerRecord {
  /** Derived from the account with a secret, so that a link does not reveal the account. */
  readonly owner: string
  readonly account: string
}

/** Records of media items. */
export interface MediaRecords {
  readonly media: Collection<MediaRecord>
  readonly mediaTimes: Collection<MediaTimeRecord>
  readonly mediaTimed: Collection<MediaTimedRecord>
  readonly mediaDeletions: Collection<MediaDeletionRecord>
  /** Written before the bytes, and deleted with the commit that adds their item. */
  readonly mediaPuts: Collection<MediaPutRecord>
  /** The same, by their content. */
  readonly mediaPutters: Collection<MediaPutRecord>
  /** For all accounts. */
  readonly mediaOwners: Collection<MediaOwnerRecord>
}

/** Opens the records of media items. */
export function openMediaRecords(store: Store): MediaRecords {
  return {
    media: new Collection<MediaRecord>(store, {
      name: 'media',
      id: (item) => [item.id],
      blobs: (item) => [mediaBlob(item)],
    }),
    mediaTimes: new Collection<MediaTimeRecord>(store, {
      name: 'media-times',
      id: ({ firstSeenAt, id }) => [firstSeenAt, id],
    }),
    mediaTimed: new Collection<MediaTimedRecord>(store, {
      name: 'media-timed',
      id: ({ id }) => [id],
    }),
    mediaDeletions: new Collection<MediaDeletionRecord>(store, {
      name: 'media-deletions',
      id: ({ id }) => [id],
    }),
    mediaPuts: new Collection<MediaPutRecord>(store, {
      name: 'media-puts',
      id: ({ execution, id, generation = 0 }) => [execution, id, generation],
    }),
    mediaPutters: new Collection<MediaPutRecord>(store, {
      name: 'media-putters',
      id: ({ execution, id, generation = 0 }) => [id, generation, execution],
    }),
    mediaOwners: new Collection<MediaOwnerRecord>(store, {
      name: 'mediaOwners',
      id: ({ owner }) => [owner],
      owner: ({ account }) => account,
    }),
  }
}

/**
 * Name of the blob with the bytes of an item. Content that is stored again after its deletion gets
 * another blob, so that the first blob can still be erased later.
 */
export function mediaBlob({
  owner,
  sha256,
  generation = 0,
}: Pick<MediaRecord, 'owner' | 'sha256' | 'generation'>): string {
  return `${mediaFolder(owner)}${sha256}${generation === 0 ? '' : `.${generation}`}`
}

/** Folder of the blobs of an account's items: the prefix of their names. */
export function mediaFolder(owner: string): string {
  return `media/${owner}/`
}
