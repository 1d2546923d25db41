import { originOf, partsOf } from '../../kernel/url.ts'
import type { NormalUrl } from '../../kernel/url.ts'
import { EgressError } from '../egress/types.ts'
import type { Egress, EgressResponse } from '../egress/types.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Politeness } from '../site/politeness.ts'
import { parseRetryAfter } from '../egress/retry-after.ts'
import type { Robots, RobotsAnswer } from '../site/robots.ts'
import type { VisitNotes } from './visit-trail.ts'

/** Attempts for one URL, including the first. */
const MAX_TRIES = 3
const FIRST_RETRY_MS = 500
const MIB = 2 ** 20
/** If a host asks for a longer pause, the page is not retried and gets its outcome. */
const MAX_WAIT_MS = 30_000

/** Dependencies and options of {@link fetchPage}. */
export interface FetchPageOptions {
  readonly egress: Egress
  /** `null`: robots.txt is ignored. */
  readonly robots: Robots | null
  readonly clock: Clock
  /**
   * Receives the outcome of each request, so that a host that pushes back gets fewer requests. The
   * caller has reserved the first.
   */
  readonly politeness: Politeness
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
  /** Attempts, including the first. Default: 3. One for a caller that waits for the answer. */
  readonly tries?: number
  /** Records the facts of the visit. Absent: they are not recorded. */
  readonly notes?: VisitNotes
  readonly signal: AbortSignal
}

/** The reason for a page's outcome, for people and for code. */
export interface PageReason {
  readonly code: string
  readonly message: string
}

/** The outcome of a request for a page. */
export type FetchedPage =
  | { readonly outcome: 'fetched'; readonly reason: null; readonly response: EgressResponse }
  | {
      readonly outcome: 'blocked' | 'failed' | 'skipped_robots'
      readonly reason: PageReason
      readonly response: EgressResponse | null
    }

/** Thrown from a redirect to a URL that may not be visited. */
class RobotsRefusal extends Error {
  readonly answer: RobotsRefused

  constructor(answer: RobotsRefused) {
    super(answer.detail)
    this.answer = answer
  }
}
type RobotsRefused = Extract<RobotsAnswer, { allowed: false }>

function refusedBy({ reason, detail }: RobotsRefused): FetchedPage {
  return reason === 'disallowed'
    ? {
        outcome: 'skipped_robots',
        reason: { code: 'robots_disallowed', message: detail },
        response: null,
      }
    : {
        outcome: 'failed',
        reason: { code: 'site_unreachable', message: detail },
        response: null,
      }
}

/** The outcome of a page whose host asked for a long pause before the request was sent. */
const PAUSED: FetchedPage = {
  outcome: 'failed',
  reason: { code: 'host_paused', message: 'The host asked for a long pause' },
  response: null,
}

type Tried = FetchedPage & { readonly retry?: boolean }

/**
 * Fetches one page with retries, within the limits of robots.txt and of its host. Whatever the site
 * does, the result is an outcome with a reason. Rejects only with the signal's reason.
 */
export async function fetchPage(url: NormalUrl, options: FetchPageOptions): Promise<FetchedPage> {
  const { robots, clock, signal, politeness, tries = MAX_TRIES, notes } = options
  if (robots) {
    const answer = await robots.check(url, signal)
    notes?.judged(url, answer)
    if (answer.allowed) politeness.setCrawlDelay(url, answer.crawlDelayMs)
    else return refusedBy(answer)
  }
  for (let attempt = 1; ; attempt++) {
    if (attempt > 1) politeness.reserve(url)
    const early = politeness.send(url) - clock.now()
    const isFree = early <= 0 && politeness.pausedUntil(url) <= clock.now()
    if (!isFree && !(await becomesFree(url, early, options))) return PAUSED
    const { retry, ...page } = await fetchOnce(url, options)
    const { response, reason } = page
    const retryAfterMs = response
      ? parseRetryAfter(response.headers['retry-after'], clock.now())
      : null
    politeness.finished(url, {
      status: response?.status ?? null,
      retryAfterMs,
      timedOut: reason?.code === 'timeout',
    })
    const wait = Math.max(
      FIRST_RETRY_MS * 2 ** (attempt - 1),
      politeness.pausedUntil(url) - clock.now(),
    )
    if (!retry || attempt >= tries || wait > MAX_WAIT_MS)
      return retry && reason && retryAfterMs
        ? { ...page, reason: asking(reason, retryAfterMs) }
        : page
    await clock.sleep(wait, signal)
  }
}

