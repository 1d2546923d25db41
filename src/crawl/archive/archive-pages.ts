import { joined } from '../../kernel/bytes.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { Change } from '../../records/change.ts'
import { cacheBlob, pagesBlob } from '../../features/executions/page-records.ts'
import type { CachedPageRecord, KeptPageRecord } from '../../features/executions/page-records.ts'
import type { ProgressRecord, VisitRecord } from '../../features/executions/records.ts'
import { putSwept } from '../commit/late-sweep.ts'
import type { SweptExecution } from '../commit/late-sweep.ts'
import type { VisitOutcome } from '../visit/outcome.ts'
import type { PackedFetch } from '../../features/executions/pack-page.ts'

/** The pages of a run to archive, and which executions may read them. */
export interface ArchivePolicy {
  /** True if the pages are stored as long as the execution. */
  readonly keeps: boolean
  /** Later executions of the account may read the pages for a while; `null`: they may not. */
  readonly cache: { readonly settings: string; readonly maxAgeMs: number } | null
  /** Maximum number of bytes of one execution. */
  readonly maxBytes: number
}

/** The archived pages of one commit: one blob with their bytes, and the position of each page in it. */
export interface ArchivedPages {
  readonly blob: string
  readonly bytes: Uint8Array
  readonly kept: readonly KeptPageRecord[]
  readonly cached: readonly CachedPageRecord[]
  /** Counters after this commit. */
  readonly counts: Pick<ProgressRecord, 'kept' | 'cachedBytes'>
}

/**
 * Computes what a commit archives, within the byte limit. Pages with the outcome `fetched` are kept
 * and cached. Pages from the cache are kept but not cached again. A page that is kept is not stored
 * a second time for the cache. Pure.
 */
export function archivePages(
  outcomes: readonly VisitOutcome[],
  visits: readonly VisitRecord[],
  { keeps, cache, maxBytes }: ArchivePolicy,
  { execution, kept: before = { pages: 0, bytes: 0, omitted: 0 }, cachedBytes = 0 }: ProgressRecord,
  commit: string,
): ArchivedPages | null {
  if (!keeps && cache === null) return null
  const bySeq = new Map(outcomes.map((page) => [page.entry.seq, page]))
  const blob = keeps ? pagesBlob(execution, commit) : cacheBlob(execution, commit)
  const room = maxBytes - (keeps ? before.bytes : cachedBytes)
  const records: KeptPageRecord[] = []
  const cached: CachedPageRecord[] = []
  const parts: Uint8Array[] = []
  let [offset, omitted] = [0, 0]
  for (const { seq, outcome } of visits) {
    const { entry, kept: page, cached: isFromCache } = bySeq.get(seq) ?? {}
    const isFetched = outcome === 'fetched'
    const isKeptAgain = keeps && outcome === 'unchanged' && isFromCache === true
    if (!entry || !page || !(isFetched || isKeptAgain)) continue
    const { length } = page.body
    if (offset + length > room) {
      omitted++
      continue
    }
    const slice = { blob, offset, length }
    if (keeps)
      records.push({
        ...entry,
        number: before.pages + records.length,
        ...facts(page),
        at: page.at,
        ...slice,
      })
    if (cache && isFetched)
      cached.push({
        settings: cache.settings,
        url: entry.url,
        ...facts(page),
        at: page.at,
        rendered: page.rendered,
        ...slice,
      })
    parts.push(page.body)
    offset += length
  }
  return {
    blob,
    bytes: joined(parts, offset),
    kept: records,
    cached,
    counts: {
      ...(keeps && {
        kept: {
          pages: before.pages + records.length,
          bytes: before.bytes + offset,
          omitted: before.omitted + omitted,
        },
      }),
      ...(cache && { cachedBytes: cachedBytes + (keeps ? 0 : offset) }),
    },
  }
}

function facts({
  url,
  status,
  contentType,
}: PackedFetch): Pick<KeptPageRecord, 'finalUrl' | 'status' | 'contentType'> {
  return { finalUrl: url, status, contentType }
}

/**
 * Writes the blob of archived pages, and adds their records to the commit. The blob has a fresh
 * name: if the commit fails, only an orphaned blob remains.
 */
export async function addArchived(
  change: Change,
  { blob, bytes, kept, cached }: ArchivedPages,
  {
    maxAgeMs,
    ...target
  }: SweptExecution & {
    readonly blobs: Blobs
    /** How long cached pages may be reused, in ms. */
    readonly maxAgeMs: number
  },
): Promise<void> {
  if (kept.length + cached.length === 0) return
  const { records, account, execution } = target
  await putSwept(target, { name: blob, bytes })
  for (const page of kept) records.keptPages.put(change, account, page)
  // A blob with only cached pages is deleted when the last of them has expired.
  if (kept.length === 0)
    records.cacheBlobs.put(
      change,
      account,
      { execution, blob },
      Math.max(...cached.map(({ at }) => at)) + maxAgeMs,
    )
  for (const page of cached) records.cachedPages.put(change, account, page, page.at + maxAgeMs)
}
