import type { Clock } from '../../ports/clock.ts'
import { EgressError } from '../egress/types.ts'
import type { Egress, EgressErrorReason, EgressResponse, RedirectTarget } from '../egress/types.ts'
import { NO_RULES, parseRobots } from './robots-rules.ts'
import type { RobotsRules } from './robots-rules.ts'
import { DAY_MS } from '../../kernel/time.ts'
import { originOf, pathOf } from '../../kernel/url.ts'
import type { NormalUrl } from '../../kernel/url.ts'

/** The answer to whether a URL may be visited. */
export type RobotsAnswer =
  | {
      readonly allowed: true
      readonly crawlDelayMs: number | null
      readonly sitemaps: readonly string[]
      /** The line that allows the URL. Absent: no line matches it. */
      readonly rule?: string
    }
  | {
      readonly allowed: false
      readonly reason: 'disallowed'
      readonly detail: string
      /** The line that forbids the URL. */
      readonly rule?: string
    }
  | {
      readonly allowed: false
      readonly reason: 'unreachable'
      readonly detail: string
      readonly failure: EgressErrorReason
    }

/** Fetches and checks robots.txt (RFC 9309), once per origin and day. */
export interface Robots {
  /** Takes a parsed URL: no text is parsed here. Rejects only with the signal's reason. */
  check(url: NormalUrl | RedirectTarget, signal: AbortSignal): Promise<RobotsAnswer>
}

type Verdict = RobotsRules | Extract<RobotsAnswer, { allowed: false }>

interface Entry {
  readonly verdict: Promise<Verdict>
  /** Ends the fetch; `null`: it is over. */
  controller: AbortController | null
  waiting: number
  /** Unix milliseconds; `Infinity` during the fetch. */
  until: number
  /** Characters held in memory. */
  weight: number
}

// A failing site is retried soon. Until then it counts as disallowing everything, which RFC 9309
// 2.3.1.4 allows.
const FAILURE_MS = 60_000
/** Requests of one file whose connections fail, and the first pause between two. */
const TRIES = 3
const FIRST_RETRY_MS = 500
const MAX_WEIGHT = 32 * 1024 * 1024
/** A file without rules takes memory, too. In characters. */
const LEAST_WEIGHT = 1_000

/** A bounded cache of robots.txt files. Concurrent callers share one fetch. */
export function createRobots({
  egress,
  clock,
  userAgentToken,
  maxOrigins = 20_000,
}: {
  readonly egress: Egress
  readonly clock: Clock
  /** The crawler's name in robots.txt (RFC 9309, 2.2.1). */
  readonly userAgentToken: string
  /** Maximum number of cached origins. Default 20,000. */
  readonly maxOrigins?: number
}): Robots {
  const entries = new Map<string, Entry>()
  let weight = 0

  function drop(origin: string, entry: Entry): void {
    if (entries.get(origin) !== entry) return
    entries.delete(origin)
    weight -= entry.weight
  }

  function open(origin: string): Entry {
    const controller = new AbortController()
    const entry: Entry = { verdict: ask(), controller, waiting: 0, until: Infinity, weight: 0 }
    async function ask(): Promise<Verdict> {
      const { signal } = controller
      const { verdict, size } = await fetchRules(
        () => requestRules(egress, clock, origin, signal),
        origin,
        userAgentToken,
      )
      entry.until = clock.now() + ('allows' in verdict ? DAY_MS : FAILURE_MS)
      entry.controller = null
      if (entries.get(origin) !== entry) return verdict
      entry.weight = LEAST_WEIGHT + size
      weight += entry.weight
      for (const [oldest, other] of entries) {
        if (entries.size <= maxOrigins && weight <= MAX_WEIGHT) break
        if (other !== entry && other.waiting === 0) drop(oldest, other)
      }
      return verdict
    }
    entry.verdict.catch(() => drop(origin, entry))
    return entry
  }

  return {
    async check(url, signal) {
      signal.throwIfAborted()
      const isText = typeof url === 'string'
      const origin = isText ? originOf(url) : url.origin
      let entry = entries.get(origin)
      if (entry !== undefined && entry.until <= clock.now()) {
        drop(origin, entry)
        entry = undefined
      }
      entry ??= open(origin)
      entries.delete(origin) // Insert again at the end: the map's order is least recently used first.
      entries.set(origin, entry)
      const verdict = await wait(entry, signal, () => drop(origin, entry))
      if (!('allows' in verdict)) return verdict
      const decided = await verdict.ruleFor(isText ? pathOf(url) : url.pathname + url.search)
      const rule = decided && { rule: decided.line }
      if (decided?.allow !== false) {
        const { crawlDelayMs, sitemaps } = verdict
        return { allowed: true, crawlDelayMs, sitemaps, ...rule }
      }
      return {
        allowed: false,
        reason: 'disallowed',
        detail: 'The robots.txt of the site forbids this URL.',
        ...rule,
      }
    },
  }
}

/**
 * Waits for the shared fetch. A caller that aborts does not affect the others; when the last caller
 * aborts, the fetch ends.
 */
async function wait(entry: Entry, signal: AbortSignal, forget: () => void): Promise<Verdict> {
  if (entry.until !== Infinity) return entry.verdict
  entry.waiting++
  let leave: () => void = () => {}
  const left = new Promise<never>((_, reject) => {
    leave = () => reject(signal.reason)
    signal.addEventListener('abort', leave, { once: true })
  })
  try {
    return await Promise.race([entry.verdict, left])
  } finally {
    signal.removeEventListener('abort', leave)
    entry.waiting--
    if (signal.aborted && entry.waiting === 0 && entry.until === Infinity) {
      forget()
      entry.controller?.abort()
    }
  }
}

/** A lost connection would fail all pages of a site, so it is tried again, like that of a page. */
async function requestRules(
  egress: Egress,
  clock: Clock,
  origin: string,
  signal: AbortSignal,
): Promise<EgressResponse> {
  for (let attempt = 1; ; attempt++)
    try {
      return await egress({ url: `${origin}/robots.txt`, purpose: 'robots', signal })
    } catch (error) {
      const mayRetry = error instanceof EgressError && error.reason === 'connection'
      if (!mayRetry || attempt === TRIES) throw error
      await clock.sleep(FIRST_RETRY_MS * 2 ** (attempt - 1), signal)
    }
}

async function fetchRules(
  request: () => Promise<EgressResponse>,
  origin: string,
  token: string,
): Promise<{ verdict: Verdict; size: number }> {
  try {
    const { status, body } = await request()
    // A site that is busy has not said that it has no rules.
    if (status >= 500 || status === 429 || status === 408) {
      const detail = `The robots.txt of the site answered ${status}, which forbids crawling until it can be read.`
      return { verdict: unreachable(detail, 'protocol'), size: 0 }
    }
    if (status < 200 || status > 299) return { verdict: NO_RULES, size: 0 }
    const text = new TextDecoder().decode(body)
    return { verdict: parseRobots(text, token, origin), size: text.length }
  } catch (error) {
    if (!(error instanceof EgressError) || error.reason === 'aborted') throw error
    // RFC 9309 2.3.1.2: more than five redirects may count as a missing robots.txt.
    if (error.reason === 'too_many_redirects') return { verdict: NO_RULES, size: 0 }
    const detail = `The robots.txt of the site could not be fetched. ${error.message}`
    return { verdict: unreachable(detail, error.reason), size: 0 }
  }
}

function unreachable(detail: string, failure: EgressErrorReason): Verdict {
  return { allowed: false, reason: 'unreachable', detail, failure }
}
