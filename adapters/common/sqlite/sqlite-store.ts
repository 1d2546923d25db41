import { encodeCommit } from '../../../src/kernel/encoded-commit.ts'
import { encodeRange } from '../../../src/kernel/encoded-range.ts'
import type { Key } from '../../../src/kernel/key.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import type { Commit, Entry, Range, Store } from '../../../src/ports/store.ts'
import { CommitGroup } from './commit-group.ts'
import type { SqliteDatabase } from './database.ts'
import { FairReads } from './fair-reads.ts'
import { openDatabase } from './open-database.ts'
import { ReadTurn } from './read-turn.ts'
import { Statements } from './statements.ts'

/** Options of `createSqliteStore`. */
export interface SqliteStoreOptions {
  /** A file, made if absent, or `:memory:`. */
  readonly path: string
  /** Tells when entries expire; the system's by default. */
  readonly clock?: Pick<Clock, 'now'>
  /**
   * `normal` (default): a commit survives the end of the process, and a power loss may take the last ones, never
   * consistency. `full`: every commit is on the disk before it is told, at about a third of the speed.
   */
  readonly durability?: 'normal' | 'full'
}

/** A Store in one SQLite file, or in memory; `connect` opens it by the driver of the runtime. @throws if the path cannot be opened or the file is of a later version. */
export class SqliteStore implements Store {
  readonly #clock: Pick<Clock, 'now'>
  readonly #db: SqliteDatabase
  readonly #statements: Statements
  readonly #reads: ReadTurn
  readonly #shares = new FairReads()
  readonly #group: CommitGroup
  #closing: Promise<void> | undefined

  constructor(connect: (path: string) => SqliteDatabase, { path, clock = Date, durability = 'normal' }: SqliteStoreOptions) {
    this.#clock = clock
    this.#db = openDatabase(connect, path, durability)
    this.#statements = new Statements(this.#db)
    this.#reads = new ReadTurn(this.#statements, () => this.#shares.end())
    this.#group = new CommitGroup(this.#db, this.#statements, this.#reads, clock)
  }

  async get(keys: readonly Key[]): Promise<(Entry | null)[]> {
    const turn = this.#enter(keys[0], keys.length)
    if (turn) await turn
    this.#reads.enter()
    const entries = this.#statements.read(keys, this.#clock.now())
    this.#shares.weigh(entries)
    return entries
  }

  async list(range: Range): Promise<Entry[]> {
    const { over, under } = encodeRange(range)
    const turn = this.#enter(range.prefix, range.limit)
    if (turn) await turn
    this.#reads.enter()
    const entries = this.#statements.list(over, under, this.#clock.now(), range.limit, range.reverse ?? false)
    this.#shares.giveBack(range.limit - entries.length)
    this.#shares.weigh(entries)
    return entries
  }

  async commit(change: Commit): Promise<boolean> {
    this.#assertOpen()
    return this.#group.add(encodeCommit(change))
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#group.idle().finally(() => {
      this.#reads.leave()
      this.#db.close()
    }))
  }

  /** What to wait for before a read, where this turn has read enough; `null`: nothing. Keys begin with their account. */
  #enter(key: Key | undefined, entries: number): Promise<void> | null {
    this.#assertOpen()
    return this.#shares.enter(String(key?.[0] ?? ''), entries)?.then(() => this.#assertOpen()) ?? null
  }

  #assertOpen(): void {
    if (this.#closing) throw new Error('The store is closed')
  }
}
