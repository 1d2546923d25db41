import { DIGEST_LENGTH } from '../../kernel/crypto.ts'
import type { Digest } from '../../kernel/crypto.ts'
import type { Json, Row } from '../../kernel/json.ts'
import type {
  ItemChangeRecord,
  ItemRecord,
  MergeCounts,
  MergeCursor,
  SightingRecord,
} from './records.ts'
import { NO_COUNTS } from './dataset.ts'
import { itemKeyOf, keyValuesOf } from './item-key.ts'

/** A row with its key. */
export interface KeyedRow {
  readonly key: string
  readonly keyValues: readonly Json[]
  readonly row: Row
}

/** A change without its place in the feed. */
export type UnnumberedChange = Omit<ItemChangeRecord, 'sequence'>

/** What a batch of rows does to the items of a dataset. */
export interface MergedRows {
  readonly counts: MergeCounts
  /** Items that are new or to be replaced. */
  readonly items: readonly ItemRecord[]
  readonly sightings: readonly SightingRecord[]
  /** Slots of items that are as they were. */
  readonly seen: readonly number[]
  /** Slots given so far. */
  readonly slots: number
  readonly changes: readonly UnnumberedChange[]
}

/** The rows of a batch that count, one a key: of rows with the same key the last one. */
export function keyRows(
  rows: readonly Row[],
  keyFields: readonly string[],
  digest: Digest,
): { readonly keyed: readonly KeyedRow[]; readonly skipped: number; readonly duplicate: number } {
  const byKey = new Map<string, KeyedRow>()
  let skipped = 0
  for (const row of rows) {
    const keyValues = keyValuesOf(row, keyFields)
    if (!keyValues) {
      skipped++
      continue
    }
    const key = itemKeyOf(keyValues, digest)
    byKey.delete(key)
    byKey.set(key, { key, keyValues, row })
  }
  return { keyed: [...byKey.values()], skipped, duplicate: rows.length - skipped - byKey.size }
}

/**
 * A row as it was last seen, columns and values alike: equal digests make a look at the values
 * needless. Pages of strangers make the rows, so nobody may find two with one digest. Digests of
 * earlier versions were shorter, and equal none of these: such an item is looked at once more, and
 * its sighting is written anew.
 */
export function digestOf(row: Row, digest: Digest): string {
  return digest(JSON.stringify(row)).slice(0, DIGEST_LENGTH)
}

/** Whether a row is as its item's last sighting had it, so that the item itself need not be read. */
export function isAsSeen(sighting: SightingRecord, digest: string, { task }: MergeCursor): boolean {
  return sighting.digest === digest && sighting.task === task
}

/** What merging needs to know of each row's item. */
export interface KnownItem extends KeyedRow {
  readonly digest: string
  readonly sighting: SightingRecord | null
  /** Whether this very merge has had it before. */
  readonly met: boolean
  /** `null` where there is none, or where `met` or {@link isAsSeen} made it needless. */
  readonly item: ItemRecord | null
}

/** Works out what rows of one merge change, one row a key. `given`: slots given so far. */
export function mergeRows(
  dataset: string,
  merge: MergeCursor,
  known: readonly KnownItem[],
  given: number,
): MergedRows {
  const { number, task, at } = merge
  const counts = { ...NO_COUNTS }
  const items: ItemRecord[] = []
  const sightings: SightingRecord[] = []
  const seen: number[] = []
  let slots = given
  const changes: UnnumberedChange[] = []
  for (const { key, keyValues, row, digest, sighting, met, item } of known) {
    if (met) {
      // The run is read backwards: what has been met in this merge came later in the run, and
      // counts.
      counts.duplicate++
      continue
    }
    if (sighting && isAsSeen(sighting, digest, merge)) {
      seen.push(sighting.slot)
      counts.unchanged++
      continue
    }
    sightings.push({
      dataset,
      key,
      slot: sighting?.slot ?? item?.gone?.slot ?? slots++,
      merge: number,
      task,
      digest,
    })
    const { values, fields } = mergeValues(item?.values ?? {}, row)
    const differs = Object.keys(fields).length > 0
    const kind = !item ? 'added' : item.gone ? 'returned' : differs ? 'changed' : 'unchanged'
    counts[kind]++
    if (kind !== 'unchanged')
      changes.push({ dataset, kind, key, keyValues, merge: number, at, fields })
    else if (item?.task === task) continue
    items.push({
      dataset,
      key,
      values,
      task,
      first: item?.first ?? number,
      changed: kind === 'unchanged' ? (item?.changed ?? number) : number,
      gone: null,
    })
  }
  return { counts, items, sightings, seen, slots, changes }
}

/** An item that a merge has not seen, and when it was seen last. */
export interface MissedItem {
  readonly item: ItemRecord
  readonly last: number
  readonly slot: number
}

/** Marks items as gone that a merge has not seen. */
export function mergeGone(
  merge: MergeCursor,
  items: readonly MissedItem[],
  keyFields: readonly string[],
): { readonly items: readonly ItemRecord[]; readonly changes: readonly UnnumberedChange[] } {
  const { number, at } = merge
  return {
    items: items.map(({ item, last, slot }) => ({ ...item, gone: { at, last, slot } })),
    changes: items.map(({ item: { dataset, key, values } }) => ({
      dataset,
      kind: 'gone',
      key,
      keyValues: keyFields.map((field) => values[field] ?? null),
      merge: number,
      at,
      fields: {},
    })),
  }
}

/** Adds up what was counted. */
export function addCounts(a: MergeCounts, b: Partial<MergeCounts>): MergeCounts {
  const { added, changed, returned, unchanged, duplicate, skipped, gone } = { ...NO_COUNTS, ...b }
  return {
    added: a.added + added,
    changed: a.changed + changed,
    returned: a.returned + returned,
    unchanged: a.unchanged + unchanged,
    duplicate: a.duplicate + duplicate,
    skipped: a.skipped + skipped,
    gone: a.gone + gone,
  }
}

/**
 * A row over the values so far: it says nothing about columns that it does not have, and `null`
 * where it found nothing.
 */
function mergeValues(
  old: Row,
  row: Row,
): { readonly values: Row; readonly fields: ItemChangeRecord['fields'] } {
  const values = new Map<string, Json>(Object.entries(old))
  const fields = new Map<string, readonly [Json, Json]>()
  for (const [column, after] of Object.entries(row)) {
    const before = values.get(column) ?? null
    if (!isSame(before, after)) fields.set(column, [before, after])
    if (after === null) values.delete(column)
    else values.set(column, after)
  }
  return { values: Object.fromEntries(values), fields: Object.fromEntries(fields) }
}

function isSame(a: Json, b: Json): boolean {
  return (
    a === b ||
    (typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b))
  )
}
