import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * Makes a data directory. It is private, because it holds hashed keys and page contents. Afterwards
 * its name is on disk, even if a process that died has made it. Otherwise a power cut would lose
 * all of the data.
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
 * Codes of systems that cannot sync folders. Windows opens no folders and keeps names in its
 * journal, and some shared file systems sync none. A folder may also belong to another user.
 */
const CANNOT: ReadonlySet<unknown> = new Set(['EPERM', 'EACCES', 'EINVAL', 'EBADF', 'ENOTSUP'])

/** Waits until the names in a folder are on disk. */
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
