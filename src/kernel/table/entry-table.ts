import { sumOf } from '../store-encoding.ts'
import type { EncodedCommit } from '../store-encoding.ts'
import { decodeKey, encodeKey } from '../key.ts'
import type { Key } from '../key.ts'
import { TextEntry } from '../text/text-entry.ts'
import { ExpiryQueue } from './expiry-queue.ts'

/** The writes of a commit, with its counters added up. */
export interface TableWrites {
  /**
   * `text`: JSON, so that neither a writer nor a reader shares an object with the table.
   * `expiresAt`: Unix milliseconds.
   */
  readonly sets: readonly {
    readonly key: string
    readonly text: string
    readonly expiresAt: number | null
  }[]
  readonly deletes: readonly string[]
}

/** The table's entry of an encoded key. */
interface TableItem {
  readonly text: string
  readonly version: string
  readonly expiresAt: number | null
}

/**
 * Maximum number of expired entries that each commit removes, and again for each expiring entry
 * that it writes. With fewer than two the table would grow.
 */
const SWEEP = 8
const SWEEP_FOR_EACH = 2

/** The entries of an in-memory store. It does all that a Store does, except persistence. */
export class EntryTable {
  readonly #items = new SortedMap<TableItem>()
  readonly #expiring = new ExpiryQueue()
  /** Number of entries that expire. */
  #mortal = 0

  get(keys: readonly Key[], now: number): (TextEntry | null)[] {
    return keys.map((key) => {
      const item = this.#live(encodeKey(key), now)
      return item ? new TextEntry([...key], item.text, item.version) : null
    })
  }

  /** Between two encoded keys, as `encodeRange` gives them. */
  list(over: string, under: string, limit: number, reverse: boolean, now: number): TextEntry[] {
    const entries: TextEntry[] = []
    for (const [key, item] of reverse
      ? this.#items.descending(over, under)
      : this.#items.ascending(over, under)) {
      if (!isLive(item, now)) continue
      entries.push(new TextEntry(decodeKey(key), item.text, item.version))
      if (entries.length === limit) break
    }
    return entries
  }

  /**
   * Returns the writes of a commit. `null`: a check failed.
   *
   * @throws {TypeError} if the commit adds to a value that is not a number.
   */
  plan({ checks, sets, deletes, adds }: EncodedCommit, now: number): TableWrites | null {
    for (const { key, version } of checks)
      if ((this.#live(key, now)?.version ?? null) !== version) return null
    if (adds.length === 0) return { sets, deletes }
    const sums = adds.map(({ key, amount }) => {
      const item = this.#live(key, now)
      return {
        key,
        text: JSON.stringify(sumOf(item ? JSON.parse(item.text) : 0, amount)),
        expiresAt: item?.expiresAt ?? null,
      }
    })
    return { sets: [...sets, ...sums], deletes }
  }

  /** Applies planned writes, or entries that were read back from storage. */
  apply({ sets, deletes }: TableWrites, version: string, now: number): void {
    for (const key of deletes) this.#remove(key)
    let expiring = 0
    for (const { key, text, expiresAt } of sets) {
      this.put(key, { text, version, expiresAt })
      if (expiresAt !== null) expiring++
    }
    this.#sweep(now, SWEEP + SWEEP_FOR_EACH * expiring)
  }

  put(key: string, item: TableItem): void {
    const before = this.#items.set(key, item)?.expiresAt ?? null
    const { expiresAt } = item
    if (before !== null) this.#mortal--
    if (expiresAt === null) return
    this.#mortal++
    // A later time is applied when the earlier one is due, because most times are postponed again
    // and again.
    if (before !== null && before <= expiresAt) return
    this.#expiring.add(key, expiresAt)
    this.#expiring.tidy(this.#mortal, this.#expiryOf)
  }

  /** All entries that have not expired, in key order. The table must not change meanwhile. */
  *items(now: number): Generator<readonly [key: string, item: TableItem]> {
    for (const entry of this.#items.ascending('', '\uffff')) if (isLive(entry[1], now)) yield entry
  }

  get size(): number {
    return this.#items.size
  }

  clear(): void {
    this.#items.clear()
    this.#expiring.clear()
    this.#mortal = 0
  }

  #remove(key: string): void {
    const item = this.#items.delete(key)
    if (item && item.expiresAt !== null) this.#mortal--
  }

  readonly #expiryOf = (key: string): number | null => this.#items.get(key)?.expiresAt ?? null

  #live(key: string, now: number): TableItem | undefined {
    const item = this.#items.get(key)
    return item && isLive(item, now) ? item : undefined
  }

  /** Removes a few expired entries with each commit, so that they go even if nobody reads them. */
  #sweep(now: number, most: number): void {
    for (let left = most; left > 0; left--) {
      const key = this.#expiring.takeDue(now)
      if (key === null) return
      const time = this.#live(key, now)?.expiresAt
      if (time === undefined) this.#remove(key)
      // The expiry was postponed. `null`: the entry no longer expires.
      else if (time !== null) this.#expiring.add(key, time)
    }
  }
}

