import { existsSync, renameSync, rmSync } from 'node:fs'
import { columnOf, columnsOf } from './database.ts'
import type { SqliteDatabase } from './database.ts'
import { codeOf, openDatabase } from './open-database.ts'
import { partsOf, PARTED } from './parts.ts'
import { readableEntries } from './readable-entries.ts'
import type { Damage, StoredEntry } from './readable-entries.ts'
import { MOST_INLINE } from './statements.ts'

/** A damaged file: its losses, and its readable entries. */
export interface FileReport extends Damage {
  /** Entries that can be read. */
  readonly entries: number
}

/** Files beside a database file: the latest writes, and their index. */
const BESIDE = ['', '-wal', '-shm']
/** Entries of one transaction. */
const BATCH = 1_000
/**
 * Versions must not be reused. Those that a dead process had reserved are not known, so this many
 * are skipped.
 */
const RESERVED = 1_000_000

/**
 * Looks for damage in a file, which may be in use.
 *
 * @returns what can be read, and what cannot; `null`: SQLite finds no damage
 * @throws errors of SQLite, if nothing can be read
 */
export function inspectFile(
  connect: (path: string) => SqliteDatabase,
  path: string,
): FileReport | null {
  const db = connect(path)
  try {
    if (isWhole(db)) return null
    return copy(db, () => {})
  } finally {
    db.close()
  }
}

/**
 * Replaces a damaged file by a new one with all readable entries. The damaged one stays beside it,
 * as `aside`. A process that has it open can no longer write.
 *
 * @throws errors of SQLite, if nothing can be read; then nothing is changed
 */
export function repairFile(
  connect: (path: string) => SqliteDatabase,
  path: string,
): FileReport & { readonly aside: string } {
  const fresh = `${path}.repairing`
  for (const end of BESIDE) rmSync(fresh + end, { force: true })
  const db = connect(path)
  try {
    // Until the new file is in place, no process may add entries to this one, because the new file
    // would not have them.
    db.exec('PRAGMA busy_timeout = 10000; BEGIN IMMEDIATE')
    const target = openDatabase(connect, fresh, 'full')
    let report: FileReport
    try {
      report = write(db, target)
      target.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    } finally {
      target.close()
    }
    const aside = freeName(`${path}.damaged`)
    for (const end of BESIDE) if (existsSync(path + end)) renameSync(path + end, aside + end)
    renameSync(fresh, path)
    return { ...report, aside }
  } finally {
    for (const end of BESIDE) rmSync(fresh + end, { force: true })
    db.close()
  }
}

function freeName(path: string): string {
  for (let number = 1; ; number++) {
    const name = number === 1 ? path : `${path}-${number}`
    if (!existsSync(name)) return name
  }
}

function isWhole(db: SqliteDatabase): boolean {
  try {
    const row = db.prepare('PRAGMA quick_check(1)').get()
    return row !== undefined && row !== null && columnsOf(row)[0] === 'ok'
  } catch (error) {
    if (codeOf(error) === null) throw error
    return false
  }
}

function write(db: SqliteDatabase, target: SqliteDatabase): FileReport {
  const put = target.prepare('INSERT OR IGNORE INTO seine_entries VALUES (?, ?, ?, ?, ?)')
  const putPart = target.prepare('INSERT OR IGNORE INTO seine_parts VALUES (?, ?, ?, ?)')
  let [count, highest] = [0, versionOf(db)]
  target.exec('BEGIN')
  const report = copy(db, ({ key, collection, json, version, expiresAt }) => {
    const isLarge = json.length > MOST_INLINE
    put.run(key, collection, isLarge ? PARTED : json, version, expiresAt)
    if (isLarge)
      for (const [part, text] of partsOf(json).entries()) putPart.run(key, version, part, text)
    highest = Math.max(highest, version)
    if (++count % BATCH === 0) target.exec('COMMIT; BEGIN')
  })
  target.prepare("UPDATE seine_meta SET value = ? WHERE name = 'version'").run(highest + RESERVED)
  target.exec('COMMIT')
  return report
}

function copy(db: SqliteDatabase, take: (entry: StoredEntry) => void): FileReport {
  const entries = readableEntries(db)
  for (let count = 0; ; count++) {
    const next = entries.next()
    if (next.done) return { entries: count, ...next.value }
    take(next.value)
  }
}

/** The last assigned version, if it can be read. */
function versionOf(db: SqliteDatabase): number {
  try {
    const row = db.prepare("SELECT value FROM seine_meta WHERE name = 'version'").get()
    return Number(columnOf(row, 'value') ?? 0)
  } catch {
    return 0
  }
}
