import { fetchPage } from '../engine/crawl/fetch-page.ts'
import type { Politeness } from '../engine/crawl/politeness.ts'
import type { Robots } from '../engine/crawl/robots.ts'
import type { Egress, EgressResponse } from '../engine/egress/types.ts'
import type { Plan } from '../engine/recipe/plan.ts'
import type { Clock } from '../ports/clock.ts'
import type { Page, PageResult, Visit } from '../ports/page-processor.ts'
import type { FrontierRecord } from '../records/types.ts'
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
    return emptyOutcome(entry, outcome, reason, { durationMs: clock.now() - started, httpStatus: response?.status ?? null, finalUrl: finalUrl(entry, response) })
  }
  const { response } = fetched
  const processed = context.process({ url: response.url, contentType: response.headers['content-type'] ?? '', body: response.body }, entry, signal)
  const content = processed instanceof Promise ? await processed : processed
  return {
    entry, outcome: 'fetched', reason: null, httpStatus: response.status, finalUrl: finalUrl(entry, response), bytes: response.body.length, durationMs: clock.now() - started,
    rows: content.rows, links: content.links, filled: content.filled, extracted: content.extracted,
  }
}

function finalUrl(entry: FrontierRecord, response: EgressResponse | null): string | null {
  return response && response.url !== entry.url ? response.url : null
}
