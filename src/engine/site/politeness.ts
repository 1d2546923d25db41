import { authorityOf } from '../../kernel/url.ts'
import type { Clock } from '../../ports/clock.ts'

/** The outcome of a request to a host. */
export interface PoliteAnswer {
  /** `null` if no response came. */
  readonly status: number | null
  /** The wait from `Retry-After`, see `parseRetryAfter`. */
  readonly retryAfterMs?: number | null
  /** True if the request timed out. A timeout counts as push-back. */
  readonly timedOut?: boolean
}

/**
 * Decides when each host may be requested again. Times are Unix milliseconds. URLs are absolute. It
 * has no timers: the worker asks, waits, and asks again.
 */
export interface Politeness {
  /** Returns the wait in milliseconds until the host of this URL may be requested. 0 means now. */
  nextDelay(url: string): number
  /** Adjusts the rate of requests to the host by the outcome of a request. */
  finished(url: string, answer: PoliteAnswer): void
  /**
   * Reserves the host's next request and returns its time, which may be in the future. If the host
   * pushes back meanwhile, the time does not change, so call `pausedUntil` at that time.
   */
  reserve(url: string): number
  /**
   * Returns the time at which a reserved request may be sent, and counts it as sent then: now, or
   * `delayMs` after the request that was sent before it. That is later than now if a robots.txt or
   * a retry let both come to their turn at once. The interval of robots.txt is not waited for here:
   * pages that were reserved before it was known would hold their places for too long.
   */
  send(url: string): number
  /**
   * Returns the time before which the host accepts no request, because of `Retry-After` or errors.
   * 0 if there is no pause.
   */
  pausedUntil(url: string): number
  /** Sets the minimum interval between requests according to the host's robots.txt. */
  setCrawlDelay(url: string, ms: number | null): void
  /** Returns the facts about the host that another process needs before it sends requests to it. */
  timingOf(url: string): HostTiming
  /** Returns the state to start from when the same hosts are requested later. */
  hosts(): HostState[]
}

/** The time when a host may be requested again, and the minimum time between two requests to it. */
export interface HostTiming {
  /** Unix milliseconds. */
  readonly next: number
  readonly spacing: number
}

/**
 * The state of a host that has to wait, to be stored while no requests are sent to it. Times are
 * Unix milliseconds.
 */
export interface HostState {
  /** The hostname, with the port if the URL has one. */
  readonly host: string
  /** The earliest time of the next request. */
  readonly next: number
  readonly crawlDelayMs: number
  readonly backoffMs: number
}

/** Options of {@link createPoliteness}. */
export interface PolitenessOptions {
  readonly clock: Clock
  /** Minimum interval between the starts of two requests to one host. */
  readonly delayMs: number
  /** State of hosts from an earlier `hosts` call. */
  readonly hosts?: readonly HostState[]
}

interface Host {
  /** The earliest time of the next request. */
  next: number
  /** When the last request was sent. */
  sentAt: number
  crawlDelayMs: number
  /** Extra interval between requests. Each push-back increases it, each success reduces it. */
  backoffMs: number
  pausedUntil: number
}

const MAX_CRAWL_DELAY_MS = 30_000
const FIRST_BACKOFF_MS = 1_000
const MAX_BACKOFF_MS = 60_000
const MAX_PAUSE_MS = 10 * 60_000
// About five successes halve the extra interval. Below the minimum it is dropped.
const DECAY = 0.87
const LEAST_BACKOFF_MS = 100
// Statuses with which a server asks for fewer requests.
const PUSH_BACK: ReadonlySet<number> = new Set([429, 503])
const MAX_HOSTS = 10_000

/**
 * A scheduler by host: a pure state machine over the clock's time. Without delays it stores nothing
 * about a host that does not push back.
 */
