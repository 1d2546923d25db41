import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * Makes a data directory. It is private: it holds hashed keys and page contents. Its name is on the
 * disk then, also if it was made by a process that died: without it a power cut would take all of
 * the data.
 */
export function makeFolder(path: string): void {
  const made = mkdirSync(path, { recursive: true, mode: 0o700 })
  const top = dirname(resolve(made ?? path))
  for (let folder = dirname(resolve(path)); ; folder = dirname(folder)) {
    flushNames(folder)
    if (folder === top) return
  }
}

/** Waits until the names in a folder are on the disk. */
function flushNames(folder: string): void {
  let handle: number
  try {
    handle = openSync(folder, 'r')
  } catch (error) {
    // Windows opens no folders, and keeps names in its journal. This one may be another user's.
    if (error instanceof Error && 'code' in error && /^E(?:PERM|ACCES)$/.test(String(error.code)))
      return
    throw error
  }
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
