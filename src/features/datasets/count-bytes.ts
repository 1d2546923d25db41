import type { Change } from '../../records/change.ts'
import type { Stored } from '../../records/collection.ts'
import type { Records } from '../records.ts'
import type { ItemChangeRecord, ItemRecord } from './records.ts'

const encoder = new TextEncoder()

/**
 * Bytes of an item or a change as it is stored: its JSON in UTF-8, without the member that contains
 * this number.
 */
export function bytesOf(record: ItemRecord | ItemChangeRecord): number {
  return encoder.encode(JSON.stringify({ ...record, bytes: undefined })).length
}

/**
 * Bytes that were counted for a record. A record of an earlier version is counted when it is next
 * written.
 */
export function countedBytes(record: Stored<ItemRecord | ItemChangeRecord> | undefined): number {
  return record?.value.bytes ?? 0
}

/**
 * Adds an item to a commit, and its additional bytes to the account's counter.
 *
 * @returns the bytes that were added
 */
export function putItem(
  records: Records,
  change: Change,
  account: string,
  old: Stored<ItemRecord> | undefined,
  item: ItemRecord,
): number {
  const bytes = bytesOf(item)
  const counted = { ...item, bytes }
  if (old) records.items.update(change, account, old, counted)
  else records.items.insert(change, account, counted)
  return add(records, change, account, bytes - countedBytes(old))
}

/** Same as {@link putItem}, for a change. Changes are written once. */
export function putChange(
  records: Records,
  change: Change,
  account: string,
  itemChange: ItemChangeRecord,
): number {
  const bytes = bytesOf(itemChange)
  records.itemChanges.put(change, account, { ...itemChange, bytes })
  return add(records, change, account, bytes)
}

/** Removes an item in a commit, and subtracts its bytes from the counter. */
export function removeItem(
  records: Records,
  change: Change,
  account: string,
  old: Stored<ItemRecord>,
): void {
  records.items.remove(change, account, old)
  add(records, change, account, -countedBytes(old))
}

/**
 * Removes a change in a commit, and subtracts its bytes from the counter. The commit fails if the
 * change was removed before.
 */
export function removeChange(
  records: Records,
  change: Change,
  account: string,
  old: Stored<ItemChangeRecord>,
): void {
  records.itemChanges.require(change, account, old)
  records.itemChanges.drop(change, account, ...old.id)
  add(records, change, account, -countedBytes(old))
}

function add(records: Records, change: Change, account: string, bytes: number): number {
  if (bytes !== 0) records.storedBytes.add(change, account, bytes)
  return bytes
}
