import { createRequire } from 'node:module'
import type { Store } from '../../src/ports/store.ts'
import type { SqliteDatabase, SqlRow, SqlValue } from '../common/sqlite/database.ts'
import { checkSqliteOptions, SqliteStore } from '../common/sqlite/sqlite-store.ts'
import type { SqliteStoreOptions } from '../common/sqlite/sqlite-store.ts'

/** The part of `bun:sqlite` that is used. */
interface BunSqlite {
  readonly Database: new (path: string) => {
    exec(sql: string): unknown
    prepare(sql: string): {
      get(...values: SqlValue[]): SqlRow | null
      all(...values: SqlValue[]): SqlRow[]
      run(...values: SqlValue[]): { readonly changes: number }
    }
    close(): void
  }
}

/**
 * A Store in one SQLite file, by `bun:sqlite`: the same file, tables and views as `seine/sqlite`
 * makes. Several processes may share it.
 *
 * @example
 *   const store = createSqliteStore({ path: 'seine.db' })
 *
 * @throws if the path cannot be opened or the file is of a later version.
 */
export function createSqliteStore(options: SqliteStoreOptions): Store {
  checkSqliteOptions(options)
  return new SqliteStore(connect, options)
}

function connect(path: string): SqliteDatabase {
  // Loaded on demand: with a static import this module could not load on other runtimes.
  const { Database }: BunSqlite = createRequire(import.meta.url)('bun:sqlite')
  const db = new Database(path)
  return {
    exec: (sql) => void db.exec(sql),
    prepare: (sql) => db.prepare(sql),
    close: () => db.close(),
  }
}
