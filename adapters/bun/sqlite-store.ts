import type { Store } from '../../src/ports/store.ts'
import { connectByBun } from '../common/sqlite/drivers.ts'
import { checkSqliteOptions, SqliteStore } from '../common/sqlite/sqlite-store.ts'
import type { SqliteStoreOptions } from '../common/sqlite/sqlite-store.ts'

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
  return new SqliteStore(connectByBun, options)
}
