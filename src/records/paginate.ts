import { jsonSize } from '../kernel/json.ts'
import type { KeyPart } from '../kernel/key.ts'
import type { Collection, Stored } from './collection.ts'

/** An item with its position. A next page starts after that position. */
export interface PositionedItem<T> {
  readonly item: T
  readonly position: readonly KeyPart[]
  /** Characters that are parsed when `item` is first used. Absent: none. */
  readonly unparsed?: number
}

/** A record with its position. It is parsed at first use. */
export function positionedRecord<T>(
  record: Stored<T>,
  position: readonly KeyPart[],
): PositionedItem<T> {
  return {
    position,
    unparsed: record.json?.length ?? 0,
    get item() {
      return record.value
    },
  }
}

/** Options for reading one page of a list. */
export interface PaginateOptions<T> {
  /**
   * The next `count` items after a position, or from the start. An empty result is the end of the
   * list.
   */
  readonly read: (
    after: readonly KeyPart[] | null,
    count: number,
  ) => Promise<readonly PositionedItem<T>[]>
  readonly after: readonly KeyPart[] | null
  readonly limit: number
  /**
   * Number of records in the first read, when their size is unknown. Default 25; fewer if a record
   * may have a megabyte.
   */
  readonly firstRead?: number
  /** Characters that a record of this list had before. Fewer are read first if they were large. */
  readonly expected?: number | undefined
  /**
   * About how many characters an item has as JSON. Counting may stop soon after `most`. Default:
   * the characters of its text in the store, or of its own properties.
   */
  readonly sizeOf?: (item: T, most: number) => number
  /** Characters of all records that the page reads, including skipped ones. */
  readonly mostRead?: number
  /** The account whose records are read. Accounts take turns to parse large ones. */
  readonly account?: string
  /** Items for which it returns false are skipped. */
  readonly keep?: (item: T) => boolean
}

/** One list page, with the position of the next one. `null`: the list has ended. */
export interface Paginated<T> {
  readonly items: readonly T[]
  readonly next: readonly KeyPart[] | null
}

/**
 * Maximum number of items that one page scans. Otherwise a filter with few matches would read the
 * whole list in one request. Such a page is short and has a cursor.
 */
const MAX_SCANNED = 5_000
const SCAN = 250
/** Characters of records that are parsed in one turn of the event loop: some 3 ms. */
const PARSED_IN_TURN = 250_000

/**
 * Maximum characters of one list page, as JSON. A larger page ends early, with a cursor and at
 * least one item. Exports are streams and have no such limit.
 */
export const PAGE_SIZE = 2_000_000
/**
 * Maximum number of characters that one page reads. Otherwise a filter could read a whole list of
 * large records.
 */
export const MOST_READ = 10 * PAGE_SIZE
/** Size of the first read: a page of the default length needs only one. */
const FIRST_READ = 25
/** Size of the first read of lists whose records contain a recipe or a row. */
export const FIRST_LARGE = 5

/**
 * Reads until the page is full, the list ends, or the maximum of items or characters is scanned.
 * One more record is read to know whether the list ends exactly there.
 */
export async function paginate<T>({
  read,
  after,
  limit,
  firstRead = FIRST_READ,
  expected = 0,
  sizeOf,
  mostRead = MOST_READ,
  account = '',
  keep,
}: PaginateOptions<T>): Promise<Paginated<T>> {
  const items: T[] = []
  let position = after
  let [scanned, size, seen, parsed] = [0, 0, 0, 0]
  for (;;) {
    const batch = await read(
      position,
      Math.min(
        scanned === 0
          ? Math.min(firstRead, fitting(1, expected, firstRead))
          : fitting(scanned, seen, firstRead),
        keep ? SCAN : limit + 1 - items.length,
      ),
    )
    if (batch.length === 0) return { items, next: null }
    for (const positioned of batch) {
      const { unparsed = 0 } = positioned
      // An item that does not fit is not parsed.
      const isFull = items.length === limit || (!sizeOf && size + unparsed > PAGE_SIZE)
      if (!keep && items.length > 0 && isFull) return { items, next: position }
      parsed += unparsed
      if (parsed > PARSED_IN_TURN) {
        // Several lists may be read at the same time.
        await (await import('../kernel/pace.ts')).ownTurn({ account, size: parsed })
        parsed = unparsed
      }
      const { item } = positioned
      const itemSize = sizeOf
        ? sizeOf(item, PAGE_SIZE)
        : unparsed > 0
          ? unparsed
          : jsonSize(item, PAGE_SIZE)
      seen += itemSize
      if (!keep || keep(item)) {
        // One more item is read, to know whether there is a next page.
        if (items.length === limit || (items.length > 0 && size + itemSize > PAGE_SIZE))
          return { items, next: position }
        items.push(item)
        size += itemSize
      }
      position = positioned.position
    }
    scanned += batch.length
    if (scanned >= MAX_SCANNED || seen >= mostRead)
      return { items, next: (await read(position, 1)).length > 0 ? position : null }
    // Large records come from the store in turns of their own.
    if (seen > PAGE_SIZE) await (await import('../kernel/pace.ts')).nextTurn()
  }
}

/**
 * The number of records that fit a page, estimated from the records so far. It is at most a few
 * times the first read, because one request must not hold a hundred large records in memory.
 */
export function fitting(scanned: number, size: number, firstRead: number): number {
  return scanned === 0
    ? firstRead
    : Math.max(1, Math.min(4 * firstRead, Math.floor((PAGE_SIZE * scanned) / Math.max(1, size))))
}

const PAGE = 500

/**
 * Number of records per read if each may have a megabyte, such as tasks and executions with large
 * recipes. More would block the thread or exhaust its memory.
 */
export const FEW = 4

/**
 * All records of a collection, or those whose ids begin with `within`, in order. They come in pages
 * that are not empty.
 */
export async function* eachPage<T>(
  collection: Collection<T>,
  account: string,
  within: readonly KeyPart[] = [],
  size = PAGE,
): AsyncGenerator<readonly Stored<T>[], void, undefined> {
  for (let after: readonly KeyPart[] | null = null; ;) {
    const page: readonly Stored<T>[] = await collection.list(account, {
      within,
      limit: size,
      ...(after && { after }),
    })
    if (page.length > 0) yield page
    after = page.at(-1)?.id ?? null
    if (page.length < size) return
  }
}

/** The records with these ids, a few at a time. Missing records are left out. */
export async function* eachFew<T>(
  collection: Collection<T>,
  account: string,
  ids: readonly (readonly KeyPart[])[],
): AsyncGenerator<Stored<T>, void, undefined> {
  for (let position = 0; position < ids.length; position += FEW) {
    for (const record of await collection.getMany(account, ids.slice(position, position + FEW)))
      if (record) yield record
  }
}
