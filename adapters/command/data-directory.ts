import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createSqliteStore } from 'seine/sqlite'
import { createFileBlobs } from 'seine/unstorage'
import { CommandError } from './command-error.ts'

/** Where the command keeps its data if `--data` does not say otherwise. */
export const DEFAULT_DATA = '.seine'

/**
 * How long work of a process that was killed stays reserved for it, in ms: a restart goes on after
 * that.
 */
export const LEASE_MS = 10_000

/** The file in a data directory that holds the store. */
export function storeFile(path: string): string {
  return join(path, 'seine.db')
}

/** Options of `createPlatform` that keep everything in one folder, or in memory for `:memory:`. */
export function openDataDirectory(path: string) {
  if (path === ':memory:') return {}
  try {
    // Hashed keys and page contents: nobody else's business.
    mkdirSync(path, { recursive: true, mode: 0o700 })
    return {
      store: createSqliteStore({ path: storeFile(path) }),
      blobs: createFileBlobs({ dir: join(path, 'blobs') }),
    }
  } catch (error) {
    throw new CommandError(
      `Cannot use ${path} as the data directory: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}
