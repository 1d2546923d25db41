import { jsonSize } from '../../kernel/json.ts'
import type { ChangeKind, ItemChangeRecord } from '../../records/dataset-records.ts'
import { FIRST_LARGE, PAGE_SIZE, fitting } from '../../records/paginate.ts'
import type { Records } from '../../records/records.ts'

/** A part of the feed. */
export interface ReadChanges {
  readonly changes: readonly ItemChangeRecord[]
  /** Sequence number after which to go on; that of the last change looked at, wanted or not. */
  readonly next: number
}

/**
 * A kind that is rare must not turn one request into a walk over the whole feed: such a part comes
 * back short.
 */
const MAX_SCANNED = 5_000
const SCAN = 250

/**
 * Reads changes after a sequence number, up to `limit` of the wanted kinds, and fewer where they
 * are large.
 */
export async function readChanges(
  records: Records,
  account: string,
  dataset: string,
  after: number,
  limit: number,
  kinds: ReadonlySet<ChangeKind> | null,
): Promise<ReadChanges> {
  const changes: ItemChangeRecord[] = []
  let [next, scanned, size, seen] = [after, 0, 0, 0]
  while (scanned < MAX_SCANNED) {
    const count = Math.min(
      fitting(scanned, seen, FIRST_LARGE),
      kinds ? SCAN : limit - changes.length,
    )
    const found = await records.itemChanges.list(account, {
      within: [dataset],
      after: [dataset, next],
      limit: count,
    })
    for (const { value } of found) {
      const own = jsonSize(value, PAGE_SIZE)
      seen += own
      if (!kinds || kinds.has(value.kind)) {
        if (changes.length > 0 && size + own > PAGE_SIZE) return { changes, next }
        changes.push(value)
        size += own
      }
      next = value.sequence
      if (changes.length === limit) return { changes, next }
    }
    if (found.length < count) break
    scanned += found.length
  }
  return { changes, next }
}
