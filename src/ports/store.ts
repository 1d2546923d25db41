import type { Key } from '../kernel/key.ts'

/** A stored value with its version, for later checks. */
export interface Entry<T = unknown> {
  readonly key: Key
  readonly value: T
  /** The value's JSON, if the store has it. A caller that only forwards the value need not parse it. */
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
  /** All must hold; `version: null` means the key must be absent. */
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
 * A range of keys below `prefix` (which is not among them), both bounds exclusive, in key order or
 * reversed.
 */
export interface Range {
  readonly prefix: Key
  readonly after?: Key
  readonly before?: Key
  /** An integer of 1 or more, else a `RangeError`; an adapter returns at most this many. */
  readonly limit: number
  readonly reverse?: boolean
}

/** An entry as a backup has it. */
export interface SnapshotEntry {
  readonly key: Key
  /** The value as JSON text. */
  readonly json: string
  /** Unix milliseconds; `null`: it does not expire. */
  readonly expiresAt: number | null
}

/**
 * An ordered key-value store with one atomic write. Everything that must not be lost goes through
 * it. Values are JSON. If `commit` rejects, its outcome is unknown. A store that cannot do anything
 * for now rejects with a `StoreFailure`: callers get 503, and work is done again later.
 */
export interface Store {
  /** Reads in one round trip. The result has the order of `keys`, with `null` for absent keys. */
  get(keys: readonly Key[]): Promise<(Entry | null)[]>
  list(range: Range): Promise<Entry[]>
  /** `false`: a check failed and nothing was written. */
  commit(change: Commit): Promise<boolean>
  /**
   * All entries below the prefixes, in the given order of prefixes and then of keys, as they were
   * at one moment: of each commit all or nothing. Writers go on meanwhile. Absent: the store
   * cannot.
   */
  snapshot?(prefixes: readonly Key[]): AsyncIterable<readonly SnapshotEntry[]>
  /** Idempotent. */
  close(): Promise<void>
}
