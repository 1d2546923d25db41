import { checkOptions, required, withMethods } from '../../src/kernel/options.ts'
import { encodeCommit, encodeRange } from '../../src/kernel/store-encoding.ts'
import type { EncodedCommit } from '../../src/kernel/store-encoding.ts'
import { EntryTable } from '../../src/kernel/table/entry-table.ts'
import type { Key } from '../../src/kernel/key.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { Logger } from '../../src/ports/logger.ts'
import type { Commit, Entry, Range, Store } from '../../src/ports/store.ts'
import { CommitLog } from './commit-log.ts'
import { RAW_STORAGE } from './raw-storage.ts'
import type { RawStorage } from './raw-storage.ts'

/** Options of {@link createUnstorageStore}. */
export interface UnstorageStoreOptions {
  /** A storage or mount for this store only, whose driver supports raw bytes. */
  readonly storage: RawStorage
  /** Tells when entries expire; the system's by default. */
  readonly clock?: Pick<Clock, 'now'>
  /** Gets one warning that this store is for development. Default: the console. */
  readonly logger?: Pick<Logger, 'warn'>
}

/**
 * A Store on any unstorage storage, **for development, and for one process at a time**: unstorage
 * has no atomic writes, so all records are in this process' memory, and each commit is one item of
 * the storage. The process that opens the storage last owns it; commits of earlier owners reject
 * from then on. Use `seine/sqlite`, `seine/postgres` or `seine/redis` for anything else. `close`
 * disposes of the storage.
 *
 * @example
 *   import { createStorage } from 'unstorage'
 *   import fsDriver from 'unstorage/drivers/fs-lite'
 *
 *   const store = createUnstorageStore({
 *     storage: createStorage({ driver: fsDriver({ base: 'dev-records' }) }),
 *   })
 */
export function createUnstorageStore(options: UnstorageStoreOptions): Store {
  checkOptions<UnstorageStoreOptions>('createUnstorageStore', options, {
    storage: required(RAW_STORAGE),
    clock: withMethods('a clock', 'now'),
    logger: withMethods('a logger', 'warn'),
  })
  return new UnstorageStore(options)
}

class UnstorageStore implements Store {
  readonly #storage: RawStorage
  readonly #clock: Pick<Clock, 'now'>
  readonly #logger: Pick<Logger, 'warn'>
  readonly #table = new EntryTable()
  readonly #log: CommitLog
  readonly #opened: Promise<void>
  /** The commit that was called last. Each commit begins when the one before has ended. */
  #last: Promise<unknown>
  #closing: Promise<void> | undefined

  constructor({ storage, clock = Date, logger = console }: UnstorageStoreOptions) {
    this.#storage = storage
    this.#clock = clock
    this.#logger = logger
    this.#log = new CommitLog(storage)
    this.#opened = this.#log.open(this.#table, clock.now())
    this.#last = this.#opened.catch(() => undefined)
    logger.warn('Records are in an unstorage store, which is for development and one process only')
  }

  async get(keys: readonly Key[]): Promise<(Entry | null)[]> {
    this.#assertOpen()
    await this.#opened
    return this.#table.get(keys, this.#clock.now())
  }

  async list(range: Range): Promise<Entry[]> {
    this.#assertOpen()
    const { over, under } = encodeRange(range)
    await this.#opened
    return this.#table.list(over, under, range.limit, range.reverse ?? false, this.#clock.now())
  }

  async commit(change: Commit): Promise<boolean> {
    this.#assertOpen()
    const encoded = encodeCommit(change)
    const commit = this.#last.then(() => this.#write(encoded))
    this.#last = commit.catch(() => undefined)
    return commit
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#last.then(() => this.#storage.dispose()))
  }

  async #write(commit: EncodedCommit): Promise<boolean> {
    await this.#opened
    const now = this.#clock.now()
    const writes = this.#table.plan(commit, now)
    if (!writes) return false
    if (writes.sets.length === 0 && writes.deletes.length === 0) return true
    // Readers see the commit only when it cannot be lost any more.
    this.#table.apply(writes, await this.#log.append(writes), now)
    // An error is only logged, because the commits so far are written in any case.
    await this.#log
      .compact(this.#table, now)
      .catch((error: unknown) =>
        this.#logger.warn('An unstorage store could not be compacted', { error: String(error) }),
      )
    return true
  }

  #assertOpen(): void {
    if (this.#closing) throw new Error('The store is closed')
  }
}
