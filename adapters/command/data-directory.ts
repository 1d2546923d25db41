import { join } from 'node:path'
import { createSqliteStore } from 'seine/sqlite'
import { createFileBlobs } from 'seine/unstorage'
import { CommandError, wrongUse } from './command-error.ts'
import { makeFolder } from './make-folder.ts'
import type { Principal } from '../../src/kernel/http/route.ts'
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Authenticator } from '../../src/ports/authenticator.ts'

/** The default data directory. */
export const DEFAULT_DATA = '.seine'
/** Stands for no data directory: everything is in memory and ends with the process. */
export const IN_MEMORY = ':memory:'

/**
 * How long the jobs of a killed process stay leased, in ms. After a restart, its jobs wait for this
 * time.
 */
export const LEASE_MS = 10_000

/** The file in a data directory that holds the store. */
export function storeFile(path: string): string {
  return join(path, 'seine.db')
}

/**
 * Options of `createPlatform` that keep everything in one folder, or in memory for `:memory:`.
 * `durability` is that of its store and of its files.
 */
export function openDataDirectory(path: string, durability: 'normal' | 'full' = 'normal') {
  if (path === IN_MEMORY) return {}
  try {
    makeFolder(path)
    return {
      store: createSqliteStore({ path: storeFile(path), durability }),
      blobs: createFileBlobs({ dir: join(path, 'blobs'), durability }),
    }
  } catch (error) {
    throw new CommandError(
      `Cannot use ${path} as the data directory: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}

/**
 * Anyone with the data can reach all accounts. So the command's principal has the scope of
 * operators; a key that is given to a server does not.
 */
export const OPERATOR: Principal = {
  account: 'default',
  user: 'command',
  scopes: ['*', 'operator'],
}

/** The principal of the command: all scopes of the account `default`. */
export const OWNER: Principal = { account: 'default', user: 'command', scopes: ['*'] }

/**
 * Admits one key to all of an account. Digests are compared, in constant time.
 *
 * @throws {CommandError} unless the key is `svc_sk_` and at least one more printable character.
 */
export function admitKey(key: string, principal: Principal): Authenticator {
  // A header separates several credentials by commas, so a key must not contain one.
  if (!/^svc_sk_[\x21-\x2b\x2d-\x7e]+$/.test(key))
    throw wrongUse(
      '--key must be an API key: svc_sk_ followed by printable characters, without spaces and ' +
        'commas',
    )
  const keyDigest = digest(key)
  return async (request) => {
    const [, bearer] = /^bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '') ?? []
    const own = request.headers.get('x-api-key')?.trim()
    const secret = bearer ?? own
    if (secret === undefined || (own !== undefined && own !== secret)) return null
    return timingSafeEqual(digest(secret), keyDigest) ? principal : null
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
