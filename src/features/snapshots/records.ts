import type { Store } from '../../ports/store.ts'
import { Collection } from '../../records/collection.ts'

/** A page that a preview kept for a while. */
export interface SnapshotRecord {
  readonly id: string
  readonly url: string
  readonly requestedUrl: string
  readonly status: number
  readonly contentType: string
  /** Unix milliseconds. */
  readonly visitedAt: number
  readonly expiresAt: number
  /** Number of its parts. */
  readonly parts: number
}

/** A part of a page's bytes: packed by gzip, in base64url. */
export interface SnapshotPartRecord {
  readonly snapshot: string
  readonly part: number
  readonly data: string
}

/** Records of snapshots. They end by themselves. */
export interface SnapshotRecords {
  readonly snapshots: Collection<SnapshotRecord>
  readonly snapshotParts: Collection<SnapshotPartRecord>
}

/** Opens the records of snapshots. */
export function openSnapshotRecords(store: Store): SnapshotRecords {
  return {
    snapshots: new Collection<SnapshotRecord>(store, { name: 'snapshots', id: ({ id }) => [id] }),
    snapshotParts: new Collection<SnapshotPartRecord>(store, {
      name: 'snapshot-parts',
      id: ({ snapshot, part }) => [snapshot, part],
    }),
  }
}
