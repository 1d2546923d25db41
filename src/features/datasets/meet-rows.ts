import type { Digest } from '../../kernel/crypto.ts'
import { Pace } from '../../kernel/pace.ts'
import type { Stored } from '../../records/collection.ts'
import type { Records } from '../records.ts'
import { oldItemKeyOf } from './item-key.ts'
import { digestOf, isAsSeen, mergeRows } from './merge-rows.ts'
import type { KeyedRow, KnownItem, MergedRows } from './merge-rows.ts'
import type { DatasetRecord, ItemRecord, MergeCursor, SightingRecord } from './records.ts'

/** Rows of a merge, and the dataset that gets them. */
export interface RowsToMeet {
  readonly account: string
  readonly dataset: DatasetRecord
  readonly merge: MergeCursor
  /** Number of slots assigned so far. */
  readonly slots: number
  /** One row a key. */
  readonly keyed: readonly KeyedRow[]
  /** True if this merge has already seen an item. */
  isMet(sighting: SightingRecord): boolean
}

/** The changes that rows make, and the earlier state of the changed items. */
export interface MetRows {
  readonly merged: MergedRows
  readonly old: ReadonlyMap<string, Stored<ItemRecord>>
}

/** Reads the items that rows may change, and computes the changes. Nothing is written. */
export async function meetRows(
  { records, digest }: { readonly records: Records; readonly digest: Digest },
  { account, dataset, merge, slots, keyed: newlyKeyed, isMet }: RowsToMeet,
): Promise<MetRows> {
  const keyed =
    dataset.keyDigest === undefined
      ? await underOldKeys(records, account, dataset, newlyKeyed)
      : newlyKeyed
  const ids = keyed.map(({ key }) => [dataset.id, key])
  const sightings = await records.sightings.getMany(account, ids)
  const pace = new Pace()
  const digested: Omit<KnownItem, 'item'>[] = []
  for (const [i, row] of keyed.entries()) {
    const sighting = sightings[i]?.value ?? null
    digested.push({
      ...row,
      digest: digestOf(row.row, digest),
      sighting,
      met: sighting !== null && isMet(sighting),
    })
    const rest = pace.step()
    if (rest) await rest
  }
  const unsure = digested.filter(
    ({ sighting, met, digest: own }) => !met && (!sighting || !isAsSeen(sighting, own, merge)),
  )
  const items = await records.items.getMany(
    account,
    unsure.map(({ key }) => [dataset.id, key]),
  )
  const old = new Map<string, Stored<ItemRecord>>()
  for (const item of items) {
    // Parsed here.
    if (item) old.set(item.value.key, item)
    const rest = pace.step()
    if (rest) await rest
  }
  const merged = mergeRows(
    dataset.id,
    merge,
    digested.map((row) => ({ ...row, item: old.get(row.key)?.value ?? null })),
    slots,
  )
  await pace.step()
  return { merged, old }
}

/**
 * Replaces the keys of rows by the old keys of their items, if an earlier version made these. An
 * item keeps its key, because the API and the feed of changes identify it by the key.
 */
async function underOldKeys(
  records: Records,
  account: string,
  { id, keyFields }: DatasetRecord,
  keyed: readonly KeyedRow[],
): Promise<KeyedRow[]> {
  const long = keyed.flatMap((row) => {
    const old = oldItemKeyOf(row.keyValues)
    return old === null ? [] : [{ row, old }]
  })
  const items =
    long.length > 0
      ? await records.items.getMany(
          account,
          long.map(({ old }) => [id, old]),
        )
      : []
  const oldKeys = new Map<KeyedRow, string>()
  for (const [i, { row, old }] of long.entries()) {
    const values = items[i]?.value.values
    if (
      values &&
      JSON.stringify(keyFields.map((field) => values[field])) === JSON.stringify(row.keyValues)
    )
      oldKeys.set(row, old)
  }
  return keyed.map((row) => ({ ...row, key: oldKeys.get(row) ?? row.key }))
}
