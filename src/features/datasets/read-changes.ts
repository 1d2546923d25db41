import { jsonSize } from '../../kernel/json-size.ts'
import type { ChangeKind, ItemChangeRecord } from '../../records/dataset-records.ts'
import { PAGE_SIZE } from '../../records/paginate.ts'
import type { Records } from '../../records/records.ts'

/** A part of the feed. */
export interface ReadChanges {
  readonly changes: readonly ItemChangeRecord[]
  /** Sequence number after which to go on; that of the last change looked at, wanted or not. */
  readonly next: number
}

/** A kind that is rare must not turn one request into a walk over the whole feed: such a part comes back short. */
const MAX_SCANNED = 5_000
const SCAN = 250

/** Reads changes after a sequence number, up to `limit` of the wanted kinds, and fewer where they are large. */
export async function readChanges(records: Records, account: string, dataset: string, after: number, limit: number, kinds: ReadonlySet<ChangeKind> | null): Promise<ReadChanges> {
  const changes: ItemChangeRecord[] = []
  let next = after
  let size = 0
  for (let scanned = 0; scanned < MAX_SCANNED; ) {
    const found = await records.itemChanges.list(account, { within: [dataset], after: [dataset, next], limit: kinds ? SCAN : limit })
    for (const { value } of found) {
      if (!kinds || kinds.has(value.kind)) {
        size += jsonSize(value, PAGE_SIZE)
        if (changes.length > 0 && size > PAGE_SIZE) return { changes, next }
        changes.push(value)
      }
      next = value.sequence
      if (changes.length === limit) return { changes, next }
    }
    if (found.length < SCAN) break
    scanned += found.length
  }
  return { changes, next }
}
