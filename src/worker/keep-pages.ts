import { joined } from '../kernel/bytes.ts'
import type { KeptPageRecord } from '../records/kept-page-records.ts'
import type { KeptCounts, VisitRecord } from '../records/types.ts'
import type { PageOutcome } from './outcome.ts'

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
