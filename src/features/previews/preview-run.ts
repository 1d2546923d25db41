import { createPoliteness } from '../../engine/site/politeness.ts'
import type { Politeness } from '../../engine/site/politeness.ts'
import type { Robots } from '../../engine/site/robots.ts'
import { readSitemap } from '../../engine/site/sitemap.ts'
import { EgressError } from '../../engine/egress/types.ts'
import type { Egress } from '../../engine/egress/types.ts'
import type { ReadByModel } from '../../engine/model/model-reader.ts'
import { withPicture } from '../../engine/visit/load-page.ts'
import { ranOver } from '../../engine/visit/page-too-costly.ts'
import { linksFrom, refuseLanding, refuseLink, startLink } from '../../engine/visit/reach.ts'
import { failedRow, readByModel, visitPage } from '../../engine/visit/visit-page.ts'
import type { Renderer } from '../../engine/render/renderer.ts'
import type { StartSearch } from '../../engine/plan/plan.ts'
import type { FoundLink, Page, PageExplanation } from '../../ports/page-processor.ts'
import type { Row } from '../../kernel/json.ts'
import { Pace } from '../../kernel/pace.ts'
import { SearchFailure } from '../../kernel/failures.ts'
import { rowKey } from '../../kernel/short-key.ts'
import { identityOf, urlIdentity } from '../../kernel/url.ts'
import type { Clock } from '../../ports/clock.ts'
import type { DocumentReader } from '../../ports/document-reader.ts'
import type { Reason, StartList } from '../executions/records.ts'
import type { FoundStarts } from '../common/web-access.ts'
import type { PageToKeep } from '../snapshots/service.ts'
import type { PreviewPage } from './preview.ts'
import type { DryRun, DryRunPage } from './dry-run.ts'
import type { NormalUrl } from '../../kernel/url.ts'

/** Options of {@link PreviewRun}. */
export interface PreviewRunOptions {
  readonly dryRun: DryRun
  readonly egress: Egress
  readonly findStarts: (search: StartSearch, signal: AbortSignal) => Promise<FoundStarts>
  readonly robots: Robots
  /** `null`: there is no browser. */
  readonly renderer: Renderer | null
  readonly readDocument: DocumentReader
  /** `null`: there is no model. */
  readonly model: ReadByModel | null
  readonly clock: Clock
  readonly maxUrls: number
  /** Keeps a page that was read, and returns its id; `null`: it is too large. */
  readonly keep?: ((page: PageToKeep) => Promise<string | null>) | undefined
  /** Kept pages that are visited in place of the web. Absent: the web is visited. */
  readonly kept?: readonly Page[] | undefined
  /** The only link to visit instead of the recipe's start. Absent: the recipe's start. */
  readonly from?: FoundLink | undefined
  /** Unix milliseconds. No request starts after this time. */
  readonly deadline: number
  readonly signal: AbortSignal
}

/** A visited page with its results. */
export interface Visited extends PreviewPage {
  readonly explanation: PageExplanation | null
  /** True if scripts write the page and were not run. */
  readonly isShell: boolean
}

/** Why a run ended with unvisited URLs. */
export type Cut = 'urls' | 'time'

/** Maximum number of URLs that a run takes from a sitemap or a feed. */
const MOST_OF_LIST = 100

/**
 * Visits the first pages of a recipe one after another, which is the least load for a site. Stores
 * nothing.
 */
export class PreviewRun {
  readonly #options: PreviewRunOptions
  readonly #politeness: Politeness
  readonly #met = new Set<string>()
  readonly #kept: ReadonlyMap<string | undefined, Page> | undefined
  readonly #unique = new Set<string>()
  #waiting: FoundLink[] = []
  readonly visited: Visited[] = []
  readonly rows: Row[] = []
  /** Column → rows that have a value for it. */
  readonly filled = new Map<string, number>()
  /** Lists of start pages that could not be read. */
  readonly unread: { readonly list: StartList; readonly message: string }[] = []
  cut: Cut | null = null

