import { DatabaseSync } from 'node:sqlite'
import { isBusy } from './busy.ts'
import { prepareSchema } from './schema.ts'

/** How long one statement waits inside SQLite for another process; longer waits leave the event loop free. */
const BUSY_MS = 200
const OPEN_TRIES = 100
const OPEN_PAUSE_MS = 50

/** Opens and prepares a database, also while other processes open the same file. */
export function openDatabase(path: string, durability: 'normal' | 'full'): DatabaseSync {
  for (let tried = 1; ; tried++) {
    const db = new DatabaseSync(path)
    try {
      db.exec(`PRAGMA busy_timeout = ${BUSY_MS}; PRAGMA journal_mode = WAL; PRAGMA synchronous = ${durability}; PRAGMA cache_size = -32768; PRAGMA temp_store = MEMORY`)
      prepareSchema(db)
      return db
    } catch (error) {
      db.close()
      // Changing a new file to WAL does not wait for others, whatever the busy timeout.
      if (!isBusy(error) || tried === OPEN_TRIES) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, OPEN_PAUSE_MS)
    }
  }
}
