import { decodeKey, prefixRange } from '../../../src/kernel/key.ts'
import type { Key } from '../../../src/kernel/key.ts'
import type { SnapshotEntry } from '../../../src/ports/store.ts'
import { columnOf } from './database.ts'
import type { SqliteDatabase } from './database.ts'
import { PARTED } from './parts.ts'

/** Number of entries of one read. Values may have megabytes each. */
const PAGE = 200

/**
 * Reads all entries below the prefixes in one read transaction. It sees the database as it was at
 * its start. Later commits go to the log, which restarts after the transaction has ended.
 */
export function* readSnapshot(
  db: SqliteDatabase,
  prefixes: readonly Key[],
  now: number,
): Generator<readonly SnapshotEntry[]> {
  const page = db.prepare(
    `SELECT key, value, version, expires_at FROM seine_entries
     WHERE key > ? AND key < ? AND (expires_at IS NULL OR expires_at > ?) ORDER BY key LIMIT ?`,
  )
  const parts = db.prepare(
    'SELECT text FROM seine_parts WHERE key = ? AND version = ? ORDER BY part',
  )
  db.exec('BEGIN')
  try {
    for (const prefix of prefixes) {
      const { from, to } = prefixRange(prefix)
      for (let over = from; ;) {
        const rows = page.all(over, to, now, PAGE)
        if (rows.length === 0) break
        yield rows.map((row): SnapshotEntry => {
          const key = String(columnOf(row, 'key'))
          const value = String(columnOf(row, 'value'))
          const expiresAt = columnOf(row, 'expires_at')
          return {
            key: decodeKey(key),
            json:
              value === PARTED
                ? parts
                    .all(key, Number(columnOf(row, 'version')))
                    .map((part) => String(columnOf(part, 'text')))
                    .join('')
                : value,
            expiresAt: typeof expiresAt === 'number' ? expiresAt : null,
          }
        })
        over = String(columnOf(rows.at(-1), 'key'))
        if (rows.length < PAGE) break
      }
    }
  } finally {
    db.exec('ROLLBACK')
  }
}
