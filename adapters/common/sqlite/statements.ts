import { decodeKey, encodeKey } from '../../../src/kernel/key.ts'
import type { Key } from '../../../src/kernel/key.ts'
import { TextEntry } from '../../../src/kernel/text/text-entry.ts'
import { columnOf, columnsOf } from './database.ts'
import type { SqliteDatabase, SqliteStatement, SqlRow } from './database.ts'
import { PARTED, partsOf } from './parts.ts'

/** From this number of keys on, one statement with a JSON list is faster than one call for each key. */
const MANY = 16
/**
 * Maximum number of keys in one list, because a text of a Durable Object has at most two million
 * bytes.
 */
const MOST = 2_000

/**
 * Values longer than this are stored in parts, beside the entries. The entries are ordered by key
 * in one tree. SQLite reads an entry of more than some 1,000 bytes as a whole to compare its key.
 * With values of 1 MB in the tree, each lookup of any key took milliseconds.
 */
export const MOST_INLINE = 8_192

const LIVE = '(expires_at IS NULL OR expires_at > ?)'
const BETWEEN = `SELECT key, value, version FROM seine_entries WHERE key > ? AND key < ? AND ${LIVE} ORDER BY key`

/** An entry whose value is in parts, and has not been read yet. */
export class PartedEntry {
  readonly key: Key
  readonly version: string

  constructor(key: Key, version: string) {
    this.key = key
    this.version = version
  }
}

/** An entry as a statement reads it. */
export type ReadEntry = TextEntry | PartedEntry

/** All SQL of the store, prepared once. */
export class SqliteStatements {
  readonly #version: SqliteStatement
  readonly #counter: SqliteStatement
  readonly #one: SqliteStatement
  readonly #many: SqliteStatement
  readonly #up: SqliteStatement
  readonly #down: SqliteStatement
  readonly #put: SqliteStatement
  readonly #putPart: SqliteStatement
  readonly #parts: SqliteStatement
  readonly #delete: SqliteStatement
  readonly #expire: SqliteStatement
  readonly #reserve: SqliteStatement
  readonly #begin: SqliteStatement
  readonly #beginRead: SqliteStatement
  readonly #commit: SqliteStatement
  readonly #rollback: SqliteStatement

  readonly #mostInPart: number

