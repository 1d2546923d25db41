import { EgressError } from '../../engine/egress/types.ts'
import type { Egress, EgressResponse } from '../../engine/egress/types.ts'
import type { StoredPage } from '../../features/executions/page-records.ts'
import type { FrontierRecord, Reason } from '../../features/executions/records.ts'
import type { PageOutcome } from '../visit/outcome.ts'
import { unpackBody } from '../visit/pack-page.ts'

/** Visits a page with `egress` in place of the web. */
export type VisitOver = (egress: Egress) => Promise<PageOutcome>

/** Stored pages that a run reads instead of asking their hosts. */
export interface PageSource {
  /** True if the page is read from here. Then its host is not asked. */
  has(entry: FrontierRecord): boolean
  /** Returns the result of `visit` for the stored page. `null`: the page must be fetched. */
  visit(entry: FrontierRecord, visit: VisitOver): Promise<PageOutcome | null>
}

/** Number of blobs kept in memory. */
const MAX_BLOBS = 3

/**
 * Reads stored pages from their blobs. It keeps the last few blobs in memory, because pages that
 * were stored together are often read together.
 */
export class StoredPages {
  readonly #readBlob: (name: string) => Promise<Uint8Array | null>
  readonly #blobs = new Map<string, Promise<Uint8Array | null>>()

  constructor(readBlob: (name: string) => Promise<Uint8Array | null>) {
    this.#readBlob = readBlob
  }

  /** Returns the stored response. `null`: its blob is gone. */
  async read({
    finalUrl,
    status,
    contentType,
    blob,
    offset,
    length,
  }: StoredPage): Promise<EgressResponse | null> {
    const bytes = await this.#open(blob)
    if (!bytes) return null
    if (bytes.length < offset + length) throw new Error('A blob of pages is too short')
    return {
      url: finalUrl,
      status,
      headers: { 'content-type': contentType },
      body: await unpackBody(bytes.subarray(offset, offset + length)),
      truncated: false,
      redirects: [],
      durationMs: 0,
    }
  }

  /** A blob that could not be read is tried again at the next call. */
  #open(name: string): Promise<Uint8Array | null> {
    const held = this.#blobs.get(name)
    if (held) return held
    const reading = this.#readBlob(name)
    this.#blobs.set(name, reading)
    reading.catch(() => this.#blobs.delete(name))
    for (const oldest of this.#blobs.keys()) {
      if (this.#blobs.size <= MAX_BLOBS) break
      this.#blobs.delete(oldest)
    }
    return reading
  }
}

/**
 * Visits a stored page. Its outcome is `unchanged` instead of `fetched`, and it transfers no bytes.
 * `fetchedAt`: when it was requested.
 */
export async function revisit(
  response: EgressResponse,
  visit: VisitOver,
  reason: Reason,
  fetchedAt: number | null,
): Promise<PageOutcome> {
  const { kept, ...rest } = await visit(async ({ purpose }) => {
    if (purpose !== 'page') throw new EgressError('refused', 'A stored page sends no requests')
    return response
  })
  const page = {
    ...rest,
    fetchedAt,
    ...(kept && { kept: { ...kept, at: fetchedAt ?? kept.at } }),
  }
  if (page.outcome !== 'fetched') return page
  return { ...page, outcome: 'unchanged', reason: page.reason ?? reason, bytes: 0 }
}
