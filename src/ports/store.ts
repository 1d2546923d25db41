import type { Key } from '../kernel/key.ts'

/** A stored value with its version, for later checks. */
export interface Entry<T = unknown> {
  readonly key: Key
  readonly value: T
  /**
   * The value as JSON text, if the store has it. A caller that only forwards the value need not
   * parse it.
   */
  readonly json?: string | undefined
  /** Opaque; differs after every write of the key, and is never used again after a delete. */
  readonly version: string
}

/**
 * One atomic write: all or nothing. A commit writes each key at most once, by `set`, `delete` or
 * `add`. A commit that writes a key twice, adds to a value that is not a number, or sets a value
 * that is not JSON rejects with a `TypeError` and writes nothing.
 */
export interface Commit {
  /** All checks must pass. `version: null`: the key must be absent. */
  readonly check?: readonly { readonly key: Key; readonly version: string | null }[]
  /**
   * `expiresAt`: Unix milliseconds from which the entry is absent for every reader. A later `set`
   * without it removes the expiry.
   */
  readonly set?: readonly {
    readonly key: Key
    readonly value: unknown
    readonly expiresAt?: number
  }[]
  readonly delete?: readonly Key[]
  /**
   * Commutative counters: adds to a number, or to 0 where the key is absent. Sums of safe integers
   * are exact.
   */
  readonly add?: readonly { readonly key: Key; readonly amount: number }[]
}

/**
 * A range of keys below `prefix`, without `prefix` itself. Both bounds are exclusive. The order is
 * that of the keys, or reversed.
 */
export interface Range {
  readonly prefix: Key
  readonly after?: Key
  readonly before?: Key
  /** Maximum number of results, an integer of 1 or more. Other values cause a `RangeError`. */
  readonly limit: number
  readonly reverse?: boolean
}

/** An entry as a backup contains it. */
export interface SnapshotEntry {
  readonly key: Key
  /** The value as JSON text. */
  readonly json: string
  /** Unix milliseconds; `null`: it does not expire. */
  readonly expiresAt: number | null
}

/**
 * An ordered key-value store with one atomic write. Everything that must not be lost goes through
 * it. Values are JSON. If `commit` rejects, its outcome is unknown. A store that does not work for
 * now rejects with a `StoreFailure`. Callers then get 503, and work is tried again later.
 */
export interface Store {
  /** Reads in one round trip. The result has the order of `keys`, with `null` for absent keys. */
  get(keys: readonly Key[]): Promise<(Entry | null)[]>
  list(range: Range): Promise<Entry[]>
  /** `false`: a check failed and nothing was written. */
  commit(change: Commit): Promise<boolean>
  /**
   * Reads all entries below the prefixes, as they were at one moment: they contain all of a commit
   * or nothing of it. They come in the order of `prefixes`, and then of keys. Writers are not
   * stopped meanwhile. Absent: the store cannot do this.
   */
  snapshot?(prefixes: readonly Key[]): AsyncIterable<readonly SnapshotEntry[]>
  /** Idempotent. */
  close(): Promise<void>
}
