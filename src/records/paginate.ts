import { jsonSize } from '../kernel/json.ts'
import type { KeyPart } from '../kernel/key.ts'
import type { Collection, Stored } from './collection.ts'

/** An item with the position that the next page starts after. */
export interface Placed<T> {
  readonly item: T
  readonly position: readonly KeyPart[]
}

/** How to read one page of a list. */
export interface PaginateOptions<T> {
  /** The next `count` items after a position, or from the start; none means that the list has ended. */
  readonly read: (after: readonly KeyPart[] | null, count: number) => Promise<readonly Placed<T>[]>
  readonly after: readonly KeyPart[] | null
  readonly limit: number
  /**
   * Records that are read at once before it is known how large they are. Default 25; fewer where
   * one may be a megabyte.
   */
  readonly firstRead?: number
  /** Items that it refuses are passed over. */
  readonly keep?: (item: T) => boolean
}

/** One page, with the position to go on from; `null` at the end of the list. */
export interface Paginated<T> {
  readonly items: readonly T[]
  readonly next: readonly KeyPart[] | null
}

/**
 * A filter that matches little must not turn one request into a walk over everything: such a page
 * comes back short, with a cursor.
 */
const MAX_SCANNED = 5_000
const SCAN = 250

/**
 * Characters of one page, as JSON: one that comes to more ends early, with a cursor, but never
 * without an item. Exports have no such end, as they are streams.
 */
export const PAGE_SIZE = 2_000_000
/** A page of the usual length is read in one go. */
const FIRST_READ = 25
/** The first read of lists whose records hold a recipe or a row. */
export const FIRST_LARGE = 5

/**
 * Reads until the page is full, as many items or as large as it may be, the list ends, or enough
 * was looked at.
 */
export async function paginate<T>({
  read,
  after,
  limit,
  firstRead = FIRST_READ,
  keep,
}: PaginateOptions<T>): Promise<Paginated<T>> {
  const items: T[] = []
  let position = after
  let [scanned, size, seen] = [0, 0, 0]
  for (;;) {
    const batch = await read(
      position,
      Math.min(fitting(scanned, seen, firstRead), keep ? SCAN : limit + 1 - items.length),
    )
    if (batch.length === 0) return { items, next: null }
    for (const placed of batch) {
      const own = jsonSize(placed.item, PAGE_SIZE)
      seen += own
      if (!keep || keep(placed.item)) {
        // Only a further item shows that there is a further page.
        if (items.length === limit || (items.length > 0 && size + own > PAGE_SIZE))
          return { items, next: position }
        items.push(placed.item)
        size += own
      }
      position = placed.position
    }
    scanned += batch.length
    if (scanned >= MAX_SCANNED) return { items, next: position }
  }
}

/**
 * As many records as fit a page, by what those before came to, and a few times the first read: one
 * request does not hold a hundred large records.
 */
export function fitting(scanned: number, size: number, firstRead: number): number {
  return scanned === 0
    ? firstRead
    : Math.max(1, Math.min(4 * firstRead, Math.floor((PAGE_SIZE * scanned) / Math.max(1, size))))
}

const PAGE = 500

/**
 * Records that are read at once where each may have a megabyte, as tasks and executions may with
 * their recipes: more of them would hold the thread for long, or take all of its memory.
 */
export const FEW = 4

/**
 * All records of a collection, or those whose ids begin with `within`, in their order and in pages;
 * none is empty.
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

/**
 * The records of a collection that have these ids, a few at a time; those that are missing are left
 * out.
 */
export async function* eachFew<T>(
  collection: Collection<T>,
  account: string,
  ids: readonly (readonly KeyPart[])[],
): AsyncGenerator<Stored<T>, void, undefined> {
  for (let at = 0; at < ids.length; at += FEW) {
    for (const record of await collection.getMany(account, ids.slice(at, at + FEW)))
      if (record) yield record
  }
}
