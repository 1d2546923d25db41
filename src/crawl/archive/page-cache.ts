import type { Egress } from '../../engine/egress/types.ts'
import { withoutSecrets } from '../../engine/egress/headers.ts'
import type { CrawlPlan } from '../../engine/plan/plan.ts'
import { sha256Hex } from '../../kernel/crypto.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { Clock } from '../../ports/clock.ts'
import { cachedPageId } from '../../features/executions/page-records.ts'
import type { CachedPageRecord } from '../../features/executions/page-records.ts'
import type { Records } from '../../features/records.ts'
import type { FrontierRecord } from '../../features/executions/records.ts'
import type { PageOutcome } from '../visit/outcome.ts'
import { unpackBody } from '../visit/pack-page.ts'
import { RecentBlobs } from './recent-blobs.ts'

/** What {@link PageCache} reads from. */
export interface PageCacheOptions {
  readonly records: Records
  readonly blobs: Blobs
  readonly clock: Clock
  readonly account: string
  readonly maxAgeMs: number
}

/**
 * The pages that an account has fetched lately, for a run that need not fetch them again. What
 * cannot be read is fetched.
 */
export class PageCache {
  readonly #options: PageCacheOptions
  /** SHA-256 of what pages are asked for with, credentials in headers included. */
  readonly settings: string
  /** Pages that wait to be visited, by their number. */
  readonly #found = new Map<number, CachedPageRecord>()
  readonly #rendersEmpty: boolean
  #fetched: string | null = null
  readonly #blobs = new RecentBlobs((name) => this.#options.blobs.get(name))

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

  /** How long pages are of use, to runs with such a recipe. */
  get maxAgeMs(): number {
    return this.#options.maxAgeMs
  }

  /** Looks up pages that are about to be visited. */
  async look(entries: readonly FrontierRecord[]): Promise<void> {
    const { records, account } = this.#options
    const found = await records.cachedPages.getMany(
      account,
      entries.map(({ url }) => cachedPageId(this.settings, url)),
    )
    entries.forEach(({ seq, url }, at) => {
      const page = found[at]?.value
      if (page?.url === url && this.#isFresh(page)) this.#found.set(seq, page)
    })
  }

  /** Whether a page is young enough, so that its host need not be asked. */
  has({ seq, url }: FrontierRecord): boolean {
    const page = this.#found.get(seq)
    if (page && url !== this.#fetched && this.#isFresh(page)) return true
    this.#found.delete(seq)
    return false
  }

  /** A page that the run has fetched already is not read from here. */
  forget(url: string): void {
    this.#fetched = url
  }

  /**
   * What `visit` makes of a cached page, given what answers for the web: as it was, unchanged.
   * `null`: it is there no more, or of no use.
   */
  async visit(
    { seq }: FrontierRecord,
    visit: (egress: Egress) => Promise<PageOutcome>,
  ): Promise<PageOutcome | null> {
    const cached = this.#found.get(seq)
    this.#found.delete(seq)
    const body = cached && (await this.#read(cached))
    if (!cached || !body) return null
    const { finalUrl: url, status, contentType, at } = cached
    const page = await visit(() =>
      Promise.resolve({
        url,
        status,
        headers: { 'content-type': contentType },
        body,
        truncated: false,
        redirects: [],
        durationMs: 0,
      }),
    )
    // What another recipe had no need to render may be empty for this one.
    if (this.#rendersEmpty && !cached.rendered && page.rows.length === 0 && page.links.length === 0)
      return null
    if (page.outcome !== 'fetched') return page
    return {
      ...page,
      outcome: 'unchanged',
      reason: page.reason ?? {
        code: 'cached_page',
        message: `Reused from ${new Date(at).toISOString()}; it was not requested again`,
      },
      bytes: 0,
      cached: true,
    }
  }

  /** `null` for what is gone, or cannot be read: the web is another way to have it. */
  async #read({ blob, offset, length }: CachedPageRecord): Promise<Uint8Array | null> {
    try {
      const bytes = await this.#blobs.get(blob)
      return bytes && bytes.length >= offset + length
        ? await unpackBody(bytes.subarray(offset, offset + length))
        : null
    } catch {
      return null
    }
  }

  #isFresh({ at }: CachedPageRecord): boolean {
    return this.#options.clock.now() - at <= this.#options.maxAgeMs
  }
}