function isLive(item: TableItem, now: number): boolean {
  return item.expiresAt === null || item.expiresAt > now
}

const CHUNK = 512

/**
 * A map that also walks its keys in order. Keys lie in chunks of at most {@link CHUNK}, so an
 * insertion moves few keys in a map of any size. Reads of one key use a `Map`.
 */
export class SortedMap<V> {
  readonly #values = new Map<string, V>()
  /** There is always one chunk at least. Every chunk has a key, except a single first one. */
  readonly #chunks: string[][] = [[]]

  get size(): number {
    return this.#values.size
  }

  get(key: string): V | undefined {
    return this.#values.get(key)
  }

  /** Returns the value before. */
  set(key: string, value: V): V | undefined {
    const before = this.#values.get(key)
    if (before === undefined) this.#insert(key)
    this.#values.set(key, value)
    return before
  }

  /** Returns the value that was there. */
  delete(key: string): V | undefined {
    const before = this.#values.get(key)
    if (before === undefined) return undefined
    this.#values.delete(key)
    const index = this.#chunkFor(key)
    const chunk = this.#chunks[index] ?? []
    chunk.splice(lowerBound(chunk, key), 1)
    if (chunk.length === 0 && this.#chunks.length > 1) this.#chunks.splice(index, 1)
    return before
  }

  /** Keys strictly between the bounds, ascending. The map must not change meanwhile. */
  *ascending(over: string, under: string): Generator<readonly [string, V]> {
    for (let index = this.#chunkFor(over); index < this.#chunks.length; index++) {
      const chunk = this.#chunks[index] ?? []
      for (let i = lowerBound(chunk, over); i < chunk.length; i++) {
        const key = chunk[i] ?? ''
        if (key >= under) return
        const value = key === over ? undefined : this.#values.get(key)
        if (value !== undefined) yield [key, value]
      }
    }
  }

  /** Keys strictly between the bounds, descending. The map must not change meanwhile. */
  *descending(over: string, under: string): Generator<readonly [string, V]> {
    for (let index = this.#chunkFor(under); index >= 0; index--) {
      const chunk = this.#chunks[index] ?? []
      for (let i = lowerBound(chunk, under) - 1; i >= 0; i--) {
        const key = chunk[i] ?? ''
        if (key <= over) return
        const value = this.#values.get(key)
        if (value !== undefined) yield [key, value]
      }
    }
  }

  clear(): void {
    this.#values.clear()
    this.#chunks.splice(0, this.#chunks.length, [])
  }

  #insert(key: string): void {
    const index = this.#chunkFor(key)
    const chunk = this.#chunks[index] ?? []
    const last = chunk.at(-1)
    // Keys often arrive in order; splitting at the end then leaves full chunks behind.
    if (last === undefined || key > last) chunk.push(key)
    else chunk.splice(lowerBound(chunk, key), 0, key)
    if (chunk.length > CHUNK)
      this.#chunks.splice(index + 1, 0, chunk.splice(chunk.at(-1) === key ? CHUNK : CHUNK / 2))
  }

  /** The last chunk that starts at or before `key`. If there is none: the first chunk. */
  #chunkFor(key: string): number {
    let low = 0
    let high = this.#chunks.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#chunks[middle]?.[0] ?? '') <= key) low = middle
      else high = middle - 1
    }
    return low
  }
}

/** Index of the first key that is not before `key`. */
function lowerBound(keys: readonly string[], key: string): number {
  let low = 0
  let high = keys.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((keys[middle] ?? '') < key) low = middle + 1
    else high = middle
  }
  return low
}
