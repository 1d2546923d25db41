import type { Politeness } from '../../engine/site/politeness.ts'
import type { Robots } from '../../engine/site/robots.ts'
import type { Egress, EgressResponse } from '../../engine/egress/types.ts'
import type { ReadByModel } from '../../engine/model/model-reader.ts'
import { PICTURE } from '../../engine/recipe/columns.ts'
import type { CrawlPlan } from '../../engine/plan/plan.ts'
import { loadPage } from '../../engine/visit/load-page.ts'
import type { LoadedPage } from '../../engine/visit/load-page.ts'
import type { Renderer } from '../../engine/render/renderer.ts'
import { givenUp, ranOver } from '../../features/common/page-too-costly.ts'
import { PageFailure } from '../../kernel/failures.ts'
import type { Clock } from '../../ports/clock.ts'
import type { OpenRecipe, Page, PageShell } from '../../ports/page-processor.ts'
import type { PdfReader } from '../../ports/pdf-reader.ts'
import type { FrontierRecord } from '../../features/executions/records.ts'
import type { MediaKeeper } from '../media/media-keeper.ts'
import { NO_MEDIA, wantsPicture } from '../media/media-taker.ts'
import { emptyOutcome } from './outcome.ts'
import type { PageOutcome } from './outcome.ts'
import { packPage } from './pack-page.ts'
import { createPoliteness } from '../../engine/site/politeness.ts'
import type { PageCache } from '../archive/page-cache.ts'

type Unloaded = Pick<Exclude<LoadedPage, { readonly outcome: 'fetched' }>, 'outcome' | 'reason'> & {
  readonly response?: EgressResponse | null
}

export interface VisitContext {
  readonly plan: CrawlPlan
  /** The recipe, opened in the thread or process that extracts its pages. */
  readonly pages: Pick<OpenRecipe, 'process' | 'isShell'>
  readonly egress: Egress
  /** `null`: the recipe does not ask for robots.txt. */
  readonly robots: Robots | null
  /** `null`: there is no browser. */
  readonly renderer: Renderer | null
  readonly readPdf: PdfReader
  /** `null`: there is no model. */
  readonly model: ReadByModel | null
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly politeness: Politeness
  /** Keeps the pictures of pages; `null`: the recipe takes no media. */
  readonly keeper: MediaKeeper | null
}

/**
 * Fetches one page, renders it if the recipe asks for that, and extracts its rows. Media are
 * fetched later. Any failure of the site or of its page is an outcome with a reason; the promise
 * rejects only with the run's own signal.
 */
export async function visit(entry: FrontierRecord, context: VisitContext): Promise<PageOutcome> {
  const { plan, pages, clock, signal } = context
  const started = clock.now()
  const readPdf = plan.readsPdf(entry) ? context.readPdf : null
  const isShell = (page: Page): Promise<PageShell> => pages.isShell(page, entry, signal)
  const loaded = await loadPage(entry.url, {
    ...context,
    request: plan.request,
    readPdf,
    isShell,
  }).catch(whereGivenUp)
  if (loaded instanceof PageFailure)
    return failed(entry, context, started, { outcome: 'failed', reason: givenUp(loaded) })
  if (loaded.outcome !== 'fetched') return failed(entry, context, started, loaded)
  const { response, page, rendered, bytes } = loaded
  const found = await pages.process(page, entry, signal).catch(whereGivenUp)
  if (found instanceof PageFailure)
    return failed(entry, context, started, { outcome: 'failed', reason: givenUp(found), response })
  const asked =
    found.question === undefined || context.model === null
      ? null
      : await context.model(plan, found, signal)
  const content = asked?.result ?? found
  const { rows, links, filled, extracted } = content
  const wantsShot = plan.media.includes(PICTURE) && wantsPicture(rows)
  const picture =
    context.keeper && wantsShot
      ? await context.keeper.keepPicture(rendered?.screenshot ?? null, page.url)
      : null
  const isKept = plan.keeps || plan.maxAgeMs > 0
  return {
    entry,
    outcome: 'fetched',
    reason: ranOver(found) ?? asked?.reason ?? null,
    httpStatus: response.status,
    finalUrl: elsewhere(entry, page.url),
    bytes,
    durationMs: clock.now() - started,
    rows,
    links,
    filled,
    extracted,
    media: NO_MEDIA,
    rendered: rendered !== null,
    ...(asked?.tokens && { modelled: true, tokens: asked.tokens }),
    ...(picture && { picture }),
    ...(isKept && {
      kept: { ...(await packPage(page)), at: started, rendered: rendered !== null },
    }),
  }
}

/** The outcome of a failed page, with the row that the recipe may want for it. */
function failed(
  entry: FrontierRecord,
  { plan, clock }: VisitContext,
  started: number,
  { outcome, reason, response }: Unloaded,
): PageOutcome {
  const httpStatus = response?.status ?? null
  const facts = {
    durationMs: clock.now() - started,
    httpStatus,
    finalUrl: elsewhere(entry, response?.url),
  }
  const page = emptyOutcome(entry, outcome, reason, facts)
  if (outcome === 'skipped_robots') return page
  const contentType = response?.headers['content-type'] ?? null
  const row = plan.failed(
    {
      url: entry.url,
      finalUrl: response?.url ?? null,
      status: httpStatus,
      outcome,
      error: reason.message,
      contentType,
      bytes: response?.body.length ?? 0,
    },
    entry,
  )
  return { ...page, ...row }
}

/** A page that had to be given up is an outcome. */
function whereGivenUp(error: unknown): PageFailure {
  if (error instanceof PageFailure) return error
  throw error
}

function elsewhere(entry: FrontierRecord, url: string | undefined): string | null {
  return url !== undefined && url !== entry.url ? url : null
}

/** Visits a page from the account's cache if the cached page is young enough; else on the web. */
export async function visitCached(
  entry: FrontierRecord,
  cache: PageCache,
  context: VisitContext,
): Promise<PageOutcome> {
  if (!cache.has(entry)) return visit(entry, context)
  // A cached page is already rendered, and its host is not asked.
  const known = await cache.visit(entry, (egress) =>
    visit(entry, {
      ...context,
      egress,
      renderer: null,
      politeness: createPoliteness({ clock: context.clock, delayMs: 0 }),
    }),
  )
  if (known) return known
  context.politeness.started(entry.url)
  return visit(entry, context)
}
