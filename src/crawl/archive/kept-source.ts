import { EgressError } from '../../engine/egress/types.ts'
import type { Egress } from '../../engine/egress/types.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Records } from '../../features/records.ts'
import type { KeptPageRecord } from '../../features/executions/page-records.ts'
import type { FrontierRecord, Reason } from '../../features/executions/records.ts'
import type { Journal } from '../commit/journal.ts'
import { emptyOutcome } from '../visit/outcome.ts'
import type { VisitOutcome } from '../visit/outcome.ts'
import { StoredPages } from '../../features/executions/stored-pages.ts'
import { revisit } from './page-source.ts'
import type { PageSource, VisitOver } from './page-source.ts'
import { retryFailures } from '../../records/retry.ts'

/** Pages added in one commit. */
const BATCH = 500
const GONE: Reason = { code: 'page_not_kept', message: 'The kept page no longer exists' }

/** Dependencies of {@link KeptSource}. */
export interface KeptSourceOptions {
  readonly records: Records
  readonly blobs: Blobs
  readonly clock: Clock
  readonly account: string
  /** The execution whose pages are read. */
  readonly execution: string
}

/**
 * A run over kept pages sends no requests. An attempt, for example to fetch media of a page, fails
 * with this error.
 */
const NO_REQUESTS: Egress = () =>
  Promise.reject(new EgressError('refused', 'A run over kept pages sends no requests'))

/** Overrides for a run over kept pages: no web access, no helpers. */
export const WITHOUT_WEB = { egress: NO_REQUESTS, share: 1 } as const

/**
 * Kept pages of one execution, as the source of another. Page number n is the n-th URL in the page
 * report of the first.
 */
export class KeptSource implements PageSource {
  readonly #options: KeptSourceOptions
  readonly #pages = new StoredPages((name) => this.#readBlob(name))

  constructor(options: KeptSourceOptions) {
    this.#options = options
  }

  /**
   * Adds the pages to the frontier, in the order in which they were kept. If a crash or the signal
   * stops a call, the next one continues.
   */
  async seed(journal: Journal, signal: AbortSignal): Promise<Reason | null> {
    const { records, account, execution } = this.#options
    if (journal.progress.seeded) return null
    for (;;) {
      const keptPages = await records.keptPages.list(account, {
        within: [execution],
        after: [execution, journal.progress.discovered - 1],
        limit: BATCH,
      })
      if (keptPages.length === 0) break
      if (signal.aborted) return null
      await journal.write({
        seeds: keptPages.map(({ value: { url, label, depth, hop, foundOn, carried } }) => ({
          url,
          label,
          depth,
          hop,
          ...(foundOn !== undefined && { foundOn }),
          ...(carried && { carried }),
        })),
      })
    }
    // An execution is deleted before its pages are. If it still exists now, the list of pages was
    // complete.
    if (!(await records.executions.get(account, execution)))
      return {
        code: 'pages_not_kept',
        message: `The pages of execution ${execution} are no longer kept`,
      }
    await journal.write({ seeded: true })
    return null
  }

  /** Always true, because a run over kept pages has no other pages. */
  has(): boolean {
    return true
  }

  /** Links are not followed: the frontier already has every page. */
  async visit(entry: FrontierRecord, visit: VisitOver): Promise<VisitOutcome> {
    const record = await this.#record(entry)
    const response = record && (await this.#pages.read(record))
    if (!response) return emptyOutcome(entry, 'failed', GONE)
    const page = await revisit(
      response,
      visit,
      {
        code: 'kept_page',
        message: `Read from the pages that execution ${this.#options.execution} kept; nothing was fetched`,
      },
      record.at ?? null,
    )
    return page.outcome === 'unchanged' ? { ...page, links: [] } : page
  }

  /** Returns the egress function that serves one kept page. */
  egressFor(entry: FrontierRecord): Egress {
    return async () => {
      const record = await this.#record(entry)
      const response = record && (await this.#pages.read(record))
      if (!response) throw new EgressError('refused', GONE.message)
      return response
    }
  }

  async #record(entry: FrontierRecord): Promise<KeptPageRecord | null> {
    const { records, account, execution } = this.#options
    const record = (await records.keptPages.get(account, execution, entry.seq))?.value
    return record?.url === entry.url ? record : null
  }

  /** Retries while the store is unavailable: a temporary error does not mean that the page is gone. */
  #readBlob(name: string): Promise<Uint8Array | null> {
    const { blobs, clock } = this.#options
    return retryFailures(clock, () => blobs.get(name))
  }
}
