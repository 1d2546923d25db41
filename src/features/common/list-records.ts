import type { Cursors } from '../../kernel/cursor.ts'
import { idBound } from '../../kernel/id.ts'
import type { KeyPart } from '../../kernel/key.ts'
import type { Collection } from '../../records/collection.ts'
import { paginate } from '../../records/paginate.ts'
import type { Paginated, PaginateOptions } from '../../records/paginate.ts'
import { readPage } from './list-page.ts'
import type { ListPage, ListQuery } from './list-page.ts'
import { isLimited, isWithin, rangeOf } from './time-range.ts'
import type { RangeQuery, TimeRange } from './time-range.ts'
import { monthAfter, monthOf } from './time.ts'

/** Order of a list: oldest first, or newest first. */
export type ListOrder = 'createdAt' | '-createdAt'

/** Query of a list of records that have a time. */
export interface CreatedQuery extends ListQuery, RangeQuery {
  /** Default: newest first. */
  readonly sort?: ListOrder
}

/** The key parts between which all records of a range are. They may leave more in. */
export interface TimeKeys {
  /** Sorts before what is of this time, or later. */
  from(time: number): KeyPart
  /** Sorts after what is earlier than this time. */
  to(time: number): KeyPart
}

/** An id is made a little before the time that its record gets. */
const MARGIN_MS = 60_000

/** Keys that are ids, which sort by the time they were made, such as `exec_…`. */
export function byId(prefix: string): TimeKeys {
  return {
    from: (time) => idBound(prefix, time - MARGIN_MS),
    to: (time) => idBound(prefix, time + MARGIN_MS),
  }
}

/** Keys that are Unix milliseconds. */
export const BY_TIME: TimeKeys = { from: (time) => time, to: (time) => time }

/** Keys that are months. */
export const BY_MONTH: TimeKeys = {
  from: monthOf,
  to: (time) => monthAfter(monthOf(time - 1)),
}

/** What a list reads: records that lie in the order of their times. */
export interface TimedRecords<T> {
  readonly collection: Collection<T>
  /** An index that is read instead of the collection itself. */
  readonly index?: string | undefined
  /** Key parts that all its records begin with. */
  readonly within?: readonly KeyPart[]
  /** What the key part after `within` is. `null`: nothing that a time could limit. */
  readonly keys: TimeKeys | null
  readonly timeOf: (item: T) => number
}

/** One page of records. */
export interface RecordsQuery<T> extends Pick<
  PaginateOptions<T>,
  'after' | 'limit' | 'firstRead' | 'keep'
> {
  readonly range: TimeRange
  /** Default: newest first. */
  readonly order?: ListOrder | undefined
}

/** Reads one page of records of a range. */
export function pageOfRecords<T>(
  account: string,
  { collection, index, within = [], keys, timeOf }: TimedRecords<T>,
  { range, order = '-createdAt', keep, ...page }: RecordsQuery<T>,
): Promise<Paginated<T>> {
  const isReverse = order === '-createdAt'
  const bounds = {
    ...(keys && range.begin > -Infinity && { after: [...within, keys.from(range.begin)] }),
    ...(keys && range.end < Infinity && { before: [...within, keys.to(range.end)] }),
  }
  return paginate({
    ...page,
    async read(position, limit) {
      const slice = {
        within,
        ...bounds,
        ...(position && (isReverse ? { before: position } : { after: position })),
        limit,
        reverse: isReverse,
      }
      if (index === undefined)
        return (await collection.list(account, slice)).map(({ value, id }) => ({
          item: value,
          position: id,
        }))
      return (await collection.listBy(index, account, slice)).map((entry) => ({
        item: entry.record.value,
        position: entry.position,
      }))
    },
    ...((keep || isLimited(range)) && {
      keep: (item: T) => isWithin(range, timeOf(item)) && (keep?.(item) ?? true),
    }),
  })
}

/** What the cursors of a list belong to: its own filters, and those that all lists have. */
export function filterOf(
  { from, to, sort }: CreatedQuery,
  own: readonly (string | null)[] = [],
): readonly (string | null)[] | null {
  const times = [from, to, sort].map((part) => part ?? null)
  // Without any, it is as it was before they existed: cursors of then are still good.
  const parts = [...own, ...(times.every((part) => part === null) ? [] : times)]
  return parts.length === 0 ? null : parts
}

/** A list of records, and how it shows them. */
export interface RecordsList<T, W> extends Pick<PaginateOptions<T>, 'firstRead' | 'keep'> {
  readonly account: string
  /** The list's operation, and what its filters are. Cursors belong to both. */
  readonly operation: string
  readonly filter?: readonly (string | null)[]
  readonly query: CreatedQuery
  /** The order without `sort`. Default: newest first. */
  readonly order?: ListOrder
  readonly source: TimedRecords<T>
  readonly show: (items: readonly T[]) => readonly W[] | Promise<readonly W[]>
}

/**
 * Answers a list that has `from`, `to`, `sort`, `limit` and `cursor`. Every list of records that
 * have a time goes through here, so that these mean the same everywhere.
 *
 * @throws {PlatformError} 400
 */
export async function listRecords<T, W>(
  { cursors }: { readonly cursors: Cursors },
  {
    account,
    operation,
    filter = [],
    query,
    order,
    source,
    show,
    firstRead,
    keep,
  }: RecordsList<T, W>,
): Promise<ListPage<W>> {
  const range = rangeOf(query)
  const context = { account, operation, filter: filterOf(query, filter) }
  return readPage(cursors, context, query, async (after, limit) => {
    const page = await pageOfRecords(account, source, {
      range,
      order: query.sort ?? order,
      after,
      limit,
      ...(firstRead !== undefined && { firstRead }),
      ...(keep && { keep }),
    })
    return { items: await show(page.items), next: page.next }
  })
}
