import { joined } from '../../kernel/bytes.ts'
import type { KeptPageRecord, CachedPageRecord } from '../../features/executions/page-records.ts'
import type { KeptCounts, VisitRecord } from '../../features/executions/records.ts'
import type { PageOutcome } from '../visit/outcome.ts'

/**
 * Bytes of one execution's kept pages, as they are stored, where a host does not set its own limit:
 * 1 GiB.
 */
export const MAX_KEPT_BYTES = 1_024 * 1_024 * 1_024

/** What one commit keeps. */
export interface Keeping {
  readonly pages: readonly KeptPageRecord[]
  /** The bytes of these pages, one after the other. */
  readonly bytes: Uint8Array
  readonly counts: KeptCounts
}

const NONE: KeptCounts = { pages: 0, bytes: 0, omitted: 0 }

/**
 * Works out what a commit keeps: pages that the receipt calls fetched, or unchanged since they were
 * cached, numbered on, as far as `maxBytes` reach. Pure.
 */
export function keepPages(
  outcomes: readonly PageOutcome[],
  visits: readonly VisitRecord[],
  before: KeptCounts = NONE,
  blob: string,
  maxBytes: number,
): Keeping {
  const found = new Map(outcomes.map((page) => [page.entry.seq, page]))
  const pages: KeptPageRecord[] = []
  const parts: Uint8Array[] = []
  let { bytes, omitted } = before
  let offset = 0
  for (const { seq, outcome } of visits) {
    const { entry, kept, cached } = found.get(seq) ?? {}
    if (!entry || !kept || (outcome !== 'fetched' && !(cached && outcome === 'unchanged'))) continue
    const { body, url: finalUrl, status, contentType } = kept
    if (bytes + body.length > maxBytes) {
      omitted++
      continue
    }
    pages.push({
      ...entry,
      number: before.pages + pages.length,
      finalUrl,
      status,
      contentType,
      blob,
      offset,
      length: body.length,
    })
    parts.push(body)
    offset += body.length
    bytes += body.length
  }
  return {
    pages,
    bytes: joined(parts, offset),
    counts: { pages: before.pages + pages.length, bytes, omitted },
  }
}

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
