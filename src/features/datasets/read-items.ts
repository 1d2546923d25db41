import type { KeyPart } from '../../kernel/key.ts'
import type { Stored } from '../../records/collection.ts'
import type { ItemRecord } from '../../records/dataset-records.ts'
import type { Placed } from '../../records/paginate.ts'
import type { Records } from '../../records/records.ts'
import { LastSeen } from './last-seen.ts'

/** Which items are meant. */
export type ItemFilter = 'present' | 'gone' | 'all'

/** An item with the number of the merge that saw it last. */
export interface SeenItem {
  readonly stored: Stored<ItemRecord>
  readonly last: number
}

type Read = (after: readonly KeyPart[] | null, count: number) => Promise<Placed<SeenItem>[]>

/**
 * Reads items by the narrowest way there is: present ones and all in the order of their keys, gone
 * ones in the order of their going.
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
      const found = await records.items.listBy('gone', account, slice(after, count))
      return found.map(({ record, position }) => ({
        item: { stored: record, last: record.value.gone?.last ?? record.value.changed },
        position,
      }))
    },
    async all(after, count) {
      const found = await records.items.list(account, slice(after, count))
      const seen = (
        await records.sightings.getMany(
          account,
          found.map(({ id }) => id),
        )
      ).flatMap((sighting) => (sighting ? [sighting.value] : []))
      const merges = await lastSeen.of(seen)
      const last = new Map(seen.map(({ key }, i) => [key, merges[i]]))
      return found.map((stored) => {
        const { gone, key, changed } = stored.value
        return {
          item: { stored, last: gone?.last ?? last.get(key) ?? changed },
          position: stored.id,
        }
      })
    },
  }
  return read[filter]
}
