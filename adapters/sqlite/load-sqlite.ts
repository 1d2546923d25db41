import { createRequire } from 'node:module'
import type * as Sqlite from 'node:sqlite'

/** The module `node:sqlite`. */
export type NodeSqlite = typeof Sqlite

/**
 * Loads `node:sqlite` when the first store is made: a static import of it fails on an older Node
 * before any code could say why.
 *
 * @throws {Error} that names the Node that has it, and what else one can do
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