  constructor(options: PreviewRunOptions) {
    this.#options = options
    this.#politeness = createPoliteness({
      clock: options.clock,
      // Reading kept pages puts no load on the site.
      delayMs: options.kept === undefined ? options.dryRun.plan.crawl.delayMs : 0,
    })
    this.#kept =
      options.kept &&
      new Map(
        options.kept.flatMap((page) => [
          [page.url, page] as const,
          [page.requestedUrl, page] as const,
        ]),
      )
  }

  /** Number of URLs that were found and not visited. */
  get left(): number {
    return this.#waiting.length
  }

  /** Never rejects because of a site or the signal. The results so far are then returned. */
  async crawl(): Promise<void> {
    const { dryRun, clock, maxUrls, deadline, signal } = this.#options
    const { from } = this.#options
    if (from === undefined) await this.#seed()
    else if (this.#meet(identityOf(from.url))) this.#waiting.push(from)
    for (;;) {
      const next = this.#choose()
      if (next === null) return
      if (this.visited.length >= Math.min(maxUrls, dryRun.plan.limits.maxPages))
        return this.#stop('urls')
      const requestAt = this.#politeness.reserve(next.url)
      if (requestAt >= deadline || signal.aborted) return this.#stop('time')
      this.#waiting.splice(this.#waiting.indexOf(next), 1)
      try {
        if (requestAt > clock.now()) await clock.sleep(requestAt - clock.now(), signal)
        this.visited.push(await this.#visit(next))
      } catch (error) {
        if (!signal.aborted) throw error
        this.visited.push({
          ...unvisited(next),
          outcome: 'skipped_limit',
          reason: { code: 'time_limit', message: 'The preview ended before the page was read' },
        })
        return this.#stop('time')
      }
    }
  }

  async #seed(): Promise<void> {
    const { dryRun, egress, robots, findStarts, signal } = this.#options
    const { startUrls, search, crawl } = dryRun.plan
    const add = (urls: readonly NormalUrl[]): Promise<void> => this.#discover(urls.map(startLink))
    await add(startUrls)
    if (search !== null) {
      try {
        const { urls } = await findStarts(search, signal)
        await dryRun.startFrom(urls)
        await add(urls)
      } catch (error) {
        if (signal.aborted) return this.#stop('time')
        if (!(error instanceof SearchFailure)) throw error
        this.unread.push({ list: 'search', message: error.message })
      }
    }
    for (const list of ['sitemap', 'feed'] as const) {
      const url = dryRun.plan[list]
      if (url === null) continue
      try {
        for await (const urls of readSitemap(url, {
          egress,
          robots: crawl.robots ? robots : null,
          signal,
          maxUrls: MOST_OF_LIST,
          onCut: (file, what) =>
            this.unread.push({ list, message: `The rest of ${file} is not read: ${what}.` }),
        }))
          await add(urls)
      } catch (error) {
        if (signal.aborted) return this.#stop('time')
        if (!(error instanceof EgressError)) throw error
        this.unread.push({ list, message: error.message })
      }
    }
  }

  #stop(cut: Cut): void {
    this.cut = cut
  }

  /**
   * Filters links in time slices, within the preview's time limit, because there may be many links
   * and many globs.
   */
  async #discover(links: readonly FoundLink[]): Promise<void> {
    const {
      dryRun: { plan },
      signal,
    } = this.#options
    const pace = new Pace()
    for (const link of links) {
      const rest = pace.step()
      if (rest) {
        await rest
        if (signal.aborted) return this.#stop('time')
      }
      if (this.#kept?.has(link.url) === false) continue
      if (refuseLink(link, plan.limits, plan.inScope) !== null) continue
      if (this.#meet(identityOf(link.url))) this.#waiting.push(link)
    }
  }

  #meet(identity: string): boolean {
    if (this.#met.has(identity)) return false
    this.#met.add(identity)
    return true
  }

  /**
   * Chooses the next page so that each part of the recipe is tried: the first found link of the
   * label with the fewest visits.
   */
  #choose(): FoundLink | null {
    const { target } = this.#options.dryRun
    const visits = Map.groupBy(this.visited, ({ label }) => label)
    const rank = ({ label }: FoundLink): number =>
      (visits.get(label)?.length ?? 0) * 2 + (label === target ? 0 : 1)
    return this.#waiting.reduce<FoundLink | null>(
      (best, link) => (best === null || rank(link) < rank(best) ? link : best),
      null,
    )
  }

  async #visit(link: FoundLink): Promise<Visited> {
    const { dryRun, robots, renderer, readDocument, clock, signal, egress, keep } = this.#options
    const { plan } = dryRun
    let snapshot: string | null = null
    const visited = await visitPage(link.url, {
      egress,
      robots: plan.crawl.robots ? robots : null,
      renderer,
      clock,
      politeness: this.#politeness,
      // A kept page gets the screenshot of the browser beside its tree, because a person will look
      // at it. Its rows are those of the run.
      request: withPicture(plan.request, keep === undefined ? null : 'viewport'),
      signal,
      readDocument,
      readsDocument: (format) => plan.readsDocument(link, format),
      isShell: (page) => dryRun.isShell(page, link, signal),
      refuse: (finalUrl) =>
        refuseLanding(link, finalUrl, {
          inScope: plan.inScope,
          identities: { ofLink: identityOf, ofLanding: urlIdentity },
          meet: (identity) => this.#meet(identity),
        }),
      read: async (page, rendered) => {
        const screenshot = rendered?.screenshot ?? null
        snapshot = (await keep?.({ ...page, screenshot })) ?? null
        // Dates such as `yesterday` on a kept page are relative to the time of its visit.
        const visitedAt = this.#kept?.get(link.url)?.visitedAt
        return dryRun.read(visitedAt === undefined ? page : { ...page, visitedAt }, link, signal)
      },
    })
    const { outcome, finalUrl, httpStatus, loadMs: durationMs } = visited
    const page = {
      ...unvisited(link),
      outcome,
      finalUrl,
      httpStatus,
      durationMs,
      ...(snapshot !== null && { snapshot }),
    }
    if (visited.outcome !== 'fetched') {
      const failed = failedRow(plan, link, visited)
      return {
        ...page,
        reason: visited.reason,
        rows: failed === null ? 0 : await this.#keep(failed.rows, failed.filled),
      }
    }
    const { result, explanation, reason } = await this.#ask(visited.answer)
    const { rows, filled, links } = result
    await this.#discover(linksFrom(dryRun.plan, link.url, links))
    return {
      ...page,
      reason,
      explanation,
      isShell: visited.answer.isShell && plan.request.render === null,
      rows: await this.#keep(rows, filled),
      bytes: visited.bytes,
    }
  }

  /** Lets a model read its fields. When time is up, the page keeps the values that it has. */
  async #ask({
    result,
    explanation,
  }: DryRunPage): Promise<Omit<DryRunPage, 'isShell'> & { readonly reason: Reason | null }> {
    const { dryRun, model, signal } = this.#options
    try {
      const reading = await readByModel(model, dryRun.plan, result, signal)
      const sources = reading.given.map(({ source, path, column, rows, sample }) => ({
        field: column,
        path,
        source: `model ${source.model}`,
        matches: rows,
        values: rows,
        used: rows,
        sample,
        failed: null,
        unclear: null,
        examples: [],
        reason: rows > 0 ? null : 'the model gave no value',
      }))
      return {
        result: reading.result,
        explanation: explanation && {
          ...explanation,
          sources: [...explanation.sources, ...sources],
        },
        reason: reading.reason,
      }
    } catch (error) {
      if (!signal.aborted) throw error
      return {
        result: dryRun.plan.answered(result, result.rows),
        explanation,
        reason: ranOver(result) ?? {
          code: 'model_timeout',
          message: 'The preview ended before the model had read the page',
        },
      }
    }
  }

  /** Adds rows, and drops those that repeat an earlier one. Returns the number of added rows. */
  async #keep(rows: readonly Row[], filled: Readonly<Record<string, number>>): Promise<number> {
    const { unique } = this.#options.dryRun.plan
    const pace = new Pace()
    let added = 0
    for (const row of rows) {
      const key = unique && (await rowKey(row, unique, pace))
      if (key !== null && this.#unique.has(key)) continue
      if (key !== null) this.#unique.add(key)
      this.rows.push(row)
      added++
    }
    for (const [column, count] of Object.entries(filled))
      this.filled.set(column, (this.filled.get(column) ?? 0) + Math.min(count, added))
    return added
  }
}

/** Converts a visited page to the wire. */
export function pageOf({
  url,
  finalUrl,
  label,
  depth,
  outcome,
  reason,
  httpStatus,
  durationMs,
  bytes,
  rows,
  snapshot,
}: Visited): PreviewPage {
  const page = { url, finalUrl, label, depth, outcome, reason, httpStatus, durationMs, bytes, rows }
  return snapshot === undefined ? page : { ...page, snapshot }
}

function unvisited({ url, label, depth }: FoundLink): Omit<Visited, 'outcome' | 'reason'> {
  return {
    url,
    finalUrl: null,
    label,
    depth,
    httpStatus: null,
    durationMs: 0,
    bytes: 0,
    rows: 0,
    explanation: null,
    isShell: false,
  }
}
