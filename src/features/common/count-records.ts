import type { KeyPart } from '../../kernel/key.ts'
import { jsonSize } from '../../kernel/json.ts'
import { MOST_READ, eachFew } from '../../records/paginate.ts'
import type { Paginated } from '../../records/paginate.ts'
import type { Counted } from './list-page.ts'
import { pageOfRecords } from './timed-records.ts'
import type { IndexRange, RecordsQuery, TimedRecords } from './timed-records.ts'
import { isLimited, isWithin } from './time-range.ts'

/** Maximum number of records that one request counts. */
export const MOST_COUNTED = 10_000
/**
 * Number of list pages that one request may read to count records by their content. Together they
 * have the maximum size of one page.
 */
const MOST_PAGES = 10
/** Index entries that are read at once. Their values are numbers. */
const ENTRIES = 1_000
/**
 * Maximum number of records at the ends of a range that are read. Their ids do not show whether
 * they are in the range.
 */
const MOST_UNSURE = 500

/**
 * Counts the records of a list. If the entries of an index identify them, records are read only if
 * their id does not show whether they are in the range.
 */
export async function countRecords<T>(
  account: string,
  source: TimedRecords<T>,
  query: Pick<RecordsQuery<T>, 'range' | 'keep' | 'firstRead'>,
): Promise<Counted> {
  return source.countIn
    ? countEntries(account, source, source.countIn, query)
    : countByReading(account, source, query)
}

async function countByReading<T>(
  account: string,
  source: TimedRecords<T>,
  query: Pick<RecordsQuery<T>, 'range' | 'keep' | 'firstRead'>,
): Promise<Counted> {
  let [counted, read, after]: [number, number, readonly KeyPart[] | null] = [0, 0, null]
  const sizeOf = (item: T, most: number): number => {
    const size = jsonSize(item, most)
    read += size
    return size
  }
  for (let page = 0; page < MOST_PAGES && counted < MOST_COUNTED; page++) {
    const { items, next }: Paginated<T> = await pageOfRecords(account, source, {
      ...query,
      after,
      ...(query.keep && { sizeOf, mostRead: MOST_READ - read }),
      limit: MOST_COUNTED - counted,
    })
    counted += items.length
    if (next === null) return exactly(counted)
    if (read >= MOST_READ) break
    after = next
  }
  return atLeast(counted)
}

async function countEntries<T>(
  account: string,
  { collection, keys, timeOf }: TimedRecords<T>,
  ranges: readonly IndexRange[],
  { range }: Pick<RecordsQuery<T>, 'range'>,
): Promise<Counted> {
  const { begin, end } = range
  const bounds =
    keys && isLimited(range)
      ? {
          // `sure`: the part of the period in which ids alone show that records belong to it.
          from: begin === -Infinity ? null : keys.from(begin),
          to: end === Infinity ? null : keys.to(end),
          sure: {
            from: begin === -Infinity ? null : keys.to(begin),
            to: end === Infinity ? null : keys.from(end),
          },
        }
      : null
  const unsure: (readonly KeyPart[])[] = []
  // Ids are collected in a set, because a record may move from one part of an index to another
  // between the reads.
  const sure = new Set<KeyPart>()
  for (const { index, within } of ranges) {
    let after = bounds?.from == null ? null : [...within, bounds.from]
    for (;;) {
      const ids: readonly (readonly KeyPart[])[] = await collection.listIds(index, account, {
        within,
        limit: ENTRIES,
        ...(after && { after }),
        ...(bounds?.to != null && { before: [...within, bounds.to] }),
      })
      for (const id of ids)
        if (bounds && !isBetween(id[0], bounds.sure)) unsure.push(id)
        else if (id[0] !== undefined) sure.add(id[0])
      const last = ids.at(-1)
      if (!last || ids.length < ENTRIES) break
      after = [...within, ...last]
      if (sure.size > MOST_COUNTED) return atLeast(MOST_COUNTED)
    }
  }
  if (unsure.length > MOST_UNSURE) return atLeast(Math.min(sure.size, MOST_COUNTED))
  let counted = sure.size
  for await (const { value } of eachFew(collection, account, unsure))
    if (isWithin(range, timeOf(value))) counted++
  return counted > MOST_COUNTED ? atLeast(MOST_COUNTED) : exactly(counted)
}

function isBetween(
  part: KeyPart | undefined,
  { from, to }: { readonly from: KeyPart | null; readonly to: KeyPart | null },
): boolean {
  // Both values are texts, or both are numbers.
  return part !== undefined && (from === null || part >= from) && (to === null || part < to)
}

function exactly(total: number): Counted {
  return { total, totalAtLeast: total }
}

function atLeast(counted: number): Counted {
  return { total: null, totalAtLeast: counted }
}
