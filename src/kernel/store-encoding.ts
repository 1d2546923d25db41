import { encodeKey, prefixRange } from './key.ts'
import type { Key } from './key.ts'

/** One atomic write with encoded keys and values as JSON text: what an adapter of the Store writes. */
export interface EncodedCommit {
  readonly checks: readonly { readonly key: string; readonly version: string | null }[]
  /** `expiresAt`: Unix milliseconds, `null` for never. */
  readonly sets: readonly {
    readonly key: string
    readonly collection: string
    readonly text: string
    readonly expiresAt: number | null
  }[]
  readonly deletes: readonly string[]
  readonly adds: readonly {
    readonly key: string
    readonly collection: string
    readonly amount: number
  }[]
}

/** The same type as `Commit` of the Store port, which the kernel cannot import. */
interface CommitLike {
  readonly check?: readonly { readonly key: Key; readonly version: string | null }[]
  readonly set?: readonly {
    readonly key: Key
    readonly value: unknown
    readonly expiresAt?: number
  }[]
  readonly delete?: readonly Key[]
  readonly add?: readonly { readonly key: Key; readonly amount: number }[]
}

/**
 * Encodes and validates one atomic write, so that every adapter refuses the same mistakes before it
 * touches anything. A commit may write each key once, because the effect of two writes would depend
 * on the backend.
 *
 * @throws {TypeError} a key written twice, an empty key, a value that is not JSON, an amount or a
 *   time that is not finite.
 */
export function encodeCommit(commit: CommitLike): EncodedCommit {
  const keys = new Set<string>()
  const encodeOnce = (key: Key): string => {
    if (key.length === 0) throw new TypeError('A key needs at least one part')
    const encoded = encodeKey(key)
    if (keys.size === keys.add(encoded).size)
      throw new TypeError(`A commit writes ${JSON.stringify(key)} twice`)
    return encoded
  }
  return {
    checks: (commit.check ?? []).map(({ key, version }) => ({ key: encodeKey(key), version })),
    sets: (commit.set ?? []).map(({ key, value, expiresAt }) => ({
      key: encodeOnce(key),
      collection: collectionOf(key),
      text: textOf(key, value),
      expiresAt: expiresAt === undefined ? null : finite(key, expiresAt),
    })),
    deletes: (commit.delete ?? []).map(encodeOnce),
    adds: (commit.add ?? []).map(({ key, amount }) => ({
      key: encodeOnce(key),
      collection: collectionOf(key),
      amount: finite(key, amount),
    })),
  }
}

/**
 * Returns the sum of a stored value and an `add`.
 *
 * @throws {TypeError} if the value is not a number or the sum is not finite.
 */
export function sumOf(present: unknown, amount: number): number {
  const sum = typeof present === 'number' ? present + amount : Number.NaN
  if (!Number.isFinite(sum)) throw new TypeError('A counter can only be added to a number')
  return sum
}

function collectionOf(key: Key): string {
  return String(key[1] ?? '')
}

function textOf(key: Key, value: unknown): string {
  // JSON has no text for undefined, a function or a symbol; the declared return type leaves that
  // out.
  const text: string | undefined = JSON.stringify(value)
  if (text === undefined) throw new TypeError(`The value of ${JSON.stringify(key)} is not JSON`)
  return text
}

function finite(key: Key, value: number): number {
  if (!Number.isFinite(value))
    throw new TypeError(`A number beside ${JSON.stringify(key)} is not finite`)
  return value
}

/** The same type as `Range` of the Store port, which the kernel cannot import. */
interface RangeLike {
  readonly prefix: Key
  readonly after?: Key
  readonly before?: Key
  readonly limit: number
}

/**
 * A range as two encoded keys, both exclusive. If `after` or `before` lies outside the prefix, the
 * prefix is the bound.
 *
 * @throws {RangeError} if `limit` is not an integer of at least 1.
 */
export function encodeRange(range: RangeLike): { readonly over: string; readonly under: string } {
  if (!Number.isSafeInteger(range.limit) || range.limit < 1)
    throw new RangeError('The limit of a list is an integer of at least 1')
  const { from, to } = prefixRange(range.prefix)
  const after = range.after ? encodeKey(range.after) : from
  const before = range.before ? encodeKey(range.before) : to
  return { over: after > from ? after : from, under: before < to ? before : to }
}
