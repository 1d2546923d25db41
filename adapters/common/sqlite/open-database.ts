import type { SqliteDatabase } from './database.ts'
import { prepareLayout } from './layout.ts'

/**
 * How long one statement waits inside SQLite for another process. It is short, because longer waits
 * must not block the event loop.
 */
const BUSY_MS = 200
const OPEN_TRIES = 100
const OPEN_PAUSE_MS = 50

/** Opens and prepares a database, also while other processes open the same file. */
export function openDatabase(
  connect: (path: string) => SqliteDatabase,
  path: string,
  durability: 'normal' | 'full',
): SqliteDatabase {
  for (let tried = 1; ; tried++) {
    const db = connect(path)
    try {
      db.exec(`PRAGMA busy_timeout = ${BUSY_MS};
        PRAGMA journal_mode = WAL;
        PRAGMA synchronous = ${durability};
        PRAGMA cache_size = -32768;
        PRAGMA temp_store = MEMORY`)
      prepare(db)
      return db
    } catch (error) {
      db.close()
      // The switch of a new file to WAL does not wait for others, whatever the busy timeout.
      if (!isBusy(error) || tried === OPEN_TRIES) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, OPEN_PAUSE_MS)
    }
  }
}

function prepare(db: SqliteDatabase): void {
  db.exec('BEGIN IMMEDIATE')
  try {
    prepareLayout(db)
    db.exec('COMMIT')
  } catch (error) {
    db.exec('ROLLBACK')
    throw error
  }
}

const SQLITE_BUSY = 5

/**
 * True if a statement failed only because another process uses the database. Extended codes have
 * the cause in the low byte.
 */
export function isBusy(error: unknown): boolean {
  const code = codeOf(error)
  if (code !== null) return code === SQLITE_BUSY
  return error instanceof Error && error.message.includes('database is locked')
}

/** The primary result code of a driver's error. `null`: it has no code. */
export function codeOf(error: unknown): number | null {
  if (!(error instanceof Error)) return null
  // `node:sqlite` has `errcode`, `bun:sqlite` has `errno`.
  const code = 'errcode' in error ? error.errcode : 'errno' in error ? error.errno : null
  return typeof code === 'number' ? code & 0xff : null
}
