import { setImmediate } from 'node:timers'
import {
  checkOptions,
  oneOf,
  required,
  nonEmpty,
  withMethods,
} from '../../../src/kernel/options.ts'
import { encodeCommit } from '../../../src/kernel/store-encoding.ts'
import type { Key } from '../../../src/kernel/key.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import type { Commit, Entry, Range, SnapshotEntry, Store } from '../../../src/ports/store.ts'
import { Checkpoints } from './checkpoints.ts'
import { CommitGroup } from './commit-group.ts'
import type { SqliteDatabase } from './database.ts'
import { EntryReads } from './entry-reads.ts'
import { StoreFile } from './failures.ts'
import { openDatabase } from './open-database.ts'
import { readSnapshot } from './snapshot.ts'
import { ReadTurn } from './read-turn.ts'
import { SqliteStatements } from './statements.ts'

/** Options of `createSqliteStore`. */
export interface SqliteStoreOptions {
  /** A file, which is made if absent, or `:memory:`. */
  readonly path: string
  /** Decides when entries expire. Default: the system clock. */
  readonly clock?: Pick<Clock, 'now'>
  /**
   * `normal` (default): a commit survives the end of the process; a power loss may lose the last
   * commits but not consistency. `full`: every commit is on the disk before it is confirmed, at
   * about a third of the speed.
   */
  readonly durability?: 'normal' | 'full'
}

/**
 * Checks the options of `createSqliteStore`, which each runtime has.
 *
 * @throws {TypeError}
 */
export function checkSqliteOptions(options: SqliteStoreOptions): void {
  checkOptions<SqliteStoreOptions>('createSqliteStore', options, {
    path: required(nonEmpty),
    clock: withMethods('a clock', 'now'),
    durability: oneOf('normal', 'full'),
  })
}

/**
 * A Store in one SQLite file, or in memory; `connect` opens it by the driver of the runtime.
 *
 * @throws if the path cannot be opened or the file is of a later version.
 */
export class SqliteStore implements Store {
  readonly #clock: Pick<Clock, 'now'>
  readonly #path: string
  readonly #connect: (path: string) => SqliteDatabase
  readonly #db: SqliteDatabase
  readonly #statements: SqliteStatements
  readonly #reads: ReadTurn
  readonly #entries: EntryReads
  readonly #checkpoints: Checkpoints
  readonly #file: StoreFile
  readonly #group: CommitGroup
  #closing: Promise<void> | undefined

  constructor(
    connect: (path: string) => SqliteDatabase,
    { path, clock = Date, durability = 'normal' }: SqliteStoreOptions,
  ) {
    this.#clock = clock
    this.#path = path
    this.#connect = connect
    this.#db = openDatabase(connect, path, durability)
    this.#statements = new SqliteStatements(this.#db)
    this.#reads = new ReadTurn(this.#statements)
    this.#entries = new EntryReads({
      statements: this.#statements,
      clock,
      later: setImmediate,
      assertOpen: () => this.#assertOpen(),
      ready: () => this.#reads.wait(),
      run: (read) => this.#read(read),
    })
    this.#checkpoints = new Checkpoints(this.#db, { path, durability })
    this.#file = new StoreFile(path)
    this.#group = new CommitGroup(
      this.#db,
      this.#statements,
      this.#reads,
      this.#checkpoints,
      clock,
      this.#file,
    )
  }

  get(keys: readonly Key[]): Promise<(Entry | null)[]> {
    return this.#entries.get(keys)
  }

  list(range: Range): Promise<Entry[]> {
    return this.#entries.list(range)
  }

  async commit(change: Commit): Promise<boolean> {
    this.#assertOpen()
    return this.#group.add(encodeCommit(change))
  }

  async *snapshot(prefixes: readonly Key[]): AsyncGenerator<readonly SnapshotEntry[]> {
    this.#assertOpen()
    const now = this.#clock.now()
    // A later read must not show an earlier moment than this one.
    this.#reads.leave()
    if (this.#path === ':memory:') {
      // The database in memory has only this connection, so all of it is read before any other use
      // of the connection.
      yield* Array.from(readSnapshot(this.#db, prefixes, now))
      return
    }
    const db = this.#connect(this.#path)
    try {
      db.exec('PRAGMA busy_timeout = 10000; PRAGMA query_only = 1')
      yield* readSnapshot(db, prefixes, now)
    } catch (error) {
      throw this.#file.failureOf(error)
    } finally {
      db.close()
    }
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close())
  }

  async #close(): Promise<void> {
    this.#reads.release()
    try {
      await this.#group.idle()
      await this.#checkpoints.close()
    } finally {
      this.#reads.leave()
      this.#db.close()
    }
  }

  #read<T>(read: () => T): T {
    try {
      this.#reads.enter()
      return read()
    } catch (error) {
      throw this.#file.failureOf(error)
    }
  }

  #assertOpen(): void {
    if (this.#closing) throw new Error('The store is closed')
  }
}
