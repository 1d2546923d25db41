import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { createSqliteStore } from '../../../adapters/sqlite/index.ts'
import { createFileBlobs } from '../../../adapters/unstorage/index.ts'

/** Commits of the workload, and how many of their entries there are at a time. */
export const COMMITS = 360
export const WINDOW = 40
/** Commits that are made in one tick. */
export const BATCH = 3

/** The entry that commit number `i` writes. */
export function entryOf(i: number): { readonly text: string; readonly blob: string | null } {
  const digest = createHash('sha256').update(String(i)).digest('hex')
  return {
    text: digest.repeat(i % 9 === 0 ? 300 : (i % 7) * 5),
    blob: i % 2 === 0 ? `rows/run-${Math.floor(i / 50)}/${i}` : null,
  }
}

/** The bytes of its blob. */
export function blobOf(i: number): Uint8Array {
  return Uint8Array.from(
    Buffer.from(
      createHash('sha256')
        .update(`blob ${i}`)
        .digest('hex')
        .repeat(1 + (i % 30) * 10),
    ),
  )
}

/** Opens the store and the blobs of a folder. */
export function openFolder(folder: string, durability: 'normal' | 'full') {
  return {
    store: createSqliteStore({ path: join(folder, 'seine.db'), durability }),
    blobs: createFileBlobs({ dir: join(folder, 'blobs'), durability }),
  }
}
