import { joined } from '../kernel/bytes.ts'
import type { CachedPageRecord } from '../records/page-cache-records.ts'
import type { VisitRecord } from '../records/types.ts'
import type { Keeping } from './keep-pages.ts'
import type { PageOutcome } from './outcome.ts'

/** What one commit leaves for later executions. */
export interface Caching {
  readonly pages: readonly CachedPageRecord[]
  /**
   * The bytes of these pages, one after the other; none where they are kept with the execution
   * anyway.
   */
  readonly bytes: Uint8Array
  /** Of all such blobs of the execution. */
  readonly total: number
}

/**
 * Works out which pages of a commit may be read again: those that the receipt calls fetched, as far
 * as `maxBytes` reach. Pure.
 */
export function cachePages(
  outcomes: readonly PageOutcome[],
  visits: readonly VisitRecord[],
  settings: string,
  keeping: Keeping | null,
  before: number,
  blob: string,
  maxBytes: number,
): Caching {
  const fetched = new Set(
    visits.flatMap(({ seq, outcome }) => (outcome === 'fetched' ? [seq] : [])),
  )
  const places = keeping && new Map(keeping.pages.map((page) => [page.seq, page]))
  const pages: CachedPageRecord[] = []
  const parts: Uint8Array[] = []
  let end = 0
  for (const { entry, kept } of outcomes) {
    if (!kept || !fetched.has(entry.seq)) continue
    const { body, url: finalUrl, status, contentType, at, rendered } = kept
    const page = { settings, url: entry.url, finalUrl, status, contentType, at, rendered }
    if (places) {
      const place = places.get(entry.seq)
      if (place)
        pages.push({ ...page, blob: place.blob, offset: place.offset, length: place.length })
    } else if (before + end + body.length <= maxBytes) {
      pages.push({ ...page, blob, offset: end, length: body.length })
      parts.push(body)
      end += body.length
    }
  }
  return { pages, bytes: joined(parts, end), total: before + end }
}
