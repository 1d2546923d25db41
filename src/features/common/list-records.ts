import type { Cursors } from '../../kernel/cursor.ts'
import type { PaginateOptions } from '../../records/paginate.ts'
import { readPage } from './list-page.ts'
import type { ListPage, ListQuery } from './list-page.ts'
import { rangeOf } from './time-range.ts'
import type { RangeQuery } from './time-range.ts'
import { pageOfRecords } from './timed-records.ts'
import type { ListOrder, TimedRecords } from './timed-records.ts'

/** Query of a list of records that have a time. */
export interface CreatedQuery extends ListQuery, RangeQuery {
  /** Default: newest first. */
  readonly sort?: ListOrder
  /** True: the answer has `total`, the number of records on all pages. */
  readonly count?: boolean
}

/**
 * The filter that cursors of a list are bound to. It has the list's own filters, and those of all
 * lists.
 */
export function filterOf(
  { from, to, sort }: CreatedQuery,
  own: readonly (string | null)[] = [],
): readonly (string | null)[] | null {
  const times = [from, to, sort].map((part) => part ?? null)
  // Without filters of all lists it has the form of earlier versions, so that older cursors stay
  // valid.
  const parts = [...own, ...(times.every((part) => part === null) ? [] : times)]
  return parts.length === 0 ? null : parts
}

/** A list of records, and how it shows them. */
export interface RecordsList<T, W> extends Pick<PaginateOptions<T>, 'firstRead' | 'keep'> {
  readonly account: string
  /** The list's operation, and its filters. Cursors are bound to both. */
  readonly operation: string
  readonly filter?: readonly (string | null)[]
  readonly query: CreatedQuery
  /** The order without `sort`. Default: newest first. */
  readonly order?: ListOrder
  readonly source: TimedRecords<T>
  readonly show: (items: readonly T[]) => readonly W[] | Promise<readonly W[]>
}

/**
 * Answers a list that has `from`, `to`, `sort`, `count`, `limit` and `cursor`. Every list of
 * records that have a time goes through here, so that these mean the same everywhere.
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
  const answer = await readPage(cursors, context, query, async (after, limit) => {
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
  if (query.count !== true) return answer
  const { countRecords } = await import('./count-records.ts')
  const counted = await countRecords(account, source, {
    range,
    ...(firstRead !== undefined && { firstRead }),
    ...(keep && { keep }),
  })
  return { ...answer, ...counted }
}
