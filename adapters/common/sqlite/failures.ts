import { statSync } from 'node:fs'
import { StoreFailure } from '../../../src/kernel/failures.ts'
import { codeOf } from './open-database.ts'

/** Result codes of SQLite that say nothing about the statement. */
const FULL = 13
const DAMAGED: ReadonlySet<number> = new Set([
  11, // CORRUPT
  26, // NOTADB
])
const UNREACHABLE: ReadonlySet<number> = new Set([
  5, // BUSY
  6, // LOCKED
  8, // READONLY: the file was replaced or its rights changed.
  10, // IOERR
  14, // CANTOPEN
])

/** The error as a failure of the port, if it concerns the storage and not the statement. */
export function asStoreFailure(error: unknown): unknown {
  const code = codeOf(error)
  if (code === FULL) return new StoreFailure('full', { cause: error })
  if (code !== null && DAMAGED.has(code)) return new StoreFailure('damaged', { cause: error })
  return code !== null && UNREACHABLE.has(code)
    ? new StoreFailure('unreachable', { cause: error })
    : error
}

/**
 * Watches whether a path still leads to the file that was opened. SQLite continues with a file that
 * was deleted, and everything that it writes then is lost when the process ends.
 */
export function watchFile(path: string): () => void {
  const opened = identityOf(path)
  // In memory, or named by a URI.
  if (opened === null) return () => {}
  return () => {
    if (identityOf(path) !== opened) throw new StoreFailure('replaced')
  }
}

function identityOf(path: string): string | null {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stats === undefined ? null : `${stats.dev}:${stats.ino}`
}
