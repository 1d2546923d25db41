import { createSqliteStore } from 'seine/sqlite'
import { createFileBlobs } from 'seine/unstorage'
import { eraseAccount, restoreBackup, writeBackup } from 'seine/backup'

const live = {
  store: createSqliteStore({ path: 'data/seine.db' }),
  blobs: createFileBlobs({ dir: 'data/blobs' }),
}
/** Beside the platform that uses the same store and blobs. */
export async function backUp(folder: string): Promise<void> {
  const { missing } = await writeBackup({ ...live, to: createFileBlobs({ dir: folder }) })
  if (missing.length > 0) console.warn('These blobs were lost before:', missing)
}

/** To a new store, before a platform is made on it. Then call `platform.verify()`. */
export async function restore(folder: string, target: typeof live): Promise<void> {
  await restoreBackup({ ...target, from: createFileBlobs({ dir: folder }) })
}

/** The rights of a customer who leaves: a copy, and nothing left. */
export async function leave(account: string, folder: string): Promise<void> {
  await writeBackup({ ...live, to: createFileBlobs({ dir: folder }), account })
  await eraseAccount({ ...live, account })
}
