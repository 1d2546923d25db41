import { DatabaseSync } from 'node:sqlite'
import type { Store } from '../../src/ports/store.ts'
import { SqliteStore } from '../common/sqlite/sqlite-store.ts'
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
 * @throws if the path cannot be opened or the file is of a later version.
 */
export function createSqliteStore(options: SqliteStoreOptions): Store {
  return new SqliteStore((path) => new DatabaseSync(path), options)
}
