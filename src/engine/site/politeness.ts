import type { Clock } from '../../ports/clock.ts'

/** How a request to a host went. */
export interface PoliteAnswer {
  /** `null`: no answer came. */
  readonly status: number | null
  /** What `Retry-After` asked for, see `parseRetryAfter`. */
  readonly retryAfterMs?: number | null
  /** True if no answer came in time; counts as pushing back. */
  readonly timedOut?: boolean
}

/**
 * When each host may be asked again. Times are Unix milliseconds; URLs are absolute. It keeps no
 * timers: the worker asks, waits, and asks again.
 */
export interface Politeness {
  /**
   * How long to wait until the host of this URL may be asked, 0 for now; `Infinity` while it has
   * all the requests it may have.
   */
  nextDelay(url: string): number
  /** Takes the host's turn: a request to it begins now. */
  started(url: string): void
  /**
   * A turn begun with `started` or `reserve` has ended; without an answer nothing was asked of the
   * host.
   */
  finished(url: string, answer?: PoliteAnswer): void
  /**
   * Takes the host's next turn, which may lie in the future, and tells when it is; counts as
   * `started`. Turns that were taken before a host pushed back keep their time, so ask
   * `pausedUntil` when the turn has come.
   */
  reserve(url: string): number
  /**
   * The time before which the host wants no request at all, because of `Retry-After` or errors; 0
   * if there is none.
   */
  pausedUntil(url: string): number
  /** Sets the least time between requests that the host's robots.txt asks for. */
  setCrawlDelay(url: string, ms: number | null): void
  /**
   * What to begin with when the same hosts are asked again later. `unused`: turns that were
   * reserved, and are given back.
   */
  turns(unused: Iterable<readonly [url: string, at: number]>): HostTurn[]
}

/**
 * What is known of a host that may not be asked at any time; to be kept while nobody asks it. Times
 * are Unix milliseconds.
 */
export interface HostTurn {
  /** Host, with its port where that is written. */
  readonly host: string
  /** Before this it wants no request. */
  readonly next: number
  readonly crawlDelayMs: number
  readonly backoffMs: number
}

/** Options of {@link createPoliteness}. */
export interface PolitenessOptions {
  readonly clock: Clock
  /** Least time from the start of one request to a host to the start of the next. */
  readonly delayMs: number
  /** Requests to a host at a time, as `nextDelay` counts them. Default: no limit. */
  readonly maxPerHost?: number
  /** What was known of hosts when they were asked last. */
  readonly turns?: readonly HostTurn[]
}

interface Host {
  /** Start of the next turn. */
  next: number
  crawlDelayMs: number
  /** Extra time between requests, grown by each pushing back and shrunk by each success. */
  backoffMs: number
  pausedUntil: number
  running: number
}

const MAX_CRAWL_DELAY_MS = 30_000
const FIRST_BACKOFF_MS = 1_000
const MAX_BACKOFF_MS = 60_000
const MAX_PAUSE_MS = 10 * 60_000
// Five successes halve the extra time or so; under the least it is gone.
const DECAY = 0.87
const LEAST_BACKOFF_MS = 100
// Statuses by which a server says that it is asked too much.
const PUSH_BACK: ReadonlySet<number> = new Set([429, 503])
const MAX_HOSTS = 10_000

/**
 * A scheduler by host: a pure state machine over the clock's time. Without delays it holds nothing
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
    const key = authority(url)
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
    return hosts.size === 0 ? undefined : hosts.get(authority(url))
  }
  function take(host: Host, now: number): number {
    const at = Math.max(now, host.next, host.pausedUntil)
    host.next = at + Math.max(delayMs, host.crawlDelayMs, host.backoffMs)
    host.running++
    return at
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
      // robots.txt is read in the first turn: the next one keeps its distance from that.
      host.next = Math.max(host.next, clock.now() + crawlDelayMs)
    },
    turns(unused) {
      const given = new Map<string, number>()
      for (const [url, at] of unused)
        given.set(authority(url), Math.min(at, given.get(authority(url)) ?? Infinity))
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

/**
 * Host and port, cut out of the text: cheaper than a parsed URL, and only ever compared with
 * itself.
 */
function authority(url: string): string {
  const from = url.indexOf('//') + 2
  const to = url.indexOf('/', from)
  return to < 0 ? url.slice(from) : url.slice(from, to)
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