export function createPoliteness({
  clock,
  delayMs,
  hosts: states = [],
}: PolitenessOptions): Politeness {
  const hosts = new Map<string, Host>()
  for (const { host, next, crawlDelayMs, backoffMs } of states)
    hosts.set(host, { next, sentAt: -Infinity, crawlDelayMs, backoffMs, pausedUntil: 0 })
  const isCounting = delayMs > 0
  /** Number of hosts above which idle ones are forgotten. */
  let mostHosts = MAX_HOSTS

  function hostOf(url: string): Host {
    const key = authorityOf(url)
    let host = hosts.get(key)
    if (host === undefined) {
      host = { next: 0, sentAt: -Infinity, crawlDelayMs: 0, backoffMs: 0, pausedUntil: 0 }
      if (hosts.size >= mostHosts) {
        forgetIdle(hosts, clock.now())
        // The next check is when there are twice as many hosts as remain.
        mostHosts = Math.max(MAX_HOSTS, 2 * hosts.size)
      }
      hosts.set(key, host)
    }
    return host
  }
  function presentHost(url: string): Host | undefined {
    if (isCounting) return hostOf(url)
    return hosts.size === 0 ? undefined : hosts.get(authorityOf(url))
  }
  function spacingOf({ crawlDelayMs, backoffMs }: Host): number {
    return Math.max(delayMs, crawlDelayMs, backoffMs)
  }

  return {
    nextDelay(url) {
      const host = presentHost(url)
      return host === undefined
        ? 0
        : Math.max(0, host.next - clock.now(), host.pausedUntil - clock.now())
    },
    reserve(url) {
      const host = presentHost(url)
      const now = clock.now()
      if (host === undefined) return now
      const requestAt = Math.max(now, host.next, host.pausedUntil)
      host.next = requestAt + spacingOf(host)
      return requestAt
    },
    send(url) {
      const host = presentHost(url)
      const now = clock.now()
      if (host === undefined) return now
      const requestAt = Math.max(now, host.sentAt + delayMs)
      host.sentAt = requestAt
      host.next = Math.max(host.next, requestAt + spacingOf(host))
      return requestAt
    },
    pausedUntil(url) {
      return presentHost(url)?.pausedUntil ?? 0
    },
    finished(url, { status, retryAfterMs, timedOut }) {
      const isPushedBack = timedOut === true || (status !== null && PUSH_BACK.has(status))
      const host = isPushedBack ? hostOf(url) : presentHost(url)
      if (host === undefined) return
      if (isPushedBack) slowDown(host, retryAfterMs ?? 0, clock.now())
      else if (status !== null) host.backoffMs = decayed(host.backoffMs)
    },
    setCrawlDelay(url, ms) {
      if (ms === null && !isCounting && hosts.size === 0) return
      const crawlDelayMs = Math.min(Math.max(ms ?? 0, 0), MAX_CRAWL_DELAY_MS)
      const host = crawlDelayMs > 0 ? hostOf(url) : presentHost(url)
      if (host === undefined || host.crawlDelayMs === crawlDelayMs) return
      host.crawlDelayMs = crawlDelayMs
      // robots.txt was requested just now, so the next request waits for the interval after it.
      host.next = Math.max(host.next, clock.now() + crawlDelayMs)
    },
    timingOf(url) {
      const host = presentHost(url)
      const now = clock.now()
      return host === undefined
        ? { next: now, spacing: 0 }
        : { next: Math.max(now, host.next, host.pausedUntil), spacing: spacingOf(host) }
    },
    hosts: () =>
      [...hosts].flatMap(([host, { next, pausedUntil, crawlDelayMs, backoffMs }]) => {
        const from = Math.max(next, pausedUntil)
        return from > clock.now() || crawlDelayMs > 0 || backoffMs > 0
          ? [{ host, next: from, crawlDelayMs, backoffMs }]
          : []
      }),
  }
}

function slowDown(host: Host, retryAfterMs: number, now: number): void {
  host.backoffMs = Math.min(MAX_BACKOFF_MS, Math.max(FIRST_BACKOFF_MS, host.backoffMs * 2))
  host.pausedUntil = Math.max(
    host.pausedUntil,
    now + Math.min(MAX_PAUSE_MS, Math.max(retryAfterMs, host.backoffMs)),
  )
}

function decayed(backoffMs: number): number {
  return backoffMs * DECAY < LEAST_BACKOFF_MS ? 0 : backoffMs * DECAY
}

function forgetIdle(hosts: Map<string, Host>, now: number): void {
  for (const [key, host] of hosts) {
    if (
      host.next <= now &&
      host.pausedUntil <= now &&
      host.crawlDelayMs === 0 &&
      host.backoffMs === 0
    )
      hosts.delete(key)
  }
}
