import { encodeKey, prefixRange } from './key.ts'
import type { Key } from './key.ts'

/** The Store port's `Range`, by its shape. */
interface RangeLike {
  readonly prefix: Key
  readonly after?: Key
  readonly before?: Key
  readonly limit: number
}

/**
 * A range as two encoded keys, both exclusive. Where `after` or `before` lies outside the prefix,
 * the prefix wins.
 *
 * @throws {RangeError} `limit` is no integer of at least 1.
 */
export function encodeRange(range: RangeLike): { readonly over: string; readonly under: string } {
  if (!Number.isSafeInteger(range.limit) || range.limit < 1)
    throw new RangeError('The limit of a list is an integer of at least 1')
  const { from, to } = prefixRange(range.prefix)
  const after = range.after ? encodeKey(range.after) : from
  const before = range.before ? encodeKey(range.before) : to
  return { over: after > from ? after : from, under: before < to ? before : to }
}
