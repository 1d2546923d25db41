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
  /** Number of the parts of its screenshot. Absent: there is none. */
  readonly screenshotParts?: number
}

/** A style sheet or a picture of a page that was loaded, or the reason why it is not there. */
export interface SnapshotFileRecord {
  readonly snapshot: string
  /** Its position in the list of the page's files. */
  readonly file: number
  /** Characters of its content. */
  readonly size: number
  /** Number of its parts. */
  readonly parts: number
  /** `null`: it is there. */
  readonly reason: string | null
}

/** A part of the content of a file, or of a page, which is compressed by gzip and in base64url. */
export interface SnapshotPartRecord {
  /** The snapshot, its screenshot, or one of its files. */
  readonly snapshot: string
  readonly part: number
  readonly data: string
}

/** Records of snapshots. They expire. */
export interface SnapshotRecords {
  readonly snapshots: Collection<SnapshotRecord>
  readonly snapshotFiles: Collection<SnapshotFileRecord>
  readonly snapshotParts: Collection<SnapshotPartRecord>
}

/** Opens the records of snapshots. */
export function openSnapshotRecords(store: Store): SnapshotRecords {
  return {
    snapshots: new Collection<SnapshotRecord>(store, { name: 'snapshots', id: ({ id }) => [id] }),
    snapshotFiles: new Collection<SnapshotFileRecord>(store, {
      name: 'snapshot-files',
      id: ({ snapshot, file }) => [snapshot, file],
    }),
    snapshotParts: new Collection<SnapshotPartRecord>(store, {
      name: 'snapshot-parts',
      id: ({ snapshot, part }) => [snapshot, part],
    }),
  }
}
