import { DatabaseSync } from 'node:sqlite'
import type { Store } from '../../src/ports/store.ts'
import { checkSqliteOptions, SqliteStore } from '../common/sqlite/sqlite-store.ts'
import type { SqliteStoreOptions } from '../common/sqlite/sqlite-store.ts'

/**
 * A Store in one SQLite file, by Deno's own `node:sqlite`: the same as that of `seine/sqlite`.
 * Several processes may share the file.
 *
 * @example
 *   const store = createSqliteStore({ path: 'seine.db' })
 *
 * @throws if the path cannot be opened or the file is of a later version.
 */
export function createSqliteStore(options: SqliteStoreOptions): Store {
  checkSqliteOptions(options)
  return new SqliteStore((path) => new DatabaseSync(path), options)
}
