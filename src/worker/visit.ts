import type { Plan } from '../engine/recipe/plan.ts'
import { EgressError } from '../engine/egress/types.ts'
import type { Egress, EgressResponse } from '../engine/egress/types.ts'
import type { Politeness } from '../engine/crawl/politeness.ts'
import { parseRetryAfter } from '../engine/crawl/retry-after.ts'
import type { Robots } from '../engine/crawl/robots.ts'
import type { Clock } from '../ports/clock.ts'
import type { Page, PageResult, Visit } from '../ports/page-processor.ts'
import type { FrontierRecord, Outcome, Reason } from '../records/types.ts'
import { emptyOutcome } from './outcome.ts'
import type { PageOutcome } from './outcome.ts'

/** Tries of one URL in one run, the first one included. */
const MAX_TRIES = 3
const FIRST_RETRY_MS = 500
/** A host that wants a longer pause is not waited for: the page gets its outcome. */
const MAX_WAIT_MS = 30_000

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
  /** Told how each request went, so that a host that pushes back is asked more slowly. */
  readonly politeness: Politeness
}

/** Thrown out of a redirect that robots.txt forbids. */
class RobotsRefusal extends Error {}

/**
 * Fetches and extracts one page. Whatever the site does, the answer is an outcome with a reason; only the run's own
 * signal makes it reject.
 */
export async function visit(entry: FrontierRecord, context: VisitContext): Promise<PageOutcome> {
  const { robots, clock, signal, politeness } = context
  const started = clock.now()
  const took = (): number => clock.now() - started
  if (robots) {
    const answer = await robots.check(entry.url, signal)
    if (answer.allowed) politeness.setCrawlDelay(entry.url, answer.crawlDelayMs)
    else {
      politeness.finished(entry.url)
      const disallowed = answer.reason === 'disallowed'
      return emptyOutcome(entry, disallowed ? 'skipped_robots' : 'failed', { code: disallowed ? 'robots_disallowed' : 'site_unreachable', message: answer.detail })
    }
  }
  for (let attempt = 1; ; attempt++) {
    if (attempt > 1) politeness.started(entry.url)
    const result = await fetchOnce(entry, context)
    const retryAfterMs = result.response ? parseRetryAfter(result.response.headers['retry-after'], clock.now()) : null
    politeness.finished(entry.url, { status: result.response?.status ?? null, retryAfterMs, timedOut: result.reason?.code === 'timeout' })
    const wait = Math.max(FIRST_RETRY_MS * 2 ** (attempt - 1), politeness.pausedUntil(entry.url) - clock.now())
    if (result.retry && attempt < MAX_TRIES && wait <= MAX_WAIT_MS) {
      await clock.sleep(wait, signal)
      continue
    }
    if (!result.response || result.outcome !== 'fetched') {
      return emptyOutcome(entry, result.outcome, result.reason, { durationMs: took(), httpStatus: result.response?.status ?? null, finalUrl: finalUrl(entry, result.response) })
    }
    const { response } = result
    const processed = context.process({ url: response.url, contentType: response.headers['content-type'] ?? '', body: response.body }, entry, signal)
    const content = processed instanceof Promise ? await processed : processed
    return {
      entry, outcome: 'fetched', reason: null, httpStatus: response.status, finalUrl: finalUrl(entry, response), bytes: response.body.length, durationMs: took(),
      rows: content.rows, links: content.links, filled: content.filled, extracted: content.extracted,
    }
  }
}

interface Attempt {
  readonly outcome: Outcome
  readonly reason: Reason | null
  readonly retry: boolean
  readonly response: EgressResponse | null
}

async function fetchOnce(entry: FrontierRecord, context: VisitContext): Promise<Attempt> {
  const { plan, egress, robots, signal } = context
  try {
    const response = await egress({
      url: entry.url, purpose: 'page', headers: plan.request.headers, timeoutMs: plan.request.timeoutMs, signal,
      onRedirect: async (target) => {
        const answer = robots ? await robots.check(target.href, signal) : null
        if (answer && !answer.allowed) throw new RobotsRefusal(answer.detail)
      },
    })
    return judge(response)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof RobotsRefusal) return { outcome: 'skipped_robots', reason: { code: 'robots_disallowed', message: error.message }, retry: false, response: null }
    if (!(error instanceof EgressError)) throw error
    const retry = error.reason === 'timeout' || error.reason === 'connection'
    return { outcome: 'failed', reason: { code: error.reason, message: error.message }, retry, response: null }
  }
}

/** Reads a status as design 4.4 says: 401, 403, 429 and challenges are `blocked`, other errors `failed`. */
function judge(response: EgressResponse): Attempt {
  const { status } = response
  const reason: Reason = { code: `http_${status}`, message: `The site answered ${status}` }
  if (response.headers['cf-mitigated'] === 'challenge') return { outcome: 'blocked', reason: { code: 'challenge', message: 'The site answered with a challenge page' }, retry: false, response }
  if (status === 429) return { outcome: 'blocked', reason, retry: true, response }
  if (status === 401 || status === 403) return { outcome: 'blocked', reason, retry: false, response }
  if (status < 200 || status >= 300) return { outcome: 'failed', reason, retry: status >= 500 || status === 408, response }
  if (response.truncated) return { outcome: 'failed', reason: { code: 'too_large', message: 'The page is larger than the limit' }, retry: false, response }
  return { outcome: 'fetched', reason: null, retry: false, response }
}

function finalUrl(entry: FrontierRecord, response: EgressResponse | null): string | null {
  return response && response.url !== entry.url ? response.url : null
}
