import { encodeCommit, sumOf } from '../kernel/encoded-commit.ts'
import type { EncodedCommit } from '../kernel/encoded-commit.ts'
import { encodeRange } from '../kernel/encoded-range.ts'
import { decodeKey, encodeKey } from '../kernel/key.ts'
import type { Key } from '../kernel/key.ts'
import type { Clock } from '../ports/clock.ts'
import type { Commit, Entry, Range, Store } from '../ports/store.ts'
import { SortedMap } from './sorted-map.ts'
import { systemClock } from './system-clock.ts'

/** Options of {@link createMemoryStore}. */
export interface MemoryStoreOptions {
  /** Tells when entries expire; the system's by default. */
  readonly clock?: Pick<Clock, 'now'>
}

interface Item {
  /** JSON text, so that neither a writer nor a reader shares an object with the store. */
  readonly text: string
  readonly version: string
  readonly expiresAt: number | null
}

/** Expired entries looked for a commit. */
const SWEEP = 64

/** A Store in this process' memory: everything is gone with it. For tests, demos and tools that run once. */
export function createMemoryStore(options: MemoryStoreOptions = {}): Store {
  return new MemoryStore(options.clock ?? systemClock)
}

class MemoryStore implements Store {
  readonly #clock: Pick<Clock, 'now'>
  readonly #items = new SortedMap<Item>()
  /** Keys that may expire, oldest write first. */
  readonly #expiring = new Set<string>()
  #version = 0
  #closed = false

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  async get(keys: readonly Key[]): Promise<(Entry | null)[]> {
    this.#assertOpen()
    const now = this.#clock.now()
    return keys.map((key) => {
      const item = this.#live(encodeKey(key), now)
      return item ? entryOf([...key], item) : null
    })
  }

  async list(range: Range): Promise<Entry[]> {
    this.#assertOpen()
    const { over, under } = encodeRange(range)
    const now = this.#clock.now()
    const found: Entry[] = []
    for (const [key, item] of range.reverse ? this.#items.descending(over, under) : this.#items.ascending(over, under)) {
      if (!isLive(item, now)) continue
      found.push(entryOf(decodeKey(key), item))
      if (found.length === range.limit) break
    }
    return found
  }

  async commit(change: Commit): Promise<boolean> {
    this.#assertOpen()
    const encoded = encodeCommit(change)
    const now = this.#clock.now()
    const holds = encoded.checks.every(({ key, version }) => (this.#live(key, now)?.version ?? null) === version)
    if (holds) this.#write(encoded, now)
    return holds
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#items.clear()
    this.#expiring.clear()
  }

  #write(commit: EncodedCommit, now: number): void {
    // Sums first: they alone can fail, and then nothing has been written.
    const sums = commit.adds.map(({ key, amount }) => {
      const item = this.#live(key, now)
      return { key, text: JSON.stringify(sumOf(item ? JSON.parse(item.text) : 0, amount)), expiresAt: item?.expiresAt ?? null }
    })
    const version = String(++this.#version)
    for (const key of commit.deletes) this.#remove(key)
    for (const { key, text, expiresAt } of commit.sets) this.#put(key, { text, version, expiresAt })
    for (const { key, text, expiresAt } of sums) this.#put(key, { text, version, expiresAt })
    this.#sweep(now)
  }

  #put(key: string, item: Item): void {
    this.#items.set(key, item)
    if (item.expiresAt === null) this.#expiring.delete(key)
    else this.#expiring.add(key)
  }

  #remove(key: string): void {
    this.#items.delete(key)
    this.#expiring.delete(key)
  }

  #live(key: string, now: number): Item | undefined {
    const item = this.#items.get(key)
    return item && isLive(item, now) ? item : undefined
  }

  /** Looks at a few entries a commit, in turn, so that what nobody reads again does not stay for ever. */
  #sweep(now: number): void {
    let left = Math.min(SWEEP, this.#expiring.size)
    for (const key of this.#expiring) {
      if (left-- === 0) return
      this.#expiring.delete(key)
      if (this.#live(key, now)) this.#expiring.add(key)
      else this.#items.delete(key)
    }
  }

  #assertOpen(): void {
    if (this.#closed) throw new Error('The store is closed')
  }
}

function isLive(item: Item, now: number): boolean {
  return item.expiresAt === null || item.expiresAt > now
}

function entryOf(key: Key, item: Item): Entry {
  return { key, value: JSON.parse(item.text), version: item.version }
}
