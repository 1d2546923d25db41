import { cryptoRandom, systemClock } from '../defaults/system-clock.ts'
import { backUp } from '../features/backup/back-up.ts'
import type { BackupReport } from '../features/backup/back-up.ts'
import { eraseAccount as erase } from '../features/backup/erase.ts'
import type { EraseReport } from '../features/backup/erase.ts'
import { restore } from '../features/backup/restore.ts'
import type { RestoreReport } from '../features/backup/restore.ts'
import { createMediaLinks } from '../features/media/links.ts'
import { collectionsOf, createRecords } from '../features/records.ts'
import { checkOptions, nonEmpty, required, withMethods } from '../kernel/options.ts'
import type { Blobs } from '../ports/blobs.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import { platformSecret } from '../records/platform-secret.ts'
import { WholeStore } from '../records/whole-store.ts'

/** The data of a deployment: what `createPlatform` was given. */
export interface Deployment {
  readonly store: Store
  readonly blobs: Blobs
}

/** Options of {@link writeBackup}. */
export interface BackupOptions extends Deployment {
  /** The target of the backup: an empty blob store of its own. */
  readonly to: Blobs
  /** Only this account. Default: all of the deployment. */
  readonly account?: string
  /** Default: the system's. */
  readonly clock?: Pick<Clock, 'now'>
}

/** Options of {@link restoreBackup}. */
export interface RestoreOptions extends Deployment {
  /** The blobs that hold the backup. */
  readonly from: Blobs
}

/** Options of {@link eraseAccount}. */
export interface EraseOptions extends Deployment {
  readonly account: string
}

const store = required(withMethods('a store', 'get', 'list', 'commit'))
const blobs = required(withMethods('blobs', 'get', 'put', 'remove', 'list'))

/**
 * Copies a deployment, or an account, while servers and workers run on it: all records as they were
 * at one moment, and the blobs that they name. The store must be SQLite in a file, or Postgres. The
 * backup is as secret as the deployment: sign-in digests, webhook secrets, rows and pages.
 *
 * @example
 *   import { createSqliteStore } from 'seine/sqlite'
 *   import { createFileBlobs } from 'seine/unstorage'
 *
 *   const report = await writeBackup({
 *     store: createSqliteStore({ path: 'data/seine.db' }),
 *     blobs: createFileBlobs({ dir: 'data/blobs' }),
 *     to: createFileBlobs({ dir: 'backups/monday' }),
 *   })
 *   console.log(report.records, report.blobs, report.missing)
 *
 * @throws {PlatformError} `CONFLICT`: `to` is not empty; `NOT_IMPLEMENTED`: the store cannot be read
 *   as it was at one moment; `NOT_FOUND`: there is no such account
 * @throws {TypeError} for wrong options
 */
export async function writeBackup(options: BackupOptions): Promise<BackupReport> {
  checkOptions<BackupOptions>('writeBackup', options, {
    store,
    blobs,
    to: blobs,
    account: nonEmpty,
    clock: withMethods('a clock', 'now'),
  })
  const { to, account = null, clock = systemClock } = options
  return backUp(open(options), { to, whose: account, now: clock.now() })
}

/**
 * Puts a backup into an empty store and empty blobs, of the same kind or another; or an exported
 * account into a deployment without an account of this name. The backup is checked before anything
 * is written. If a restore was interrupted, restore the same backup again. Then call
 * `platform.verify()`.
 *
 * @example
 *   import postgres from 'postgres'
 *   import { createPostgresStore } from 'seine/postgres'
 *   import { createFileBlobs } from 'seine/unstorage'
 *
 *   const store = createPostgresStore({ client: postgres('postgres://localhost/app') })
 *   const blobs = createFileBlobs({ dir: 'data/blobs' })
 *   await restoreBackup({ store, blobs, from: createFileBlobs({ dir: 'backups/monday' }) })
 *
 * @throws {PlatformError} `UNPROCESSABLE_CONTENT`: the backup is incomplete, damaged or of a later
 *   version; `CONFLICT`: the target is not empty
 * @throws {TypeError} for wrong options
 */
export async function restoreBackup(options: RestoreOptions): Promise<RestoreReport> {
  checkOptions<RestoreOptions>('restoreBackup', options, { store, blobs, from: blobs })
  const deployment = open(options)
  const links = createMediaLinks({
    clock: systemClock,
    secret: () => platformSecret(deployment.records, cryptoRandom, 'media'),
  })
  return restore({ ...deployment, ownerOf: links.ownerOf }, { from: options.from })
}

/**
 * Deletes all that is stored of an account, in any store: records, money, keys, jobs and blobs. It
 * cannot be undone; `writeBackup({ account })` exports it first. Stop its executions first, and
 * make sure that nobody can sign in for it.
 *
 * @example
 *   import { createSqliteStore } from 'seine/sqlite'
 *   import { createFileBlobs } from 'seine/unstorage'
 *
 *   const store = createSqliteStore({ path: 'data/seine.db' })
 *   const blobs = createFileBlobs({ dir: 'data/blobs' })
 *   const { records } = await eraseAccount({ store, blobs, account: 'acme' })
 *   console.log(records) // 0: there was nothing
 *
 * @throws {PlatformError} `CONFLICT`: an execution of it is queued or runs
 * @throws {TypeError} for wrong options
 */
export async function eraseAccount(options: EraseOptions): Promise<EraseReport> {
  checkOptions<EraseOptions>('eraseAccount', options, { store, blobs, account: required(nonEmpty) })
  return erase(open(options), options.account)
}

function open(deployment: Deployment) {
  const records = createRecords(deployment.store)
  return {
    records,
    whole: new WholeStore(deployment.store, collectionsOf(records)),
    blobs: deployment.blobs,
  }
}
