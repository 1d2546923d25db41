import { mostWork } from '../engine/recipe/most-work.ts'
import type { Plan } from '../engine/recipe/plan.ts'
import type { Politeness } from '../engine/crawl/politeness.ts'
import type { Clock } from '../ports/clock.ts'
import type { Logger } from '../ports/logger.ts'
import type { FrontierRecord } from '../records/types.ts'
import { isVisited } from '../records/progress.ts'
import type { Allowance } from './allowance.ts'
import type { Crew } from './crew.ts'
import type { Fence } from './fence.ts'
import type { Frontier } from './frontier.ts'
import type { Journal } from './journal.ts'
import { emptyOutcome } from './outcome.ts'
import type { PageOutcome } from './outcome.ts'
import { highestPrice, priceOf } from '../kernel/price.ts'
import type { PriceTable } from '../kernel/price.ts'
import { jsonWeight } from '../kernel/json-pieces.ts'

/** Outcomes that make a commit worth while. */
const GROUP = 50
/** Outcomes that may wait for a commit before no more pages are taken up. */
const MAX_WAITING = 200
/** How long an outcome may wait for others to share its commit. */
const GROUP_MS = 250

/** Bytes of rows, links and pages to be kept that make a commit worth while, and that may wait for one. */
const BYTES_GROUP = 8 * 1_024 * 1_024
const BYTES_WAITING = 4 * BYTES_GROUP
/** What a link counts: a group of them takes as long to settle as so many bytes take to write. */
const LINK_BYTES = 1_000

/** Why a run stopped taking up pages. */
export type Stop = 'exhausted' | 'page_limit' | 'credit_limit' | 'daily_cap' | 'time_limit' | 'interrupted'

/** What a run works with. */
export interface RunOptions {
  readonly plan: Plan
  readonly journal: Journal
  readonly frontier: Frontier
  readonly fence: Fence
  readonly politeness: Politeness
  readonly clock: Clock
  readonly logger: Logger
  readonly leaseMs: number
  readonly prices: PriceTable
  /** The most that the execution may cost in all; `null`: no limit. */
  readonly maxCredits: number | null
  /** What it may spend of the account's day; `null`: as much as it likes. */
  readonly allowance: Allowance | null
  /** Unix ms after which the run stops; `null`: no limit. */
  readonly deadline: number | null
  /** Stops the run, leaving what is not committed to a later one. */
  readonly signal: AbortSignal
  readonly visit: (entry: FrontierRecord, signal: AbortSignal) => Promise<PageOutcome>
  /** Whether a page is at hand without asking its host. */
  readonly isCached: (entry: FrontierRecord) => boolean
  /** Does what `visit` asks for, with other processes, and keeps the hosts' turns; `null`: all is done here. */
  readonly crew: Crew | null
}

/** Visits an execution's URLs with bounded concurrency and commits their outcomes in groups, until nothing is left or a limit is met. */
export class Run {
  readonly #options: RunOptions
  readonly #abort = new AbortController()
  #group: PageOutcome[] = []
  #groupSince = 0
  /** Bytes of what the group is to write. */
  #groupBytes = 0
  #inflight = 0
  /** Pages and credits taken up: committed, waiting or in flight. */
  #pages: number
  #credits: number
  /** What a page may cost, before it is known what it does. */
  readonly #highest: number
  #waiting = new Map<FrontierRecord, number>()
  #stop: Stop | null = null
  #wake: () => void = () => {}

  constructor(options: RunOptions) {
    this.#options = options
    this.#pages = options.journal.progress.visited
    this.#credits = options.journal.progress.credits
    this.#highest = highestPrice(options.prices, mostWork(options.plan))
  }

