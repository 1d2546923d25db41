import { encodeCommit, encodeRange } from '../kernel/store-encoding.ts'
import { EntryTable } from '../kernel/table/entry-table.ts'
import type { Key } from '../kernel/key.ts'
import type { Clock } from '../ports/clock.ts'
import type { Commit, Entry, Range, Store } from '../ports/store.ts'
import { systemClock } from './system-clock.ts'

/** Options of {@link createMemoryStore}. */
export interface MemoryStoreOptions {
  /** Decides when entries expire. Default: the system clock. */
  readonly clock?: Pick<Clock, 'now'>
}

/**
 * A Store in the memory of this process, whose data is lost when it ends. For tests, demos and
 * tools that run once.
 */
export function createMemoryStore(options: MemoryStoreOptions = {}): Store {
  return new MemoryStore(options.clock ?? systemClock)
}

class MemoryStore implements Store {
  readonly #clock: Pick<Clock, 'now'>
  readonly #table = new EntryTable()
  #version = 0
  #closed = false

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  async get(keys: readonly Key[]): Promise<(Entry | null)[]> {
    this.#assertOpen()
    return this.#table.get(keys, this.#clock.now())
  }

  async list(range: Range): Promise<Entry[]> {
    this.#assertOpen()
    const { over, under } = encodeRange(range)
    return this.#table.list(over, under, range.limit, range.reverse ?? false, this.#clock.now())
  }

  async commit(change: Commit): Promise<boolean> {
    this.#assertOpen()
    const now = this.#clock.now()
    const writes = this.#table.plan(encodeCommit(change), now)
    if (writes) this.#table.apply(writes, String(++this.#version), now)
    return writes !== null
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#table.clear()
  }

  #assertOpen(): void {
    if (this.#closed) throw new Error('The store is closed')
  }
}
