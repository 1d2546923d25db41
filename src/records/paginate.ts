import type { KeyPart } from '../kernel/key.ts'

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
  /** Items that it refuses are passed over. */
  readonly keep?: (item: T) => boolean
}

/** One page, with the position to go on from; `null` at the end of the list. */
export interface Paginated<T> {
  readonly items: readonly T[]
  readonly next: readonly KeyPart[] | null
}

/** A filter that matches little must not turn one request into a walk over everything: such a page comes back short, with a cursor. */
const MAX_SCANNED = 5_000
const SCAN = 250

/** Reads until the page is full, the list ends, or enough was looked at. */
export async function paginate<T>({ read, after, limit, keep }: PaginateOptions<T>): Promise<Paginated<T>> {
  const items: T[] = []
  let position = after
  for (let scanned = 0; ; ) {
    const batch = await read(position, keep ? SCAN : limit + 1 - items.length)
    if (batch.length === 0) return { items, next: null }
    for (const placed of batch) {
      if (!keep || keep(placed.item)) {
        // Only a further item shows that there is a further page.
        if (items.length === limit) return { items, next: position }
        items.push(placed.item)
      }
      position = placed.position
    }
    scanned += batch.length
    if (scanned >= MAX_SCANNED) return { items, next: position }
  }
}
