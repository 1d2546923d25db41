import type { Politeness } from '../engine/crawl/politeness.ts'
import type { Robots } from '../engine/crawl/robots.ts'
import type { Egress } from '../engine/egress/types.ts'
import { isEmptyResult } from '../engine/recipe/is-empty-result.ts'
import type { ReadByModel } from '../engine/model/model-reader.ts'
import { PICTURE } from '../engine/recipe/media-paths.ts'
import type { Plan } from '../engine/recipe/plan.ts'
import { loadPage } from '../engine/render/load-page.ts'
import type { Renderer } from '../engine/render/renderer.ts'
import type { Clock } from '../ports/clock.ts'
import type { Page, PageResult, Visit } from '../ports/page-processor.ts'
import type { PdfReader } from '../ports/pdf-reader.ts'
import type { FrontierRecord } from '../records/types.ts'
import type { MediaKeeper } from './media-keeper.ts'
import { NO_MEDIA, wantsPicture } from './media-taker.ts'
import { emptyOutcome } from './outcome.ts'
import type { PageOutcome } from './outcome.ts'
import { packPage } from './pack-page.ts'

/** Makes rows and links of a page: a plan's own `process`, or one that answers later. */
export type Process = (page: Page, visit: Visit, signal: AbortSignal) => PageResult | Promise<PageResult>

/** What a visit needs from its run. */
export interface VisitContext {
  readonly plan: Plan
  readonly process: Process
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
 * Fetches, renders if it is asked for, and extracts one page, whose media are still to be taken. Whatever the site does, the answer is an outcome with a reason; only the
 * run's own signal makes it reject.
 */
export async function visit(entry: FrontierRecord, context: VisitContext): Promise<PageOutcome> {
  const { plan, clock, signal } = context
  const started = clock.now()
  /** What was made of the page as it was fetched, where that was asked before. */
  const tried = new Map<Page, PageResult>()
  const isEmpty = async (page: Page): Promise<boolean> => {
    const result = await context.process(page, entry, signal)
    tried.set(page, result)
    return isEmptyResult(result)
  }
  const loaded = await loadPage(entry.url, { ...context, request: plan.request, readPdf: plan.readsPdf(entry) ? context.readPdf : null, isEmpty })
  if (loaded.outcome !== 'fetched') {
    const { outcome, reason, response } = loaded
    const status = response?.status ?? null
    const failed = outcome === 'skipped_robots' ? null : plan.failed({ url: entry.url, finalUrl: response?.url ?? null, status, outcome, error: reason.message, contentType: response?.headers['content-type'] ?? null, bytes: response?.body.length ?? 0 }, entry)
    return { ...emptyOutcome(entry, outcome, reason, { durationMs: clock.now() - started, httpStatus: status, finalUrl: elsewhere(entry, response?.url) }), ...failed }
  }
  const { response, page, rendered, bytes } = loaded
  const processed = tried.get(page) ?? context.process(page, entry, signal)
  const found = processed instanceof Promise ? await processed : processed
  const asked = found.question === undefined || context.model === null ? null : await context.model(plan, found, signal)
  const content = asked?.result ?? found
  const { rows } = content
  const picture = context.keeper && plan.media.includes(PICTURE) && wantsPicture(rows) ? await context.keeper.keepPicture(rendered?.screenshot ?? null, page.url) : null
  return {
    entry, outcome: 'fetched', reason: asked?.reason ?? null, httpStatus: response.status, finalUrl: elsewhere(entry, page.url), bytes, durationMs: clock.now() - started,
    rows, links: content.links, filled: content.filled, extracted: content.extracted, media: NO_MEDIA, rendered: rendered !== null, ...(asked?.tokens && { modelled: true, tokens: asked.tokens }), ...(picture && { picture }), ...((plan.keeps || plan.maxAgeMs > 0) && { kept: { ...(await packPage(page)), at: started, rendered: rendered !== null } }),
  }
}

function elsewhere(entry: FrontierRecord, url: string | undefined): string | null {
  return url !== undefined && url !== entry.url ? url : null
}
