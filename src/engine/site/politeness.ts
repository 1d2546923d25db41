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
  /**
   * Returns the wait in milliseconds until the host of this URL may be requested. 0 means now;
   * `Infinity` means that the host has its maximum of concurrent requests.
   */
  nextDelay(url: string): number
  /** Takes the host's turn: a request to the host begins now. */
  started(url: string): void
  /**
   * Ends a turn that `started` or `reserve` began. Without `answer`, no request was sent to the
   * host.
   */
  finished(url: string, answer?: PoliteAnswer): void
  /**
   * Takes the host's next turn and returns its time, which may be in the future. Counts as
   * `started`. A turn taken before a host pushed back keeps its time, so call `pausedUntil` when
   * the turn comes.
   */
  reserve(url: string): number
  /**
   * Returns the time before which the host accepts no request, because of `Retry-After` or errors.
   * 0 if there is no pause.
   */
  pausedUntil(url: string): number
  /** Sets the minimum interval between requests that the host's robots.txt asks for. */
  setCrawlDelay(url: string, ms: number | null): void
  /**
   * Returns the state to start from when the same hosts are requested later. `unused` lists
   * reserved turns that are given back.
   */
  turns(unused: Iterable<readonly [url: string, at: number]>): HostTurn[]
}

/**
 * The state of a host that has to wait, to be stored while no requests are sent to it. Times are
 * Unix milliseconds.
 */
export interface HostTurn {
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
  /** Maximum number of concurrent requests to a host, as `nextDelay` counts them. Default: no limit. */
  readonly maxPerHost?: number
  /** State of hosts from an earlier `turns` call. */
  readonly turns?: readonly HostTurn[]
}

interface Host {
  /** Start of the next turn. */
  next: number
  crawlDelayMs: number
  /** Extra interval between requests. Each push-back increases it, each success reduces it. */
  backoffMs: number
  pausedUntil: number
  running: number
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
  maxPerHost = Infinity,
  turns = [],
}: PolitenessOptions): Politeness {
  const hosts = new Map<string, Host>()
  for (const { host, next, crawlDelayMs, backoffMs } of turns)
    hosts.set(host, { next, crawlDelayMs, backoffMs, pausedUntil: 0, running: 0 })
  const isCounting = delayMs > 0 || maxPerHost !== Infinity

  function hostOf(url: string): Host {
    const key = authorityOf(url)
    let host = hosts.get(key)
    if (host === undefined) {
      host = { next: 0, crawlDelayMs: 0, backoffMs: 0, pausedUntil: 0, running: 0 }
      if (hosts.size >= MAX_HOSTS) forgetIdle(hosts, clock.now())
      hosts.set(key, host)
    }
    return host
  }
  function known(url: string): Host | undefined {
    if (isCounting) return hostOf(url)
    return hosts.size === 0 ? undefined : hosts.get(authorityOf(url))
  }
  function take(host: Host, now: number): number {
    const turnAt = Math.max(now, host.next, host.pausedUntil)
    host.next = turnAt + Math.max(delayMs, host.crawlDelayMs, host.backoffMs)
    host.running++
    return turnAt
  }

  function adapt(url: string, answer: PoliteAnswer): void {
    const isPushedBack =
      answer.timedOut === true || (answer.status !== null && PUSH_BACK.has(answer.status))
    const host = isPushedBack ? hostOf(url) : known(url)
    if (host === undefined) return
    if (isPushedBack) slowDown(host, answer.retryAfterMs ?? 0, clock.now())
    else if (answer.status !== null) host.backoffMs = decayed(host.backoffMs)
  }

  return {
    nextDelay(url) {
      const host = known(url)
      if (host === undefined) return 0
      return host.running >= maxPerHost
        ? Infinity
        : Math.max(0, Math.max(host.next, host.pausedUntil) - clock.now())
    },
    started(url) {
      const host = known(url)
      if (host !== undefined) take(host, clock.now())
    },
    reserve(url) {
      const host = known(url)
      return host === undefined ? clock.now() : take(host, clock.now())
    },
    pausedUntil(url) {
      return known(url)?.pausedUntil ?? 0
    },
    finished(url, answer) {
      if (answer !== undefined) adapt(url, answer)
      const host = known(url)
      if (host !== undefined) host.running = Math.max(0, host.running - 1)
    },
    setCrawlDelay(url, ms) {
      if (ms === null && !isCounting && hosts.size === 0) return
      const crawlDelayMs = Math.min(Math.max(ms ?? 0, 0), MAX_CRAWL_DELAY_MS)
      const host = crawlDelayMs > 0 ? hostOf(url) : known(url)
      if (host === undefined || host.crawlDelayMs === crawlDelayMs) return
      host.crawlDelayMs = crawlDelayMs
      // robots.txt is fetched in the first turn, so the next turn keeps its distance from that
      // request.
      host.next = Math.max(host.next, clock.now() + crawlDelayMs)
    },
    turns(unused) {
      const given = new Map<string, number>()
      for (const [url, turnAt] of unused)
        given.set(authorityOf(url), Math.min(turnAt, given.get(authorityOf(url)) ?? Infinity))
      return [...hosts].flatMap(([host, { next, pausedUntil, crawlDelayMs, backoffMs }]) => {
        const from = Math.max(Math.min(next, given.get(host) ?? next), pausedUntil)
        return from > clock.now() || crawlDelayMs > 0 || backoffMs > 0
          ? [{ host, next: from, crawlDelayMs, backoffMs }]
          : []
      })
    },
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
      host.running === 0 &&
      host.next <= now &&
      host.pausedUntil <= now &&
      host.crawlDelayMs === 0 &&
      host.backoffMs === 0
    )
      hosts.delete(key)
  }
}
