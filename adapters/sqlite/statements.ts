import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { decodeKey, encodeKey } from '../../src/kernel/key.ts'
import type { Key } from '../../src/kernel/key.ts'
import type { Entry } from '../../src/ports/store.ts'

/** From so many keys on, one statement with a JSON list of them beats one call a key. */
const MANY = 16

type Row = ReturnType<StatementSync['all']>[number]

const LIVE = '(expires_at IS NULL OR expires_at > ?)'
const BETWEEN = `SELECT key, value, version FROM seine_entries WHERE key > ? AND key < ? AND ${LIVE} ORDER BY key`

/** All SQL of the store, prepared once. */
export class Statements {
  readonly #one: StatementSync
  readonly #many: StatementSync
  readonly #up: StatementSync
  readonly #down: StatementSync
  readonly #put: StatementSync
  readonly #delete: StatementSync
  readonly #expire: StatementSync
  readonly #nextVersion: StatementSync

  constructor(db: DatabaseSync) {
    this.#one = db.prepare(`SELECT value, version, expires_at FROM seine_entries WHERE key = ? AND ${LIVE}`)
    this.#many = db.prepare(`SELECT key, value, version FROM seine_entries WHERE key IN (SELECT value FROM json_each(?)) AND ${LIVE}`)
    this.#up = db.prepare(`${BETWEEN} LIMIT ?`)
    this.#down = db.prepare(`${BETWEEN} DESC LIMIT ?`)
    this.#put = db.prepare(
      `INSERT INTO seine_entries (key, collection, value, version, expires_at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (key) DO UPDATE SET value = excluded.value, version = excluded.version, expires_at = excluded.expires_at`,
    )
    this.#delete = db.prepare('DELETE FROM seine_entries WHERE key = ?')
    this.#expire = db.prepare('DELETE FROM seine_entries WHERE key IN (SELECT key FROM seine_entries WHERE expires_at <= ? LIMIT ?)')
    this.#nextVersion = db.prepare(`UPDATE seine_meta SET value = value + ? WHERE name = 'version' RETURNING value`)
  }

  read(keys: readonly Key[], now: number): (Entry | null)[] {
    if (keys.length < MANY) {
      return keys.map((key) => {
        const row = this.#one.get(encodeKey(key), now)
        return row ? entryOf([...key], row) : null
      })
    }
    const encoded = keys.map(encodeKey)
    const rows = new Map(this.#many.all(JSON.stringify(encoded), now).map((row) => [row['key'], row]))
    return encoded.map((text, i) => {
      const row = rows.get(text)
      return row ? entryOf([...(keys[i] ?? [])], row) : null
    })
  }

  list(over: string, under: string, now: number, limit: number, reverse: boolean): Entry[] {
    return (reverse ? this.#down : this.#up).all(over, under, now, limit).map((row) => entryOf(decodeKey(String(row['key'])), row))
  }

  /** What a check or a counter needs to know of a key. */
  look(key: string, now: number): { version: string; text: string; expiresAt: number | null } | null {
    const row = this.#one.get(key, now)
    if (!row) return null
    const expiresAt = row['expires_at']
    return { version: String(row['version']), text: String(row['value']), expiresAt: typeof expiresAt === 'number' ? expiresAt : null }
  }

  put(key: string, collection: string, text: string, version: number, expiresAt: number | null): void {
    this.#put.run(key, collection, text, version, expiresAt)
  }

  delete(key: string): void {
    this.#delete.run(key)
  }

  /** Deletes up to `limit` expired entries and tells how many there were. */
  expire(now: number, limit: number): number {
    return Number(this.#expire.run(now, limit).changes)
  }

  /** Reserves `count` versions for the present transaction; the answer is the last one. */
  versions(count: number): number {
    return Number(this.#nextVersion.get(count)?.['value'])
  }
}

function entryOf(key: Key, row: Row): Entry {
  return { key, value: JSON.parse(String(row['value'])), version: String(row['version']) }
}
