import { EgressError } from '../../engine/egress/types.ts'
import type { Egress, EgressResponse } from '../../engine/egress/types.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Records } from '../../features/records.ts'
import type { FrontierRecord, Reason } from '../../features/executions/records.ts'
import type { Journal } from '../commit/journal.ts'
import { emptyOutcome } from '../visit/outcome.ts'
import type { PageOutcome } from '../visit/outcome.ts'
import { revisit, StoredPages } from './stored-pages.ts'
import type { PageSource, VisitOver } from './stored-pages.ts'
import { retryFailures } from '../../records/retry.ts'

/** Pages of one commit. */
const BATCH = 500
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
export class KeptSource implements PageSource {
  readonly #options: KeptSourceOptions
  readonly #pages = new StoredPages((name) => this.#readBlob(name))

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

  /** All pages of the run are kept ones. */
  has(): boolean {
    return true
  }

  /** Links lead nowhere: the run has all pages that there are. */
  async visit(entry: FrontierRecord, visit: VisitOver): Promise<PageOutcome> {
    const response = await this.#read(entry)
    if (!response) return emptyOutcome(entry, 'failed', GONE)
    const page = await revisit(response, visit, {
      code: 'kept_page',
      message: `Read from the pages that execution ${this.#options.execution} kept; nothing was fetched`,
    })
    return page.outcome === 'unchanged' ? { ...page, links: [] } : page
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
    return kept?.url === entry.url ? this.#pages.read(kept) : null
  }

  /** A store that is away for a moment is no reason to call a page gone. */
  #readBlob(name: string): Promise<Uint8Array | null> {
    const { blobs, clock } = this.#options
    return retryFailures(clock, () => blobs.get(name))
  }
}
