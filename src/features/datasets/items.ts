import type { KeyPart } from '../../kernel/key.ts'
import type { Stored } from '../../records/collection.ts'
import type { ItemRecord, ChangeKind, ItemChangeRecord, MergeRecord } from './records.ts'
import type { PositionedItem } from '../../records/paginate.ts'
import type { Records } from '../records.ts'
import { LastSeen } from './last-seen.ts'
import { jsonSize } from '../../kernel/json.ts'
import { FIRST_LARGE, PAGE_SIZE, fitting } from '../../records/paginate.ts'

/** Filter of items by state. */
export type ItemFilter = 'present' | 'gone' | 'all'

/** An item with the number of the merge that saw it last. */
export interface SeenItem {
  readonly stored: Stored<ItemRecord>
  readonly last: number
}

/** Approximate number of characters of an item as JSON. A stored text is not parsed to count it. */
export const sizeOfItem = ({ stored }: SeenItem, most: number): number =>
  stored.json?.length ?? jsonSize(stored.value, most)

type Read = (after: readonly KeyPart[] | null, count: number) => Promise<PositionedItem<SeenItem>[]>

/**
 * Returns a function that reads items by the narrowest index. Present items and all items come in
 * order of key, gone items in the order in which they went.
 */
export function readItems(
  records: Records,
  account: string,
  dataset: string,
  filter: ItemFilter,
): Read {
  const slice = (after: readonly KeyPart[] | null, limit: number) => ({
    within: [dataset],
    limit,
    ...(after && { after }),
  })
  const lastSeen = new LastSeen(records, account, dataset)
  const read: Readonly<Record<ItemFilter, Read>> = {
    async present(after, count) {
      const seen = await records.sightings.list(account, slice(after, count))
      const items = await records.items.getMany(
        account,
        seen.map(({ id }) => id),
      )
      const last = await lastSeen.of(seen.map(({ value }) => value))
      return seen.flatMap(({ value, id }, i) => {
        const item = items[i]
        return item ? [{ item: { stored: item, last: last[i] ?? value.merge }, position: id }] : []
      })
    },
    async gone(after, count) {
      const stored = await records.items.listBy('gone', account, slice(after, count))
      return stored.map(({ record, position }) => ({
        item: { stored: record, last: record.value.gone?.last ?? record.value.changed },
        position,
      }))
    },
    async all(after, count) {
      const items = await records.items.list(account, slice(after, count))
      const seen = (
        await records.sightings.getMany(
          account,
          items.map(({ id }) => id),
        )
      ).flatMap((sighting) => (sighting ? [sighting.value] : []))
      const merges = await lastSeen.of(seen)
      const last = new Map(seen.map(({ key }, i) => [key, merges[i]]))
      return items.map((stored) => ({
        item: {
          stored,
          // Values are parsed one by one when they are needed, because parsing many values of a
          // megabyte at once takes long.
          get last() {
            const { gone, key, changed } = stored.value
            return gone?.last ?? last.get(key) ?? changed
          },
        },
        position: stored.id,
      }))
    },
  }
  return read[filter]
}

/** A part of the feed of changes. */
interface ReadChanges {
  readonly changes: readonly ItemChangeRecord[]
  /**
   * Sequence number to continue after: that of the last change read, even if its kind was not
   * requested.
   */
  readonly next: number
  /** True if no change is stored beyond `next`, of any kind. */
  readonly isEnd: boolean
}

/**
 * Limit on the changes read for one part. Without it, one request for a rare kind could walk the
 * whole feed. The part is then shorter.
 */
const MAX_SCANNED = 5_000
const SCAN = 250

/**
 * Reads changes after a sequence number, or in `reverse` those before it. Returns up to `limit`
 * changes of the requested kinds, and fewer if they are large.
 */
export async function readChanges(
  records: Records,
  account: string,
  dataset: string,
  after: number,
  limit: number,
  kinds: ReadonlySet<ChangeKind> | null,
  reverse = false,
): Promise<ReadChanges> {
  const changes: ItemChangeRecord[] = []
  let [next, scanned, size, seen] = [after, 0, 0, 0]
  while (scanned < MAX_SCANNED) {
    const count = Math.min(
      fitting(scanned, seen, FIRST_LARGE),
      kinds ? SCAN : limit - changes.length,
    )
    const stored = await records.itemChanges.list(account, {
      within: [dataset],
      ...(reverse ? { before: [dataset, next], reverse } : { after: [dataset, next] }),
      limit: count,
    })
    for (const { value } of stored) {
      const valueSize = jsonSize(value, PAGE_SIZE)
      seen += valueSize
      if (!kinds || kinds.has(value.kind)) {
        if (changes.length > 0 && size + valueSize > PAGE_SIZE)
          return { changes, next, isEnd: false }
        changes.push(value)
        size += valueSize
      }
      next = value.sequence
      if (changes.length === limit) return { changes, next, isEnd: false }
    }
    if (stored.length < count) return { changes, next, isEnd: true }
    scanned += stored.length
  }
  return { changes, next, isEnd: false }
}

/** Finds the execution behind a merge's number, and when it ended. Each merge is read once. */
export class MergeLog {
  readonly #records: Records
  readonly #account: string
  readonly #dataset: string
  readonly #known = new Map<number, MergeRecord>()

  constructor(records: Records, account: string, dataset: string) {
    this.#records = records
    this.#account = account
    this.#dataset = dataset
  }

  /** Reads the merges that are not known yet, in one round trip. */
  async learn(numbers: Iterable<number>): Promise<void> {
    const unknown = [...new Set(numbers)].filter((number) => !this.#known.has(number))
    const stored = await this.#records.merges.getMany(
      this.#account,
      unknown.map((number) => [this.#dataset, number]),
    )
    for (const merge of stored) if (merge) this.#known.set(merge.value.number, merge.value)
  }

  /** @throws if the merge was not read before */
  of(number: number): MergeRecord {
    const merge = this.#known.get(number)
    if (!merge) throw new Error(`Dataset ${this.#dataset} has no merge ${number}`)
    return merge
  }
}
