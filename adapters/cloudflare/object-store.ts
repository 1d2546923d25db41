import { checkOptions, required, withMethods } from '../../src/kernel/options.ts'
import { encodeCommit } from '../../src/kernel/store-encoding.ts'
import type { EncodedCommit } from '../../src/kernel/store-encoding.ts'
import type { Key } from '../../src/kernel/key.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { Commit, Entry, Range, Store } from '../../src/ports/store.ts'
import { applyCommit } from '../common/sqlite/apply-commit.ts'
import { EntryReads } from '../common/sqlite/entry-reads.ts'
import { prepareLayout } from '../common/sqlite/layout.ts'
import { MOST_CHARACTERS } from '../common/sqlite/parts.ts'
import { SqliteStatements } from '../common/sqlite/statements.ts'
import type { ObjectStorage } from './bindings.ts'
import { later, ObjectCommits } from './object-commits.ts'
import type { SqliteDatabase } from '../common/sqlite/database.ts'

/** Options of {@link createDurableObjectStore}. */
export interface DurableObjectStoreOptions {
  /** `state.storage` of a Durable Object whose class is backed by SQLite (`new_sqlite_classes`). */
  readonly storage: ObjectStorage
  /** Decides when entries expire. Default: the system clock. */
  readonly clock?: Pick<Clock, 'now'>
}

/** Maximum number of expired entries deleted with a commit. */
const SWEEP = 100
const SWEEP_EVERY_MS = 1_000

/**
 * A Store in the SQLite storage of one Durable Object. Only this object uses it, so there are no
 * conflicts, and reads cost no network. The runtime holds answers back until all earlier writes are
 * safe. Reads and writes that would hold the object for long take turns with those of other
 * accounts.
 *
 * @example
 *   const storeOf = (state: ObjectState) => createDurableObjectStore({ storage: state.storage })
 *
 * @throws if the storage was written by a later version.
 */
export function createDurableObjectStore(options: DurableObjectStoreOptions): Store {
  checkOptions<DurableObjectStoreOptions>('createDurableObjectStore', options, {
    storage: required(withMethods('the storage of a Durable Object on SQLite', 'transactionSync')),
    clock: withMethods('a clock', 'now'),
  })
  return new ObjectStore(options)
}

class ObjectStore implements Store {
  readonly #storage: ObjectStorage
  readonly #clock: Pick<Clock, 'now'>
  readonly #statements: SqliteStatements
  readonly #entries: EntryReads
  readonly #commits = new ObjectCommits((commit) => this.#write(commit))
  #sweptAt = Number.NEGATIVE_INFINITY
  #isClosed = false

  constructor({ storage, clock = Date }: DurableObjectStoreOptions) {
    this.#storage = storage
    this.#clock = clock
    const database = objectDatabase(storage)
    storage.transactionSync(() => prepareLayout(database))
    this.#statements = new SqliteStatements(database, MOST_CHARACTERS)
    this.#entries = new EntryReads({
      statements: this.#statements,
      clock,
      later,
      assertOpen: () => this.#assertOpen(),
    })
  }

  get(keys: readonly Key[]): Promise<(Entry | null)[]> {
    return this.#entries.get(keys)
  }

  list(range: Range): Promise<Entry[]> {
    return this.#entries.list(range)
  }

  async commit(change: Commit): Promise<boolean> {
    this.#assertOpen()
    return this.#commits.add(encodeCommit(change))
  }

  async close(): Promise<void> {
    this.#isClosed = true
  }

  #write(commit: EncodedCommit): boolean {
    const now = this.#clock.now()
    const outcome = this.#storage.transactionSync(() => {
      const applied = applyCommit(this.#statements, commit, now, () =>
        this.#statements.reserveVersions(1),
      )
      if (applied === true) this.#sweep(now)
      return applied
    })
    if (outcome instanceof TypeError) throw outcome
    return outcome
  }

  #sweep(now: number): void {
    if (now - this.#sweptAt < SWEEP_EVERY_MS) return
    // A full batch means that more entries have expired, so the next commit continues.
    if (this.#statements.expire(now, SWEEP) < SWEEP) this.#sweptAt = now
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new Error('The store is closed')
  }
}

/**
 * The SQLite of a Durable Object with the interface of the other drivers. It caches statements by
 * their text itself.
 */
export function objectDatabase({ sql }: ObjectStorage): SqliteDatabase {
  const plain = (values: readonly unknown[]) =>
    values.map((value) =>
      typeof value === 'string' || typeof value === 'number' || value === null
        ? value
        : String(value),
    )
  return {
    exec: (text) => void sql.exec(text),
    prepare: (text) => ({
      get: (...values) => sql.exec(text, ...plain(values)).toArray()[0],
      all: (...values) => sql.exec(text, ...plain(values)).toArray(),
      run: (...values) => ({ changes: sql.exec(text, ...plain(values)).rowsWritten }),
    }),
    close() {},
  }
}
