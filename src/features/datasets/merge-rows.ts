import { DIGEST_LENGTH } from '../../kernel/crypto.ts'
import type { Digest } from '../../kernel/crypto.ts'
import { jsonSize } from '../../kernel/json.ts'
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
  /** Number of its page in the receipt of its execution. */
  readonly page: number
}

/** A change without its sequence number in the feed. */
export type UnnumberedChange = Omit<ItemChangeRecord, 'sequence'>

/** The effect of a batch of rows on the items of a dataset. */
export interface MergedRows {
  readonly counts: MergeCounts
  /** Items to insert or to replace. */
  readonly items: readonly ItemRecord[]
  readonly sightings: readonly SightingRecord[]
  /** Slots of items that have not changed. */
  readonly seen: readonly number[]
  /** Number of slots assigned so far. */
  readonly slots: number
  readonly changes: readonly UnnumberedChange[]
}

/** The rows of a batch to merge: for each key the last row with this key. */
export function keyRows(
  rows: readonly (readonly [page: number, row: Row])[],
  keyFields: readonly string[],
  digest: Digest,
): { readonly keyed: readonly KeyedRow[]; readonly counts: Partial<MergeCounts> } {
  const byKey = new Map<string, KeyedRow>()
  let [skipped, cut] = [0, 0]
  for (const [page, whole] of rows) {
    const keyValues = keyValuesOf(whole, keyFields)
    if (!keyValues || jsonSize(keyValues, MOST_ITEM) > MOST_ITEM) {
      skipped++
      continue
    }
    const row = fitRow(whole, keyFields)
    if (row !== whole) cut++
    const key = itemKeyOf(keyValues, digest)
    byKey.delete(key)
    byKey.set(key, { key, keyValues, row, page })
  }
  const duplicate = rows.length - skipped - byKey.size
  return { keyed: [...byKey.values()], counts: { skipped, duplicate, cut } }
}

/**
 * Digest of a row's columns and values. If it equals that of the last sighting, the values need not
 * be compared. Rows come from untrusted pages, so it must be infeasible to find two rows with the
 * same digest. Digests of earlier versions were shorter, so they equal none of these. An item with
 * such a digest is compared once, and its sighting is written again.
 */
export function digestOf(row: Row, digest: Digest): string {
  return digest(JSON.stringify(row)).slice(0, DIGEST_LENGTH)
}

/** True if a row equals its item's last sighting, so that the item need not be read. */
export function isAsSeen(sighting: SightingRecord, digest: string, { task }: MergeCursor): boolean {
  return sighting.digest === digest && sighting.task === task
}

/** The stored state of a row's item, for the merge. */
export interface KnownItem extends KeyedRow {
  readonly digest: string
  readonly sighting: SightingRecord | null
  /** True if this merge has already seen the item. */
  readonly met: boolean
  /** `null` if there is no item, or if it was not read because `met` or {@link isAsSeen} is true. */
  readonly item: ItemRecord | null
}

/**
 * Computes the changes that rows of one merge make. Each key has one row. `nextSlot`: the number of
 * slots assigned so far.
 */
export function mergeRows(
  dataset: string,
  merge: MergeCursor,
  rows: readonly KnownItem[],
  nextSlot: number,
): MergedRows {
  const { number, task, at } = merge
  const counts = { ...NO_COUNTS }
  const items: ItemRecord[] = []
  const sightings: SightingRecord[] = []
  const seen: number[] = []
  let slots = nextSlot
  const changes: UnnumberedChange[] = []
  for (const { key, keyValues, row, page, digest, sighting, met, item } of rows) {
    if (met) {
      // The run is read backwards. So if this merge has seen an item before, that row comes later
      // in the run and takes precedence.
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
    const changedBy = kind === 'unchanged' ? item?.page : page
    items.push({
      dataset,
      key,
      values,
      task,
      first: item?.first ?? number,
      changed: kind === 'unchanged' ? (item?.changed ?? number) : number,
      ...(changedBy !== undefined && { page: changedBy }),
      gone: null,
    })
  }
  return { counts, items, sightings, seen, slots, changes }
}

/** An item that a merge has not seen, with its last sighting. */
export interface MissedItem {
  readonly item: ItemRecord
  readonly last: number
  readonly slot: number
}

/** Marks items that a merge has not seen as gone. */
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

/** Adds two sets of counts. */
export function addCounts(a: MergeCounts, b: Partial<MergeCounts>): MergeCounts {
  const { added, changed, returned, unchanged, duplicate, skipped, cut, gone } = {
    ...NO_COUNTS,
    ...b,
  }
  return {
    added: a.added + added,
    changed: a.changed + changed,
    returned: a.returned + returned,
    unchanged: a.unchanged + unchanged,
    duplicate: a.duplicate + duplicate,
    skipped: a.skipped + skipped,
    cut: (a.cut ?? 0) + (cut ?? 0),
    gone: a.gone + gone,
  }
}

/**
 * Merges a row into the present values. A column that the row does not have stays unchanged. `null`
 * means that the run found no value, and removes the present value.
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
  const merged = Object.fromEntries(values)
  // Recipes change, so an item may collect the columns of many runs.
  const fitting = fitRow(merged, Object.keys(row))
  if (fitting !== merged)
    for (const column of Object.keys(merged))
      if (!Object.hasOwn(fitting, column)) fields.set(column, [merged[column] ?? null, null])
  return { values: fitting, fields: Object.fromEntries(fields) }
}

function isSame(a: Json, b: Json): boolean {
  return (
    a === b ||
    (typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b))
  )
}

/**
 * Maximum size of an item, in characters of JSON (approximately). A merge runs on the serving
 * thread, and parses, compares and writes each item in one turn.
 */
export const MOST_ITEM = 1_000_000
/** Work on a row that is too large: at most this multiple of {@link MOST_ITEM} characters is read. */
const MOST_PASSES = 2

/**
 * Leaves out columns that make a row too large for an item. It goes through the columns in order,
 * and leaves out each one that does not fit beside those before it. `first`: columns that come
 * before all others. A row that fits is returned unchanged.
 */
export function fitRow(row: Row, first: readonly string[] = []): Row {
  if (jsonSize(row, MOST_ITEM) <= MOST_ITEM) return row
  const ahead = first.filter((column) => Object.hasOwn(row, column))
  const fitting: [string, Json][] = []
  let [room, steps] = [MOST_ITEM, MOST_PASSES * MOST_ITEM]
  for (const column of new Set([...ahead, ...Object.keys(row)])) {
    const value = row[column] ?? null
    const size = column.length + 4 + jsonSize(value, room)
    steps -= Math.min(size, room)
    if (steps < 0) break
    if (size > room) continue
    room -= size
    fitting.push([column, value])
  }
  return Object.fromEntries(fitting)
}
