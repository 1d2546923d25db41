import { createRequire } from 'node:module'
import type * as Sqlite from 'node:sqlite'
import type { SqliteDatabase, SqlRow, SqlValue } from './database.ts'

/** The module `node:sqlite`. */
export type NodeSqlite = typeof Sqlite

/**
 * Loads `node:sqlite` when the first store is made. A static import would fail on an older Node
 * before any code could explain why.
 *
 * @throws {Error} that names the first Node with it, and the alternatives
 */
export function loadSqlite(
  load: () => NodeSqlite = () => createRequire(import.meta.url)('node:sqlite'),
  version = process.version,
): NodeSqlite {
  try {
    return load()
  } catch (cause) {
    throw new Error(
      `createSqliteStore needs node:sqlite, which Node has from 22.13 on; this is Node ${version}. ` +
        'Use a newer Node, or give createPlatform another store, such as createPostgresStore of ' +
        'seine/postgres',
      { cause },
    )
  }
}

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

/** Opens a database by `node:sqlite`. */
export function connectByNode(path: string): SqliteDatabase {
  const { DatabaseSync } = loadSqlite()
  return new DatabaseSync(path)
}

/** Opens a database by `bun:sqlite`. */
export function connectByBun(path: string): SqliteDatabase {
  // Loaded on demand, because with a static import this module could not load on other runtimes.
  const { Database }: BunSqlite = createRequire(import.meta.url)('bun:sqlite')
  const db = new Database(path)
  return {
    exec: (sql) => void db.exec(sql),
    prepare: (sql) => db.prepare(sql),
    close: () => db.close(),
  }
}
