import type { EgressResponse } from '../../engine/egress/types.ts'
import { withoutSecrets } from '../../engine/egress/headers.ts'
import type { CrawlPlan } from '../../engine/plan/plan.ts'
import { sha256Hex } from '../../kernel/crypto.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { Clock } from '../../ports/clock.ts'
import { cachedPageId } from '../../features/executions/page-records.ts'
import type { CachedPageRecord } from '../../features/executions/page-records.ts'
import type { Records } from '../../features/records.ts'
import type { FrontierRecord } from '../../features/executions/records.ts'
import type { VisitOutcome } from '../visit/outcome.ts'
import { StoredPages } from '../../features/executions/stored-pages.ts'
import { revisit } from './page-source.ts'
import type { PageSource, VisitOver } from './page-source.ts'

/** Dependencies of {@link PageCache}. */
export interface PageCacheOptions {
  readonly records: Records
  readonly blobs: Blobs
  readonly clock: Clock
  readonly account: string
  readonly maxAgeMs: number
}

/**
 * Pages that the account fetched recently, for a run that may reuse them. A page that cannot be
 * read is fetched instead.
 */
export class PageCache implements PageSource {
  readonly #options: PageCacheOptions
  /** SHA-256 of the request settings, including credentials in headers. */
  readonly settings: string
  /** Cached pages of URLs that wait for their visit, by their number in the frontier. */
  readonly #cachedPages = new Map<number, CachedPageRecord>()
  readonly #rendersEmpty: boolean
  #fetched: string | null = null
  readonly #pages = new StoredPages((name) => this.#options.blobs.get(name))

  private constructor(options: PageCacheOptions, settings: string, rendersEmpty: boolean) {
    this.#options = options
    this.settings = settings
    this.#rendersEmpty = rendersEmpty
  }

  static async open(
    options: Omit<PageCacheOptions, 'maxAgeMs'>,
    { maxAgeMs, request: { headers, headersTo, render } }: CrawlPlan,
  ): Promise<PageCache | null> {
    if (maxAgeMs === 0) return null
    const named = Object.entries(headers)
      .map(([name, value]) => [name.toLowerCase(), value] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
    const isSecret = named.length > Object.keys(withoutSecrets(headers)).length
    return new PageCache(
      { ...options, maxAgeMs },
      await sha256Hex(JSON.stringify([named, render, ...(isSecret ? headersTo.toSorted() : [])])),
      render?.mode === 'auto',
    )
  }

  /** Maximum age of a page for this recipe, in ms. */
  get maxAgeMs(): number {
    return this.#options.maxAgeMs
  }

  /** Looks up the cached pages of URLs that are visited soon. */
  async prepare(entries: readonly FrontierRecord[]): Promise<void> {
    const { records, account } = this.#options
    const cachedPages = await records.cachedPages.getMany(
      account,
      entries.map(({ url }) => cachedPageId(this.settings, url)),
    )
    entries.forEach(({ seq, url }, index) => {
      const page = cachedPages[index]?.value
      if (page?.url === url && this.#isFresh(page)) this.#cachedPages.set(seq, page)
    })
  }

  /** True if a cached page is young enough. Then its host is not asked. */
  has({ seq, url }: FrontierRecord): boolean {
    const page = this.#cachedPages.get(seq)
    if (page && url !== this.#fetched && this.#isFresh(page)) return true
    this.#cachedPages.delete(seq)
    return false
  }

  /** Drops a page that this run has fetched itself. */
  forget(url: string): void {
    this.#fetched = url
  }

  /** Returns `null` if the cached page is gone or cannot be used. */
  async visit({ seq }: FrontierRecord, visit: VisitOver): Promise<VisitOutcome | null> {
    const cached = this.#cachedPages.get(seq)
    this.#cachedPages.delete(seq)
    const response = cached && (await this.#read(cached))
    if (!cached || !response) return null
    const page = await revisit(
      response,
      visit,
      {
        code: 'cached_page',
        message: `Reused from ${new Date(cached.at).toISOString()}; it was not requested again`,
      },
      cached.at,
    )
    // A recipe without rendering may have cached a page that is empty for this recipe.
    if (this.#rendersEmpty && !cached.rendered && page.rows.length === 0 && page.links.length === 0)
      return null
    return page.outcome === 'unchanged' ? { ...page, cached: true } : page
  }

  /** Returns `null` for a page that is gone or cannot be read: it can be fetched instead. */
  async #read(cached: CachedPageRecord): Promise<EgressResponse | null> {
    try {
      return await this.#pages.read(cached)
    } catch {
      return null
    }
  }

  #isFresh({ at }: CachedPageRecord): boolean {
    return this.#options.clock.now() - at <= this.#options.maxAgeMs
  }
}
