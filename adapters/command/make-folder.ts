import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * Makes a data directory. It is private: it holds hashed keys and page contents. Its name is on the
 * disk then, also if it was made by a process that died: without it a power cut would take all of
 * the data.
 */
export function makeFolder(path: string): void {
  const whole = resolve(path)
  const made = mkdirSync(whole, { recursive: true, mode: 0o700 })
  const top = dirname(made ?? whole)
  for (let folder = dirname(whole); ; folder = dirname(folder)) {
    flushNames(folder)
    if (folder === top || folder === dirname(folder)) return
  }
}

/**
 * Codes of systems that cannot do that: Windows opens no folders, and keeps names in its journal;
 * some shared file systems sync none. A folder may also be another user's.
 */
const CANNOT: ReadonlySet<unknown> = new Set(['EPERM', 'EACCES', 'EINVAL', 'EBADF', 'ENOTSUP'])

/** Waits until the names in a folder are on the disk. */
function flushNames(folder: string): void {
  try {
    const handle = openSync(folder, 'r')
    try {
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && CANNOT.has(error.code))) throw error
  }
}
