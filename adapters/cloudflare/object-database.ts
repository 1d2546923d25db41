import type { SqliteDatabase, SqlRow } from '../common/sqlite/database.ts'
import type { ObjectStorage } from './bindings.ts'
import { PARTED } from './parts.ts'

/**
 * The SQLite of a Durable Object with the interface of the other drivers. It caches statements by
 * their text itself. Rows of entries include all parts of their values.
 */
export function objectDatabase({ sql }: ObjectStorage): SqliteDatabase {
  const plain = (values: readonly unknown[]) =>
    values.map((value) =>
      typeof value === 'string' || typeof value === 'number' || value === null
        ? value
        : String(value),
    )
  const whole = (row: Record<string, unknown>): SqlRow => {
    const { key, value, version } = row
    if (value !== PARTED || typeof key !== 'string' || typeof version !== 'number') return row
    const parts = sql
      .exec(
        'SELECT text FROM seine_parts WHERE key = ? AND version = ? ORDER BY part',
        key,
        version,
      )
      .toArray()
    return { ...row, value: parts.map(({ text }) => String(text)).join('') }
  }
  return {
    exec: (text) => void sql.exec(text),
    prepare: (text) => ({
      get: (...values) =>
        sql
          .exec(text, ...plain(values))
          .toArray()
          .slice(0, 1)
          .map(whole)[0],
      all: (...values) =>
        sql
          .exec(text, ...plain(values))
          .toArray()
          .map(whole),
      run: (...values) => ({ changes: sql.exec(text, ...plain(values)).rowsWritten }),
    }),
    close() {},
  }
}
