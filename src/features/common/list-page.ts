import type { CursorContext, Cursors } from '../../kernel/cursor.ts'
import { badRequest } from '../../kernel/errors.ts'
import type { KeyPart } from '../../kernel/key.ts'

/** The number of records of a list, on all its pages. */
export interface Counted {
  /** `null`: there are more than one request counts. */
  readonly total: number | null
  /** The number up to which they were counted. */
  readonly totalAtLeast: number
}

/**
 * One page of a list. `nextCursor` is `null` at the end of the list. With `count` the page has the
 * number of the list's records.
 */
export interface ListPage<T> extends Partial<Counted> {
  readonly items: readonly T[]
  readonly nextCursor: string | null
}

/** Options of a list. */
export interface ListQuery {
  /** 1–100, default 20. */
  readonly limit?: number
  /** `nextCursor` of the previous page. */
  readonly cursor?: string
}

/** Options of a list that can be counted. */
export interface CountedQuery extends ListQuery {
  /** True: with the number of all its records. */
  readonly count?: boolean
}

/** The number of all records of a list, if it was requested. It comes from counters. */
export function totalOf({ count }: CountedQuery, total: number): Partial<Counted> {
  return count === true ? { total, totalAtLeast: total } : {}
}

const DEFAULT_LIMIT = 20
const MAX_LIMIT = 100

/**
 * Reads one page through `read`, which gets the position of the decoded cursor.
 *
 * @throws {PlatformError} 400 for an invalid limit or cursor
 */
export async function readPage<T>(
  cursors: Cursors,
  context: CursorContext,
  query: ListQuery,
  read: (
    after: readonly KeyPart[] | null,
    limit: number,
  ) => Promise<{ readonly items: readonly T[]; readonly next: readonly KeyPart[] | null }>,
): Promise<ListPage<T>> {
  const limit = query.limit ?? DEFAULT_LIMIT
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT)
    throw badRequest([{ path: 'limit', message: `must be a whole number from 1 to ${MAX_LIMIT}` }])
  const after = query.cursor === undefined ? null : await cursors.open(context, query.cursor)
  const { items, next } = await read(after, limit)
  return { items, nextCursor: next === null ? null : await cursors.seal(context, next) }
}
