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
  /** True if the page is read from here, so that its host's turn is not taken. */
  has(entry: FrontierRecord): boolean
  /** Returns what `visit` makes of the stored page; `null`: the page is to be fetched. */
  visit(entry: FrontierRecord, visit: VisitOver): Promise<PageOutcome | null>
}

/** Blobs that are held. */
const MAX_BLOBS = 3

/**
 * Reads stored pages out of their blobs. It holds the last few blobs: pages that were stored
 * together are often asked for together.
 */
export class StoredPages {
  readonly #readBlob: (name: string) => Promise<Uint8Array | null>
  readonly #blobs = new Map<string, Promise<Uint8Array | null>>()

  constructor(readBlob: (name: string) => Promise<Uint8Array | null>) {
    this.#readBlob = readBlob
  }

  /** Returns the response that the page came with; `null`: its blob is gone. */
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

  /** A blob that could not be read is read again when it is next asked for. */
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

/** Visits a stored page. A page that was fetched once is `unchanged`, and no bytes were transferred. */
export async function revisit(
  response: EgressResponse,
  visit: VisitOver,
  reason: Reason,
): Promise<PageOutcome> {
  const page = await visit(async ({ purpose }) => {
    if (purpose !== 'page') throw new EgressError('refused', 'A stored page sends no requests')
    return response
  })
  if (page.outcome !== 'fetched') return page
  return { ...page, outcome: 'unchanged', reason: page.reason ?? reason, bytes: 0 }
}
