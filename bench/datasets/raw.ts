import { DatabaseSync } from 'node:sqlite'
import type { StatementSync } from 'node:sqlite'
import { rowOf } from './workload.ts'

/** Rows of one commit, as in a merge. */
const BATCH = 250

/** The calls of a run on the database: items by their ids, in the order of the run. */
export interface RawRun {
  readonly unchanged: readonly number[]
  readonly changed: readonly number[]
  readonly added: readonly number[]
}

/**
 * The limit of a merge: the same reads and writes of the same size on a table of the same size, as
 * prepared statements on `node:sqlite`, knowing beforehand which rows are changed and which are
 * new, with nothing compared, counted or checked.
 */
export class RawDataset {
  readonly #db: DatabaseSync
  readonly #get: StatementSync
  readonly #put: StatementSync
  readonly #begin: StatementSync
  readonly #commit: StatementSync
  #written = 0

  constructor(path: string) {
    this.#db = new DatabaseSync(path)
    this.#db.exec(
      'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -32768; ' +
        'CREATE TABLE entries (key TEXT PRIMARY KEY, value TEXT NOT NULL, version INTEGER ' +
        'NOT NULL) WITHOUT ROWID, STRICT',
    )
    this.#get = this.#db.prepare(
      'SELECT key, value, version FROM entries WHERE key IN (SELECT value FROM json_each(?))',
    )
    this.#get.setReturnArrays(true)
    this.#put = this.#db.prepare(
      'INSERT INTO entries VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET value = ' +
        'excluded.value, version = excluded.version',
    )
    this.#begin = this.#db.prepare('BEGIN IMMEDIATE')
    this.#commit = this.#db.prepare('COMMIT')
  }

  merge({ unchanged, changed, added }: RawRun): void {
    const all = [...unchanged, ...changed, ...added]
    const digested = new Set([...changed, ...added])
    for (let from = 0; from < all.length; from += BATCH)
      this.#batch(all.slice(from, from + BATCH), digested, new Set(added))
  }

  close(): void {
    this.#db.close()
  }

  #batch(ids: readonly number[], digested: ReadonlySet<number>, added: ReadonlySet<number>): void {
    this.#read(ids.map((id) => `bench/sightings/ds_bench/${keyOf(id)}`))
    const write = ids.filter((id) => digested.has(id))
    if (write.length > 0) this.#read(write.map((id) => `bench/items/ds_bench/${keyOf(id)}`))
    this.#begin.run()
    this.#write('bench/dataset-states/ds_bench', { dataset: 'ds_bench', written: this.#written })
    if (write.length < ids.length)
      this.#write(
        `bench/seen-log/ds_bench/${this.#number()}`,
        ids.filter((id) => !digested.has(id)),
      )
    for (const id of write) {
      const key = keyOf(id)
      this.#write(`bench/sightings/ds_bench/${key}`, {
        dataset: 'ds_bench',
        key,
        slot: id,
        merge: this.#written,
        task: 'large',
        digest: '0123456789abcdef0123456789abcdef',
      })
      this.#write(`bench/items/ds_bench/${key}`, {
        dataset: 'ds_bench',
        key,
        values: rowOf(id),
        task: 'large',
        first: 1,
        changed: this.#written,
        gone: null,
      })
      if (added.has(id)) this.#write(`bench/items/present/ds_bench/large/ds_bench/${key}`, 2)
      this.#write(`bench/item-changes/ds_bench/${this.#number()}`, {
        dataset: 'ds_bench',
        kind: 'added',
        key,
        keyValues: [key],
        merge: 1,
        at: 1,
        fields: added.has(id) ? rowOf(id) : { price: [1, 2] },
      })
    }
    this.#commit.run()
  }

  #number(): string {
    return String(++this.#written).padStart(16, '0')
  }

  #read(keys: readonly string[]): unknown[] {
    return this.#get
      .all(JSON.stringify(keys))
      .map((row) => JSON.parse(String(Object.values(row)[1])))
  }

  #write(key: string, value: unknown): void {
    this.#put.run(key, JSON.stringify(value), ++this.#written)
  }
}

function keyOf(id: number): string {
  return JSON.stringify([rowOf(id)['sku']])
}
