import { columnOf } from './database.ts'
import { connectByNode } from './drivers.ts'
import { isBusy } from './open-database.ts'

/** How long it waits for readers and writers of other processes, in ms. */
const BUSY_MS = 30_000

/**
 * Rewrites a database and empties its log. SQLite leaves deleted data in free pages and in the log
 * until they are used again.
 *
 * @returns false: another process has used it all the time
 */
export function dropDeleted(path: string): boolean {
  const db = connectByNode(path)
  try {
    db.exec(`PRAGMA busy_timeout = ${BUSY_MS}; PRAGMA secure_delete = 1; VACUUM`)
    const checkpoint = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()
    return columnOf(checkpoint, 'busy') === 0
  } catch (error) {
    if (isBusy(error)) return false
    throw error
  } finally {
    db.close()
  }
}
