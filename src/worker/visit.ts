import { fetchPage } from '../engine/crawl/fetch-page.ts'
import type { Politeness } from '../engine/crawl/politeness.ts'
import type { Robots } from '../engine/crawl/robots.ts'
import type { Egress, EgressResponse } from '../engine/egress/types.ts'
import type { Plan } from '../engine/recipe/plan.ts'
import type { Clock } from '../ports/clock.ts'
import type { Page, PageResult, Visit } from '../ports/page-processor.ts'
import type { FrontierRecord } from '../records/types.ts'
import { NO_MEDIA } from './media-taker.ts'
import type { MediaTaker } from './media-taker.ts'
import { emptyOutcome } from './outcome.ts'
import type { PageOutcome } from './outcome.ts'

/** Makes rows and links of a page: a plan's own `process`, or one that answers later. */
export type Process = (page: Page, visit: Visit, signal: AbortSignal) => PageResult | Promise<PageResult>

/** What a visit needs from its run. */
export interface VisitContext {
  readonly plan: Plan
  readonly process: Process
  readonly egress: Egress
  /** `null`: the recipe does not ask for robots.txt. */
  readonly robots: Robots | null
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly politeness: Politeness
  /** `null`: the recipe takes no media. */
  readonly media: MediaTaker | null
}

/**
 * Fetches and extracts one page. Whatever the site does, the answer is an outcome with a reason; only the run's own
 * signal makes it reject.
 */
export async function visit(entry: FrontierRecord, context: VisitContext): Promise<PageOutcome> {
  const { plan, clock, signal, egress, robots, politeness } = context
  const started = clock.now()
  const { headers, timeoutMs } = plan.request
  const fetched = await fetchPage(entry.url, { egress, robots, clock, politeness, headers, timeoutMs, signal })
  if (fetched.outcome !== 'fetched') {
    const { outcome, reason, response } = fetched
    const status = response?.status ?? null
    const failed = outcome === 'skipped_robots' ? null : plan.failed({ url: entry.url, finalUrl: response?.url ?? null, status, outcome, error: reason.message, contentType: response?.headers['content-type'] ?? null, bytes: response?.body.length ?? 0 }, entry)
    return { ...emptyOutcome(entry, outcome, reason, { durationMs: clock.now() - started, httpStatus: status, finalUrl: finalUrl(entry, response) }), ...failed }
  }
  const { response } = fetched
  const processed = context.process({ url: response.url, contentType: response.headers['content-type'] ?? '', body: response.body, requestedUrl: entry.url, status: response.status }, entry, signal)
  const content = processed instanceof Promise ? await processed : processed
  const { rows, media } = context.media ? await context.media.take(content.rows, response.url, plan.media, signal) : { rows: content.rows, media: NO_MEDIA }
  return {
    entry, outcome: 'fetched', reason: null, httpStatus: response.status, finalUrl: finalUrl(entry, response), bytes: response.body.length, durationMs: clock.now() - started,
    rows, links: content.links, filled: content.filled, extracted: content.extracted, media,
  }
}

function finalUrl(entry: FrontierRecord, response: EgressResponse | null): string | null {
  return response && response.url !== entry.url ? response.url : null
}
