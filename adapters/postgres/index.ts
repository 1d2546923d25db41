import {
  checkOptions,
  either,
  flag,
  required,
  textLike,
  whole,
  withMethods,
} from '../../src/kernel/options.ts'
import { encodeCommit, encodeRange } from '../../src/kernel/store-encoding.ts'
import { ServerTurns } from '../../src/kernel/fair/server-turns.ts'
import type { Key } from '../../src/kernel/key.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { Commit, Entry, Range, SnapshotEntry, Store } from '../../src/ports/store.ts'
import { openClient } from './client.ts'
import type { Database, PgPool, PostgresJs } from './client.ts'
import { CommitGroups } from './commit-groups.ts'
import { migrate } from './migrate.ts'
import { ReadGroup } from './read-group.ts'
import { readSnapshot } from './snapshot.ts'
import { PostgresStatements } from './statements.ts'

export type { PgPool, PostgresJs } from './client.ts'

const SCHEMA = textLike(
  'a text of 1 to 40 lower-case letters, digits and underscores that begins with no digit',
  (text) => /^[a-z_][a-z0-9_]{0,39}$/.test(text),
)

/** Options of {@link createPostgresStore}. */
export interface PostgresStoreOptions {
  /**
   * Your own client: `postgres(url)` of postgres.js, or a `Pool` of pg. End it yourself after you
   * close the store.
   */
  readonly client: PostgresJs | PgPool
  /**
   * Schema of the tables and views, created if absent. Default `seine`. At most 40 lower-case
   * letters, digits and underscores.
   */
  readonly schema?: string
  /** Decides when entries expire. Default: the system clock. */
  readonly clock?: Pick<Clock, 'now'>
  /** Groups of commits at the same time, each on its own connection of the client. Default 4. */
  readonly commitGroups?: number
  /** Set to `false` behind a pooler that does not support prepared statements. */
  readonly prepare?: boolean
}

/**
 * A Store in a Postgres database (13 or later, encoding UTF8), for any number of processes. Its
 * first call creates or migrates the tables. It needs the right to create a schema, or an existing
 * schema that it may use.
 *
 * @example
 *   import postgres from 'postgres'
 *
 *   const platform = createPlatform({
 *     store: createPostgresStore({ client: postgres('postgres://localhost/app') }),
 *   })
 *
 * @throws {TypeError} for wrong options
 */
export function createPostgresStore(options: PostgresStoreOptions): Store {
  checkOptions<PostgresStoreOptions>('createPostgresStore', options, {
    client: required(
      either(
        withMethods('a client of postgres.js', 'unsafe'),
        withMethods('a Pool of pg', 'query'),
      ),
    ),
    schema: SCHEMA,
    clock: withMethods('a clock', 'now'),
    commitGroups: whole(1),
    prepare: flag,
  })
  return new PostgresStore(options)
}

class PostgresStore implements Store {
  readonly #clock: Pick<Clock, 'now'>
  readonly #database: Database
  readonly #schema: string
  readonly #statements: PostgresStatements
  readonly #reads: ReadGroup
  readonly #groups: CommitGroups
  readonly #turns = new ServerTurns()
  readonly #migrate: () => Promise<void>
  #prepared: Promise<void> | undefined
  #ready = false
  #closing: Promise<void> | undefined

  constructor({
    client,
    schema = 'seine',
    clock = Date,
    commitGroups = 4,
    prepare = true,
  }: PostgresStoreOptions) {
    const database = openClient(client, prepare)
    const quoted = `"${schema}"`
    this.#clock = clock
    this.#database = database
    this.#schema = quoted
    this.#statements = new PostgresStatements(database, quoted)
    this.#migrate = () => migrate(database, quoted)
    const statements = this.#statements
    this.#reads = new ReadGroup((keys) => statements.read(keys, clock.now()))
    this.#groups = new CommitGroups(
      {
        commit: async (parameters, now) => {
          if (!this.#ready) await this.#prepare()
          return statements.commit(parameters, now)
        },
        sweep: (now) => statements.sweep(now),
      },
      clock,
      commitGroups,
    )
  }

  async get(keys: readonly Key[]): Promise<(Entry | null)[]> {
    this.#assertOpen()
    if (!this.#ready) await this.#prepare()
    return this.#reads.get(keys)
  }

  async list(range: Range): Promise<Entry[]> {
    this.#assertOpen()
    const { over, under } = encodeRange(range)
    if (!this.#ready) await this.#prepare()
    return this.#turns.list(range.prefix, () =>
      this.#statements.list(over, under, this.#clock.now(), range.limit, range.reverse ?? false),
    )
  }

  async commit(change: Commit): Promise<boolean> {
    this.#assertOpen()
    return this.#groups.add(encodeCommit(change))
  }

  async *snapshot(prefixes: readonly Key[]): AsyncGenerator<readonly SnapshotEntry[]> {
    this.#assertOpen()
    if (!this.#ready) await this.#prepare()
    yield* readSnapshot(this.#database, this.#schema, prefixes, this.#clock.now())
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#groups.idle())
  }

  /** Once a store; tried again with the next call where the database could not be reached. */
  #prepare(): Promise<void> {
    this.#prepared ??= this.#migrate().then(
      () => {
        this.#ready = true
      },
      (error: unknown) => {
        this.#prepared = undefined
        throw error
      },
    )
    return this.#prepared
  }

  #assertOpen(): void {
    if (this.#closing) throw new Error('The store is closed')
  }
}