  /** @throws {Overtaken} and whatever the store throws. */
  async crawl(): Promise<Stop> {
    const { signal, clock, deadline, crew } = this.#options
    const onAbort = (): void => this.#halt('interrupted')
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
    if (deadline !== null) this.#after(deadline - clock.now(), () => this.#halt('time_limit'))
    this.#keepBeating()
    this.#leaveInTime()
    crew?.work(this.#abort.signal, () => {
      this.#launch()
      this.#wake()
    })
    try {
      return await this.#loop()
    } finally {
      signal.removeEventListener('abort', onAbort)
      this.#abort.abort()
      await crew?.settled()
      await this.#options.allowance?.settled()
    }
  }

  async #loop(): Promise<Stop> {
    const { frontier, journal, fence, clock, allowance, crew } = this.#options
    for (;;) {
      const changed = new Promise<void>((resolve) => (this.#wake = resolve))
      crew?.check()
      this.#launch()
      if (!this.#stop) allowance?.ask(this.#credits, this.#inflight === 0 && this.#group.length === 0, () => this.#wake())
      if (this.#groupIsDue()) {
        const group = this.#group
        this.#group = []
        this.#groupBytes = 0
        await journal.write(group)
        continue
      }
      if (fence.due(clock.now())) {
        await journal.beat()
        continue
      }
      if (this.#stop && this.#inflight === 0) return this.#stop
      if (!this.#stop && frontier.ready === 0 && !frontier.exhausted) {
        await frontier.refill()
        continue
      }
      if (this.#inflight === 0) this.#stop ??= this.#waiting.size === 0 && frontier.exhausted ? 'exhausted' : this.#limit()
      if (!this.#stop || this.#inflight > 0) await changed
    }
  }

  /** Takes up pages until all slots are taken, a limit is met, or every waiting host wants a pause. */
  #launch(): void {
    const { plan, clock, allowance, crew } = this.#options
    const room = crew?.room ?? plan.crawl.concurrency
    while (!this.#stop && this.#inflight < room && this.#group.length < MAX_WAITING && this.#groupBytes < BYTES_WAITING && this.#limit() === null && allowance?.covers(this.#credits) !== false) {
      const entry = this.#nextDue(clock.now())
      if (!entry) return
      this.#inflight++
      this.#pages++
      this.#credits += this.#highest
      void this.#visit(entry)
    }
  }

  async #visit(entry: FrontierRecord): Promise<void> {
    const { visit, logger } = this.#options
    try {
      this.#arrive(await visit(entry, this.#abort.signal))
    } catch (error) {
      if (!this.#abort.signal.aborted) {
        logger.error('A page could not be processed', { url: entry.url, execution: entry.execution, error })
        this.#arrive(emptyOutcome(entry, 'failed', { code: 'internal_error', message: 'The page could not be processed' }))
      }
    } finally {
      this.#inflight--
      this.#launch()
      this.#wake()
    }
  }

  #arrive(page: PageOutcome): void {
    if (!isVisited(page.outcome)) this.#pages--
    const { prices } = this.#options
    this.#credits += priceOf(page.outcome, prices, page) - this.#highest
    this.#groupBytes += bytesOf(page)
    if (this.#group.push(page) === 1) {
      this.#groupSince = this.#options.clock.now()
      this.#after(GROUP_MS, () => this.#wake())
    }
  }

  #groupIsDue(): boolean {
    const { frontier, clock, crew, plan } = this.#options
    if (this.#group.length === 0) return false
    if (this.#group.length >= GROUP || this.#groupBytes >= BYTES_GROUP || this.#inflight === 0 || clock.now() - this.#groupSince >= GROUP_MS) return true
    // Slots stand idle while these outcomes hold back the URLs they found.
    return frontier.ready === 0 && this.#inflight < (crew?.slots ?? plan.crawl.concurrency) && this.#group.some((page) => page.links.length > 0)
  }

  #nextDue(now: number): FrontierRecord | null {
    const { frontier, politeness, crew, isCached } = this.#options
    if (crew) return frontier.next()
    for (const [entry, at] of this.#waiting) {
      if (at > now) continue
      this.#waiting.delete(entry)
      // The host may have asked for a pause since this turn was reserved.
      const pausedUntil = politeness.pausedUntil(entry.url)
      if (pausedUntil <= now) return entry
      this.#wait(entry, pausedUntil - now)
    }
    while (this.#waiting.size < MAX_WAITING) {
      const entry = frontier.next()
      if (!entry || isCached(entry)) return entry
      const at = politeness.reserve(entry.url)
      if (at <= now) return entry
      this.#wait(entry, at - now)
    }
    return null
  }

  #wait(entry: FrontierRecord, ms: number): void {
    this.#waiting.set(entry, this.#options.clock.now() + ms)
    this.#after(ms, () => {
      this.#launch()
      this.#wake()
    })
  }

  #limit(): Stop | null {
    const { plan, maxCredits, allowance } = this.#options
    if (this.#pages >= plan.limits.maxPages) return 'page_limit'
    if (maxCredits !== null && this.#credits + this.#highest > maxCredits) return 'credit_limit'
    return allowance?.spent(this.#credits) ? 'daily_cap' : null
  }

  #halt(stop: Stop): void {
    this.#stop ??= stop
    this.#abort.abort()
    this.#wake()
  }

  #keepBeating(): void {
    this.#after(this.#options.leaseMs / 3, () => {
      this.#wake()
      this.#keepBeating()
    })
  }

  /** Ends what is open before another worker may ask the same hosts: a store that does not answer does not tell either that one has taken over. */
  #leaveInTime(): void {
    const { fence, clock } = this.#options
    const left = fence.safeUntil - clock.now()
    if (left <= 0) this.#halt('interrupted')
    else this.#after(left, () => this.#leaveInTime())
  }

  #after(ms: number, then: () => void): void {
    this.#options.clock.sleep(Math.max(0, ms), this.#abort.signal).then(then, () => {})
  }
}

/** About how much there is to write of a page. */
function bytesOf({ rows, links, kept }: PageOutcome): number {
  let bytes = links.length * LINK_BYTES + (kept?.body.length ?? 0)
  for (const row of rows) {
    if (bytes >= BYTES_GROUP) return bytes
    bytes += jsonWeight(row, BYTES_GROUP - bytes)
  }
  return bytes
}
