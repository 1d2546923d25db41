import { idBound } from '../../kernel/id.ts'
import type { KeyPart } from '../../kernel/key.ts'
import type { Collection } from '../../records/collection.ts'
import { paginate, positionedRecord } from '../../records/paginate.ts'
import type { Paginated, PaginateOptions } from '../../records/paginate.ts'
import { isLimited, isWithin } from './time-range.ts'
import type { TimeRange } from './time-range.ts'
import { monthAfter, monthOf } from './time.ts'

/** Order of a list: oldest first, or newest first. */
export type ListOrder = 'createdAt' | '-createdAt'

/** Key parts between which all records of a range lie. Other records may lie there too. */
export interface TimeKeys {
  /** Sorts before all records of this time or a later one. */
  from(time: number): KeyPart
  /** Sorts after all records of an earlier time. */
  to(time: number): KeyPart
}

/** Maximum time in ms between the making of an id and the time of its record. */
const MARGIN_MS = 60_000

/** For keys that are ids such as `exec_…`, which sort by the time at which they were made. */
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

/** A part of an index. */
export interface IndexRange {
  readonly index: string
  /** Key parts that all its entries begin with. The id of the record follows. */
  readonly within: readonly KeyPart[]
}

/** The records of a list, in the order of their times. */
export interface TimedRecords<T> {
  readonly collection: Collection<T>
  /** An index that is read instead of the collection itself. */
  readonly index?: string | undefined
  /** Key parts that all its records begin with. */
  readonly within?: readonly KeyPart[]
  /** The meaning of the key part after `within`. `null`: a period cannot limit it. */
  readonly keys: TimeKeys | null
  readonly timeOf: (item: T) => number
  /**
   * Parts of indexes that together have exactly one entry for each record of the list. Absent: the
   * records are read to count them.
   */
  readonly countIn?: readonly IndexRange[] | undefined
}

/** One page of records. */
export interface RecordsQuery<T> extends Pick<
  PaginateOptions<T>,
  'after' | 'limit' | 'firstRead' | 'sizeOf' | 'mostRead' | 'keep'
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
    account,
    expected: collection.sizes.expected(account),
    async read(position, limit) {
      const slice = {
        within,
        ...bounds,
        ...(position && (isReverse ? { before: position } : { after: position })),
        limit,
        reverse: isReverse,
      }
      const records =
        index === undefined
          ? (await collection.list(account, slice)).map((record) =>
              positionedRecord(record, record.id),
            )
          : (await collection.listBy(index, account, slice)).map(({ record, position: from }) =>
              positionedRecord(record, from),
            )
      const characters = records.reduce((sum, { unparsed = 0 }) => sum + unparsed, 0)
      collection.sizes.note(account, records.length, characters)
      return records
    },
    ...((keep || isLimited(range)) && {
      keep: (item: T) => isWithin(range, timeOf(item)) && (keep?.(item) ?? true),
    }),
  })
}
