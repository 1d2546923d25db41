import type { Store } from '../../src/ports/store.ts'
import { loadSqlite } from '../common/sqlite/drivers.ts'
import { checkSqliteOptions, SqliteStore } from '../common/sqlite/sqlite-store.ts'
import type { SqliteStoreOptions } from '../common/sqlite/sqlite-store.ts'

export type { SqliteStoreOptions } from '../common/sqlite/sqlite-store.ts'

/**
 * A Store in one SQLite file, by `node:sqlite` (Node >= 22.13, Bun, Deno). Several processes may
 * share the file. Operators find the views `seine_tasks`, `seine_executions`, `seine_progress`,
 * `seine_visits` and `seine_jobs` in it.
 *
 * @example
 *   const platform = createPlatform({ store: createSqliteStore({ path: 'seine.db' }) })
 *
 * @throws {TypeError} for unknown and wrong options
 * @throws if the path cannot be opened, the file is of a later version, or this Node has no
 *   `node:sqlite`
 */
export function createSqliteStore(options: SqliteStoreOptions): Store {
  checkSqliteOptions(options)
  const { DatabaseSync } = loadSqlite()
  return new SqliteStore((path) => new DatabaseSync(path), options)
}
