/**
 * Backups of a deployment while it runs, and of one account; restore, import and erasure. These
 * functions take the store and the blobs. They need no platform, but may run beside one.
 *
 * @module
 */
export { eraseAccount, restoreBackup, writeBackup } from './platform/backup.ts'
export type { BackupOptions, Deployment, EraseOptions, RestoreOptions } from './platform/backup.ts'
export type { BackupReport } from './features/backup/back-up.ts'
export type { EraseReport } from './features/backup/erase.ts'
export type { RestoreReport } from './features/backup/restore.ts'
export type { Blobs } from './ports/blobs.ts'
export type { Clock } from './ports/clock.ts'
export type { Commit, Entry, Range, SnapshotEntry, Store } from './ports/store.ts'
export type { Key, KeyPart } from './kernel/key.ts'
