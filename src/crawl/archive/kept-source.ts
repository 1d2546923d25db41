import { EgressError } from '../../engine/egress/types.ts'
import type { Egress, EgressResponse } from '../../engine/egress/types.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Records } from '../../features/records.ts'
import type { FrontierRecord, Reason } from '../../features/executions/records.ts'
import type { Journal } from '../commit/journal.ts'
import { emptyOutcome } from '../visit/outcome.ts'
import type { PageOutcome } from '../visit/outcome.ts'
import { unpackBody } from '../visit/pack-page.ts'
import { RecentBlobs } from './recent-blobs.ts'

/** Pages of one commit. */
const BATCH = 500
const READ_TRIES = 3
const RETRY_MS = 200
const GONE: Reason = { code: 'page_not_kept', message: 'The kept page no longer exists' }

/** What {@link KeptSource} reads from. */
export interface KeptSourceOptions {
  readonly records: Records
  readonly blobs: Blobs
  readonly clock: Clock
  readonly account: string
  /** The execution that has kept the pages. */
  readonly execution: string
}

/**
 * No request leaves a run over kept pages; whoever still tries, for a file that a page shows, is
 * told so.
 */
const NO_REQUESTS: Egress = () =>
  Promise.reject(new EgressError('refused', 'Nothing is fetched where kept pages are read'))

/** What a run over kept pages does without: the web, and others' help. */
export const WITHOUT_WEB = { egress: NO_REQUESTS, share: 1 } as const

/**
 * The pages that an execution has kept, as another one reads them: the n-th URL of that one's
 * receipt is the page with the number n.
 */
export class KeptSource {
  readonly #options: KeptSourceOptions
  readonly #blobs = new RecentBlobs((name) => this.#readBlob(name))

  constructor(options: KeptSourceOptions) {
    this.#options = options
  }

  /**
   * Puts the pages into the frontier, in the order in which they were kept. Repeated after a crash
   * it goes on where it was.
   */
  async seed(journal: Journal): Promise<Reason | null> {
    const { records, account, execution } = this.#options
    if (journal.progress.seeded) return null
    for (;;) {
      const found = await records.keptPages.list(account, {
        within: [execution],
        after: [execution, journal.progress.discovered - 1],
        limit: BATCH,
      })
      if (found.length === 0) break
      await journal.write(
        [],
        found.map(({ value: { url, label, depth, hop, foundOn } }) => ({
          url,
          label,
          depth,
          hop,
          ...(foundOn !== undefined && { foundOn }),
        })),
      )
    }
    // It is deleted before its pages are: as long as it is there, these were all.
    if (!(await records.executions.get(account, execution)))
      return {
        code: 'pages_not_kept',
        message: `The pages of execution ${execution} are no longer kept`,
      }
    await journal.write([], [], true)
    return null
  }

  /**
   * What `visit` makes of a kept page, given what answers for the web: as it was, unchanged, and
   * for nothing. Links lead nowhere.
   */
  async visit(
    entry: FrontierRecord,
    visit: (egress: Egress) => Promise<PageOutcome>,
  ): Promise<PageOutcome> {
    const response = await this.#read(entry)
    if (!response) return emptyOutcome(entry, 'failed', GONE)
    const page = await visit((request) =>
      request.purpose === 'page' ? Promise.resolve(response) : NO_REQUESTS(request),
    )
    if (page.outcome !== 'fetched') return page
    return {
      ...page,
      outcome: 'unchanged',
      reason: page.reason ?? {
        code: 'kept_page',
        message: `Read from the pages that execution ${this.#options.execution} kept; nothing was fetched`,
      },
      bytes: 0,
      links: [],
    }
  }

  /** Answers for the web where one page is asked for. */
  egressFor(entry: FrontierRecord): Egress {
    return async () => {
      const response = await this.#read(entry)
      if (!response) throw new EgressError('refused', GONE.message)
      return response
    }
  }

  async #read(entry: FrontierRecord): Promise<EgressResponse | null> {
    const { records, account, execution } = this.#options
    const kept = (await records.keptPages.get(account, execution, entry.seq))?.value
    const blob = kept?.url === entry.url ? await this.#blobs.get(kept.blob) : null
    if (!kept || !blob) return null
    const body = await unpackBody(blob.subarray(kept.offset, kept.offset + kept.length))
    return {
      url: kept.finalUrl,
      status: kept.status,
      headers: { 'content-type': kept.contentType },
      body,
      truncated: false,
      redirects: [],
      durationMs: 0,
    }
  }

  /** A store that is away for a moment is no reason to call a page gone. */
  async #readBlob(name: string): Promise<Uint8Array | null> {
    const { blobs, clock } = this.#options
    for (let attempt = 1; ; attempt++) {
      try {
        return await blobs.get(name)
      } catch (error) {
        if (attempt === READ_TRIES) throw error
        await clock.sleep(RETRY_MS * attempt)
      }
    }
  }
}