  /** `mostInPart`: maximum characters of a part, because the database accepts no longer texts. */
  constructor(db: SqliteDatabase, mostInPart = Infinity) {
    this.#mostInPart = mostInPart
    this.#version = db.prepare(`SELECT version FROM seine_entries WHERE key = ? AND ${LIVE}`)
    this.#counter = db.prepare(
      `SELECT value, expires_at FROM seine_entries WHERE key = ? AND ${LIVE}`,
    )
    this.#one = rows(db, `SELECT key, value, version FROM seine_entries WHERE key = ? AND ${LIVE}`)
    this.#many = rows(
      db,
      `SELECT key, value, version FROM seine_entries WHERE key IN (SELECT value FROM json_each(?)) AND ${LIVE}`,
    )
    this.#up = rows(db, `${BETWEEN} LIMIT ?`)
    this.#down = rows(db, `${BETWEEN} DESC LIMIT ?`)
    this.#put = db.prepare(
      `INSERT INTO seine_entries (key, collection, value, version, expires_at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (key) DO UPDATE
       SET value = excluded.value, version = excluded.version, expires_at = excluded.expires_at`,
    )
    this.#putPart = db.prepare(
      'INSERT INTO seine_parts (key, version, part, text) VALUES (?, ?, ?, ?)',
    )
    this.#parts = db.prepare(
      'SELECT text FROM seine_parts WHERE key = ? AND version = ? ORDER BY part',
    )
    this.#delete = db.prepare('DELETE FROM seine_entries WHERE key = ?')
    this.#expire = db.prepare(
      'DELETE FROM seine_entries WHERE key IN (SELECT key FROM seine_entries WHERE expires_at <= ? LIMIT ?)',
    )
    this.#reserve = db.prepare(
      `UPDATE seine_meta SET value = value + ? WHERE name = 'version' RETURNING value`,
    )
    this.#begin = db.prepare('BEGIN IMMEDIATE')
    this.#beginRead = db.prepare('BEGIN')
    this.#rollback = db.prepare('ROLLBACK')
    this.#commit = db.prepare('COMMIT')
  }

  /** Values in parts are not read yet: see {@link whole}. */
  read(keys: readonly Key[], now: number): (ReadEntry | null)[] {
    if (keys.length < MANY) {
      return keys.map((key) => {
        const row = this.#one.get(encodeKey(key), now)
        return row ? entryOf([...key], row) : null
      })
    }
    const encoded = keys.map(encodeKey)
    const rowsByKey = new Map<unknown, SqlRow>()
    for (let position = 0; position < encoded.length; position += MOST) {
      for (const row of this.#many.all(
        JSON.stringify(encoded.slice(position, position + MOST)),
        now,
      ))
        rowsByKey.set(columnsOf(row)[0], row)
    }
    return encoded.map((text, i) => {
      const row = rowsByKey.get(text)
      return row ? entryOf([...(keys[i] ?? [])], row) : null
    })
  }

  /** Values in parts are not read yet: see {@link whole}. */
  list(over: string, under: string, now: number, limit: number, reverse: boolean): ReadEntry[] {
    return (reverse ? this.#down : this.#up)
      .all(over, under, now, limit)
      .map((row) => entryOf(decodeKey(String(columnsOf(row)[0])), row))
  }

  /**
   * Reads the value of an entry. An entry that was written since is read as it is now; `null`: it
   * was removed.
   */
  whole(entry: PartedEntry, now: number): TextEntry | null {
    const text = this.#textOf(entry)
    if (text !== null) return new TextEntry(entry.key, text, entry.version)
    const [current] = this.read([entry.key], now)
    if (!(current instanceof PartedEntry)) return current ?? null
    return new TextEntry(entry.key, this.#textOf(current) ?? '', current.version)
  }

  /** `null`: this version of the entry has no parts any more. */
  #textOf({ key, version }: PartedEntry): string | null {
    const parts = this.#parts.all(encodeKey(key), Number(version))
    if (parts.length === 0) return null
    return parts.map((part) => String(columnOf(part, 'text'))).join('')
  }

  version(key: string, now: number): string | null {
    const row = this.#version.get(key, now)
    return row ? String(columnOf(row, 'version')) : null
  }

  /** Reads what an addition to a counter needs. */
  counter(key: string, now: number): { text: string; expiresAt: number | null } | null {
    const row = this.#counter.get(key, now)
    if (!row) return null
    const expiresAt = columnOf(row, 'expires_at')
    return {
      text: String(columnOf(row, 'value')),
      expiresAt: typeof expiresAt === 'number' ? expiresAt : null,
    }
  }

  put(
    key: string,
    collection: string,
    text: string,
    version: number,
    expiresAt: number | null,
  ): void {
    if (text.length <= MOST_INLINE) {
      this.#put.run(key, collection, text, version, expiresAt)
      return
    }
    this.#put.run(key, collection, PARTED, version, expiresAt)
    for (const [part, piece] of partsOf(text, this.#mostInPart).entries())
      this.#putPart.run(key, version, part, piece)
  }

  delete(key: string): void {
    this.#delete.run(key)
  }

  /** Deletes up to `limit` expired entries and returns their number. */
  expire(now: number, limit: number): number {
    return Number(this.#expire.run(now, limit).changes)
  }

  /** Reserves `count` versions for this process and returns the last one. */
  reserveVersions(count: number): number {
    return Number(columnOf(this.#reserve.get(count), 'value'))
  }

  begin(): void {
    this.#begin.run()
  }

  commit(): void {
    this.#commit.run()
  }

  beginRead(): void {
    this.#beginRead.run()
  }

  /** Never fails, because some errors of a read have already ended the transaction. */
  endRead(): void {
    try {
      this.#rollback.run()
    } catch {
      // In this case there is no transaction to end.
    }
  }
}

function entryOf(key: Key, row: SqlRow): ReadEntry {
  const [, value, version] = columnsOf(row)
  return value === PARTED
    ? new PartedEntry(key, String(version))
    : new TextEntry(key, String(value), String(version))
}

/**
 * A statement whose rows are key, value, version. If the runtime can (Node >= 22.16), they are
 * arrays, which is a quarter faster.
 */
function rows(db: SqliteDatabase, sql: string): SqliteStatement {
  const statement = db.prepare(sql)
  statement.setReturnArrays?.(true)
  return statement
}
