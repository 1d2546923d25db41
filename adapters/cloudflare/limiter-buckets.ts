import { takeFrom } from '../../src/kernel/fair/gcra.ts'
import type { Bucket } from '../../src/kernel/fair/gcra.ts'
import type { Rate, Taken } from '../../src/ports/limiter.ts'
import type { ObjectStorage } from './bindings.ts'

/** A limiter's call, as it is sent to the object with the bucket. */
export interface LimiterCall {
  readonly key: string
  readonly rate: Rate
  readonly cost: number
  /** Unix milliseconds; `null`: the object's own time. */
  readonly now: number | null
}

// Without row ids Cloudflare counts each write as one row, not two.
const TABLE = `CREATE TABLE IF NOT EXISTS buckets (
    key TEXT PRIMARY KEY,
    ms INTEGER NOT NULL,
    part INTEGER NOT NULL,
    parts INTEGER NOT NULL,
    useless_at INTEGER NOT NULL
  ) WITHOUT ROWID`
const READ = 'SELECT ms, part, parts FROM buckets WHERE key = ?'
const WRITE = `INSERT INTO buckets (key, ms, part, parts, useless_at) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (key) DO UPDATE SET
    ms = excluded.ms, part = excluded.part, parts = excluded.parts, useless_at = excluded.useless_at`
const SWEEP =
  'DELETE FROM buckets WHERE key IN (SELECT key FROM buckets WHERE useless_at <= ? LIMIT ?)'

/**
 * A bucket is kept this much longer than it needs to fill, so that differences between clocks lose
 * nothing.
 */
const SPARE_MS = 60_000
/** Maximum number of buckets that are deleted at once, because calls wait meanwhile. */
const MOST_SWEPT = 10_000

/**
 * Buckets in the storage of a Durable Object. All methods are synchronous, so no call runs between
 * another's read and write.
 */
export class LimiterBuckets {
  readonly #storage: ObjectStorage
  #isReady = false

  constructor(storage: ObjectStorage) {
    this.#storage = storage
  }

  /** Takes from a bucket. A refused call writes nothing. `time`: the object's own. */
  take(
    { key, rate, cost, now }: LimiterCall,
    time: number,
  ): { readonly taken: Taken; readonly isWritten: boolean } {
    const asOf = now ?? time
    const { taken: verdict, bucket } = takeFrom(this.#read(key), rate, cost, asOf)
    const isWritten = verdict.allowed && cost > 0 && bucket !== null
    if (isWritten)
      this.#storage.sql.exec(
        WRITE,
        key,
        bucket.ms,
        bucket.part,
        bucket.of,
        time + Math.max(0, bucket.ms - asOf) + SPARE_MS,
      )
    return { taken: verdict, isWritten }
  }

  /**
   * Deletes buckets that are full again. Returns `more` if there are further full ones, `some` if
   * only others are left, else `none`.
   */
  sweep(time: number): 'more' | 'some' | 'none' {
    this.#prepare()
    const { sql } = this.#storage
    const swept = sql.exec(SWEEP, time, MOST_SWEPT).rowsWritten
    if (swept >= MOST_SWEPT) return 'more'
    return sql.exec('SELECT 1 FROM buckets LIMIT 1').toArray().length > 0 ? 'some' : 'none'
  }

  /** Deletes everything, including the table. */
  async clear(): Promise<void> {
    this.#isReady = false
    await this.#storage.deleteAll()
  }

  #read(key: string): Bucket | null {
    this.#prepare()
    const [row] = this.#storage.sql.exec(READ, key).toArray()
    if (!row) return null
    const { ms, part, parts } = row
    if (typeof ms !== 'number' || typeof part !== 'number' || typeof parts !== 'number')
      throw new Error('The storage of the limiter was not made by it')
    return { ms, part, of: parts }
  }

  #prepare(): void {
    if (this.#isReady) return
    this.#storage.sql.exec(TABLE)
    this.#isReady = true
  }
}