/**
 * Waits until a request may be sent, `early` ms from now. A pause may have begun while robots.txt
 * was read, or may begin during the wait. Returns `false` if it is a long one.
 */
async function becomesFree(
  url: NormalUrl,
  early: number,
  { politeness, clock, signal }: FetchPageOptions,
): Promise<boolean> {
  for (let wait = early; ; wait = politeness.send(url) - clock.now()) {
    if (wait > 0) await clock.sleep(wait, signal)
    const pause = politeness.pausedUntil(url) - clock.now()
    if (pause <= 0) return true
    if (pause > MAX_WAIT_MS) return false
    await clock.sleep(pause, signal)
  }
}

/** The site names a time at which another run may succeed. */
function asking({ code, message }: PageReason, ms: number): PageReason {
  return { code, message: `${message} and asks to wait ${Math.ceil(ms / 1_000)} s` }
}

async function fetchOnce(
  url: NormalUrl,
  { egress, robots, headers, timeoutMs, clock, notes, signal }: FetchPageOptions,
): Promise<Tried> {
  notes?.sent(clock.now())
  try {
    const response = await egress({
      url,
      purpose: 'page',
      headers,
      timeoutMs,
      signal,
      onRedirect: async (target) => {
        const answer = await robots?.check(target, signal)
        if (answer) notes?.judged(target.href, answer)
        if (answer && !answer.allowed) throw new RobotsRefusal(answer)
      },
      ...(notes && { onHop: (hop) => notes.came(hop) }),
    })
    return judge(response)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof RobotsRefusal) return refusedBy(error.answer)
    if (!(error instanceof EgressError)) throw error
    return {
      outcome: 'failed',
      reason: { code: error.reason, message: error.message },
      retry: error.reason === 'timeout' || error.reason === 'connection',
      response: null,
    }
  } finally {
    notes?.ended(clock.now())
  }
}

/** Maps a status to an outcome: 401, 403, 429 and challenges are `blocked`, other errors `failed`. */
function judge(response: EgressResponse): Tried {
  const { status } = response
  const reason: PageReason = {
    code: `http_${status}`,
    message: `The site answered ${status}`,
  }
  if (response.headers['cf-mitigated'] === 'challenge')
    return {
      outcome: 'blocked',
      reason: { code: 'challenge', message: 'The site answered with a challenge page' },
      response,
    }
  if (status === 429) return { outcome: 'blocked', reason, retry: true, response }
  if (status === 401 || status === 403) return { outcome: 'blocked', reason, response }
  if (status < 200 || status >= 300)
    return { outcome: 'failed', reason, retry: status >= 500 || status === 408, response }
  if (response.truncated)
    return {
      outcome: 'failed',
      reason: {
        code: 'too_large',
        message: `The page is larger than the limit${limitText(response)}`,
      },
      response,
    }
  return { outcome: 'fetched', reason: null, response }
}

function limitText({ maxBytes }: EgressResponse): string {
  if (maxBytes === undefined) return ''
  return maxBytes % MIB === 0 ? ` of ${maxBytes / MIB} MiB` : ` of ${maxBytes} bytes`
}

/**
 * The `Referer` of a file that a page names, as browsers send it by default (Referrer Policy,
 * strict-origin-when-cross-origin).
 */
export function refererOf(pageUrl: string, url: NormalUrl): Readonly<Record<string, string>> {
  const page = partsOf(pageUrl)
  if (page === null || (page.protocol === 'https:' && !url.startsWith('https:'))) return {}
  return { referer: page.origin === originOf(url) ? pageUrl : `${page.origin}/` }
}
