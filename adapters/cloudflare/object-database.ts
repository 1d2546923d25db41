import type { SqliteDatabase } from '../common/sqlite/database.ts'
import type { ObjectStorage } from './bindings.ts'

/**
 * The SQLite of a Durable Object with the interface of the other drivers. It caches statements by
 * their text itself.
 */
export function objectDatabase({ sql }: ObjectStorage): SqliteDatabase {
  const plain = (values: readonly unknown[]) =>
    values.map((value) =>
      typeof value === 'string' || typeof value === 'number' || value === null
        ? value
        : String(value),
    )
  return {
    exec: (text) => void sql.exec(text),
    prepare: (text) => ({
      get: (...values) => sql.exec(text, ...plain(values)).toArray()[0],
      all: (...values) => sql.exec(text, ...plain(values)).toArray(),
      run: (...values) => ({ changes: sql.exec(text, ...plain(values)).rowsWritten }),
    }),
    close() {},
  }
}
