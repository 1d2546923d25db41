import { decodeKey } from '../../../src/kernel/key.ts'
import { columnsOf } from './database.ts'
import type { SqliteDatabase, SqliteStatement, SqlRow } from './database.ts'
import { codeOf } from './open-database.ts'
import { PARTED } from './parts.ts'

/** Maximum number of entries that are read at once. */
const MOST = 512
/** Maximum number of keys that are tried between two readable ones. They take a second or so. */
const MOST_TRIES = 2_048
/** Sorts after every key, because the characters of keys are bytes, and their first one is small. */
const LAST = '\xff'
/** Codes of SQLite for an unreadable page: CORRUPT, IOERR. */
const UNREADABLE: ReadonlySet<number | null> = new Set([11, 10])

/** An entry as it is in its table, with its whole value. */
export interface StoredEntry {
  readonly key: string
  readonly collection: string
  readonly json: string
  readonly version: number
  readonly expiresAt: number | null
}

/** A part of a file that cannot be read: all entries between two readable keys. */
export interface Gap {
  /** `''`: from the first key on. */
  readonly after: string
  /** `null`: to the last key. */
  readonly before: string | null
}

/** All that a damaged file has lost. */
export interface Damage {
  readonly gaps: readonly Gap[]
  /** Keys of entries whose value cannot be read. */
  readonly keys: readonly string[]
}

/**
 * Yields each readable entry of a file, in any order. The entries of a damaged page are lost.
 * Entries beside it are found by trying keys between the two ends of the damage.
 *
 * @returns what could not be read
 */
export function* readableEntries(db: SqliteDatabase): Generator<StoredEntry, Damage> {
  const lost: string[] = []
  const gaps: Gap[] = []
  const read = new EntryReader(db, lost)
  const low = yield* read.upwards('', LAST)
  if (low === null) return { gaps, keys: lost }
  const high = yield* read.downwards(low, LAST)
  // If no error occurs on the way back, the two reads meet.
  const left = high === null ? [] : [{ low, high }]
  for (let tries = 0; left.length > 0; tries++) {
    const gap = left.shift()
    if (gap === undefined) break
    const middle = tries < MOST_TRIES ? between(gap.low, gap.high) : null
    if (middle === null) {
      gaps.push({ after: gap.low, before: gap.high === LAST ? null : gap.high })
      continue
    }
    const lower = yield* read.downwards(gap.low, middle)
    const upper = yield* read.upwards(middle, gap.high)
    if (lower !== null) left.push({ low: gap.low, high: lower })
    if (upper !== null) left.push({ low: upper, high: gap.high })
  }
  return { gaps: joined(gaps, read.ends), keys: lost }
}

/** Reads entries in both directions, until one cannot be read. */
class EntryReader {
  /** Readable keys at which reading has stopped. */
  readonly ends = new Set<string>()
  readonly #up: SqliteStatement
  readonly #down: SqliteStatement
  readonly #parts: SqliteStatement
  readonly #lost: string[]

  constructor(db: SqliteDatabase, lost: string[]) {
    const select = `SELECT key, collection, value, version, expires_at FROM seine_entries
      WHERE key > ? AND key < ? ORDER BY key`
    this.#up = db.prepare(`${select} LIMIT ?`)
    this.#down = db.prepare(`${select} DESC LIMIT ?`)
    this.#parts = db.prepare(
      'SELECT text FROM seine_parts WHERE key = ? AND version = ? ORDER BY part',
    )
    this.#lost = lost
  }

  /** Reads the entries between two keys. Returns where it stopped. `null`: it did not stop. */
  upwards(over: string, under: string): Generator<StoredEntry, string | null> {
    return this.#read(over, under, 'ASC')
  }

  downwards(over: string, under: string): Generator<StoredEntry, string | null> {
    return this.#read(over, under, 'DESC')
  }

  *#read(
    over: string,
    under: string,
    order: 'ASC' | 'DESC',
  ): Generator<StoredEntry, string | null> {
    let [low, high] = [over, under]
    const statement = order === 'ASC' ? this.#up : this.#down
    for (let limit = 1; ;) {
      let rows: readonly SqlRow[]
      try {
        rows = statement.all(low, high, limit)
      } catch (error) {
        if (!UNREADABLE.has(codeOf(error))) throw error
        if (limit === 1) break
        limit /= 2
        continue
      }
      for (const row of rows) {
        const entry = this.#entryOf(row)
        if (entry !== null) yield entry
      }
      const [last] = rows.length === 0 ? [] : columnsOf(rows[rows.length - 1] ?? [])
      // A damaged cell may not have a text as its key. Then its next key is unknown.
      if (rows.length > 0 && typeof last !== 'string') break
      if (rows.length < limit || typeof last !== 'string') return null
      if (order === 'ASC') low = last
      else high = last
      limit = Math.min(MOST, limit * 2)
    }
    const end = order === 'ASC' ? low : high
    if (end !== (order === 'ASC' ? over : under)) this.ends.add(end)
    return end
  }

  /** `null`: it is damaged itself, and recorded. */
  #entryOf(row: SqlRow): StoredEntry | null {
    const [key, collection, value, version, expiresAt] = columnsOf(row)
    // The gap around it is reported.
    if (typeof key !== 'string') return null
    try {
      if (typeof collection !== 'string' || typeof value !== 'string')
        throw new TypeError('no text')
      decodeKey(key)
      const json = value === PARTED ? this.#partsOf(key, Number(version)) : value
      JSON.parse(json)
      return {
        key,
        collection,
        json,
        version: Number(version),
        expiresAt: typeof expiresAt === 'number' ? expiresAt : null,
      }
    } catch {
      this.#lost.push(key)
      return null
    }
  }

  #partsOf(key: string, version: number): string {
    return this.#parts
      .all(key, version)
      .map((row) => String(columnsOf(row)[0]))
      .join('')
  }
}

/** A text of bytes between two texts. `null`: there is none. */
function between(low: string, high: string): string | null {
  let text = ''
  for (let i = 0; i <= Math.max(low.length, high.length); i++) {
    const under = i < low.length ? low.charCodeAt(i) : 0
    const isBound = high.startsWith(text)
    const over = !isBound ? 0x100 : i < high.length ? high.charCodeAt(i) : 0
    if (over - under > 1) return text + String.fromCharCode(Math.floor((under + over) / 2))
    text += String.fromCharCode(under)
  }
  return null
}

/** Gaps in the order of their keys. Adjacent gaps are joined. */
function joined(gaps: readonly Gap[], ends: ReadonlySet<string>): Gap[] {
  const all: Gap[] = []
  for (const gap of gaps.toSorted((a, b) => (a.after < b.after ? -1 : 1))) {
    const last = all.at(-1)
    if (last?.before === gap.after && !ends.has(gap.after))
      all[all.length - 1] = { after: last.after, before: gap.before }
    else all.push(gap)
  }
  return all
}
