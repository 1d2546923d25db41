import { StoreFailure } from '../../kernel/failures.ts'
import { mostWork } from '../../engine/plan/plan.ts'
import { highestPrice, priceOf } from '../../kernel/price.ts'
import { isVisited } from '../../features/executions/records.ts'
import type { FrontierRecord } from '../../features/executions/records.ts'
import { emptyOutcome, writablePage } from '../visit/outcome.ts'
import type { WritablePage } from '../visit/outcome.ts'
import { BYTES_WAITING } from '../visit/page-queue.ts'
import type { Rest, RunOptions, Stop } from './run-options.ts'

/** A group of this many outcomes is committed at once. */
const GROUP = 50
/** With this many outcomes waiting for a commit, the run starts no more pages. */
const GROUP_WAITING = 200
/** With this many pages waiting for their hosts, the links of an outcome can wait for others. */
const MANY_WAITING = 1_000
/** The longest time, in ms, that an outcome waits for others to share its commit. */
const GROUP_MS = 250

/**
 * The same two limits in bytes of rows, links and kept pages. With `BYTES_GROUP`, a group is
 * committed at once, and no more pages join it. With `BYTES_WAITING` in waiting outcomes and
 * expected from pages in progress, the run starts no more pages.
 */
const BYTES_GROUP = 8 * 1_024 * 1_024

/** An outcome that waits for its commit. */
interface WaitingPage {
  readonly page: WritablePage['page']
  /** Its size within a group, in bytes. */
  readonly size: number
  /** Bytes that it stores. */
  readonly storable: number
}

/**
 * Visits an execution's URLs with bounded concurrency and commits their outcomes in groups, until
 * nothing is left or a limit is met.
 */
export class Run {
  readonly #options: RunOptions
  readonly #abort = new AbortController()
  /** Outcomes that wait for their commit. */
  readonly #group: WaitingPage[] = []
  #groupSince = 0
  #groupBytes = 0
  /** Bytes that outcomes will store: of those that wait, and of those that are being committed. */
  #unstored = 0
  /**
   * Expected bytes of a page in progress, in memory and in the store: the maximum of recent pages.
   * Media are stored before their page arrives.
   */
  #pageBytes = 0
  #pageStores = 0
  #inflight = 0
  /** Pages started in this turn, and outcomes committed in it. */
  #taken = 0
  #settled = 0
  /** Pages and credits in use: committed, waiting for a commit, or in flight. */
  #pages: number
  #credits: number
  /** Maximum price of a page. It is counted for a page until its outcome is known. */
  readonly #highest: number
  #stop: Stop | null = null
  /** The error of a visit or of the queue, which ends the run. */
  #broken: { readonly cause: unknown } | null = null
  #wake: () => void = () => {}

  constructor(options: RunOptions) {
    this.#options = options
    this.#pages = options.journal.progress.visited
    this.#credits = options.journal.progress.credits
    this.#highest = highestPrice(options.prices, mostWork(options.plan))
  }

  /** @throws {Overtaken} and any error of the store */
  async crawl(): Promise<Stop> {
    const { signal, clock, deadline, queue, turn } = this.#options
    const onAbort = (): void => this.#halt('interrupted')
    signal.addEventListener('abort', onAbort, { once: true })
    const onTurn = (): void => this.#wake()
    turn.over.addEventListener('abort', onTurn, { once: true })
    if (signal.aborted) onAbort()
    if (deadline !== null && deadline <= clock.now()) this.#halt('time_limit')
    else if (deadline !== null) this.#after(deadline - clock.now(), () => this.#halt('time_limit'))
    this.#keepBeating()
    this.#leaveInTime()
    const queueing = queue
      .work(this.#abort.signal, () => {
        this.#launch()
        this.#wake()
      })
      .catch((error: unknown) => this.#break(error))
    try {
      return await this.#loop()
    } finally {
      signal.removeEventListener('abort', onAbort)
      turn.over.removeEventListener('abort', onTurn)
      this.#abort.abort()
      await queueing
      await this.#options.allowance?.settled()
    }
  }

  async #loop(): Promise<Stop> {
    const { frontier, journal, fence, clock, allowance, byteRoom, queue, turn } = this.#options
    for (;;) {
      const changed = new Promise<void>((resolve) => (this.#wake = resolve))
      if (this.#broken) throw this.#broken.cause
      this.#launch()
      if (!this.#stop)
        allowance?.ask(this.#credits, this.#inflight === 0 && this.#group.length === 0, () =>
          this.#wake(),
        )
      if (this.#groupIsDue()) {
        const group = this.#takeGroup()
        await journal.write({
          outcomes: group.map(({ page }) => page),
          isLate: () => this.#stop === 'time_limit',
        })
        queue.settled(group.map(({ page }) => page.entry))
        await this.#noteProgress(group.length)
        this.#unstored -= group.reduce((sum, { storable }) => sum + storable, 0)
        await byteRoom.renew()
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
      if (!this.#stop && queue.isLow) {
        await queue.fill()
        continue
      }
      if (this.#inflight === 0)
        this.#stop ??= queue.waiting === 0 && frontier.exhausted ? 'exhausted' : this.#limit()
      this.#giveWay()
      turn.idle(this.#inflight === 0 && queue.waiting > 0)
      if (!this.#stop || this.#inflight > 0) await changed
      turn.idle(false)
    }
  }

  /** Starts pages until concurrency or a limit is reached, or every waiting host needs a pause. */
  #launch(): void {
    const { allowance, byteRoom, queue } = this.#options
    const room = this.#room
    while (
      !this.#stop &&
      !this.#isLeaving &&
      this.#inflight < room &&
      this.#group.length < GROUP_WAITING &&
      this.#groupBytes + this.#inflight * this.#pageBytes < BYTES_WAITING &&
      this.#limit() === null &&
      // Near the cap of bytes, waiting outcomes are committed first, so that the cap is exceeded
      // only a little.
      byteRoom.hasRoom(this.#unstored + this.#inflight * this.#pageStores) &&
      allowance?.covers(this.#credits) !== false
    ) {
      const entry = queue.next()
      if (!entry) return
      this.#inflight++
      this.#taken++
      this.#pages++
      this.#credits += this.#highest
      void this.#visit(entry)
    }
  }

  get #room(): number {
    // A careful run commits each page before it starts the next. If a page kills its worker, all
    // pages before it are committed.
    if (this.#isCareful) return this.#group.length === 0 ? 1 : 0
    return this.#options.queue.room
  }

  get #isCareful(): boolean {
    return this.#options.lost > 0 && this.#settled < this.#options.plan.crawl.concurrency + GROUP
  }

  /** A turn visits some pages even if it ends at once. Otherwise a run might never finish. */
  get #isLeaving(): boolean {
    const { turn, queue } = this.#options
    return (
      turn.over.aborted && (queue.isShared ? this.#settled > 0 : this.#taken >= queue.concurrency)
    )
  }

  /**
   * Stops the run when another account's turn has come and every outcome is committed. A run
   * that is not shared also waits until no page is in flight.
   */
  #giveWay(): void {
    const { turn, queue } = this.#options
    if (!turn.over.aborted || this.#stop || this.#group.length > 0) return
    if (
      queue.isShared
        ? this.#settled > 0
        : this.#inflight === 0 && (this.#taken > 0 || queue.waiting > 0)
    )
      this.#halt('gave_way')
  }

  async #noteProgress(pages: number): Promise<void> {
    const { turn } = this.#options
    if (this.#settled === 0) await turn.progress()
    this.#settled += pages
    if (!this.#isCareful) turn.clear()
  }

  /** Facts for the next turn: when to resume, and when each host may be asked again. */
  rest(): Rest {
    const { politeness, clock, queue } = this.#options
    return { resumeAt: clock.now() + queue.wait, hosts: politeness.hosts() }
  }

  async #visit(entry: FrontierRecord): Promise<void> {
    const { visit, logger } = this.#options
    try {
      this.#arrive(await writablePage(await visit(entry, this.#abort.signal)))
    } catch (error) {
      // The error does not come from the page, so it stays in the frontier for the next delivery of
      // the job.
      if (error instanceof StoreFailure) this.#break(error)
      else if (!this.#abort.signal.aborted) {
        logger.error('A page could not be processed', {
          url: entry.url,
          execution: entry.execution,
          error,
        })
        this.#arrive({
          page: emptyOutcome(entry, 'failed', {
            code: 'internal_error',
            message: 'The page could not be processed',
          }),
          bytes: 0,
          size: 0,
        })
      }
    } finally {
      this.#inflight--
      this.#launch()
      this.#wake()
    }
  }

  #arrive(arrived: WritablePage): void {
    const { page, bytes, size } = arrived
    if (!isVisited(page.outcome)) this.#pages--
    const { prices } = this.#options
    this.#credits += priceOf(page.outcome, prices, page) - this.#highest
    const waiting = { page, size, storable: storableOf(arrived) }
    this.#groupBytes += waiting.size
    this.#unstored += waiting.storable
    this.#pageBytes = Math.max(bytes, Math.floor(this.#pageBytes * 0.9))
    this.#pageStores = Math.max(waiting.storable, Math.floor(this.#pageStores * 0.9))
    if (this.#group.push(waiting) === 1) {
      this.#groupSince = this.#options.clock.now()
      this.#after(GROUP_MS, () => this.#wake())
    }
  }

  /** Takes the next outcomes to commit: all of them, unless they are large. */
  #takeGroup(): WaitingPage[] {
    let bytes = 0
    let count = 0
    for (const { size } of this.#group) {
      if (bytes >= BYTES_GROUP) break
      bytes += size
      count++
    }
    this.#groupBytes -= bytes
    return this.#group.splice(0, count)
  }

  #groupIsDue(): boolean {
    const { frontier, clock, queue } = this.#options
    if (this.#group.length === 0) return false
    if (
      this.#isCareful ||
      this.#group.length >= GROUP ||
      this.#groupBytes >= BYTES_GROUP ||
      this.#inflight === 0 ||
      clock.now() - this.#groupSince >= GROUP_MS
    )
      return true
    // Capacity is idle, and the links of these outcomes become visible only with their commit.
    return (
      frontier.ready === 0 &&
      this.#inflight < queue.concurrency &&
      queue.waiting < MANY_WAITING &&
      this.#group.some(({ page }) => page.links.length > 0)
    )
  }

  #limit(): Stop | null {
    const { plan, maxCredits, allowance, byteRoom } = this.#options
    if (this.#pages >= plan.limits.maxPages) return 'page_limit'
    if (maxCredits !== null && this.#credits + this.#highest > maxCredits) return 'credit_limit'
    if (!byteRoom.hasRoom()) return 'bytes_limit'
    return allowance?.spent(this.#credits) ? 'daily_cap' : null
  }

  #break(cause: unknown): void {
    this.#broken ??= { cause }
    this.#wake()
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

  /**
   * Aborts open requests before another worker may ask the same hosts. This depends on the clock
   * alone, because a store that does not answer cannot report a new holder of the fence.
   */
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

/** About how many bytes a page stores: rows, a kept page and media. */
function storableOf({ page, bytes }: WritablePage): number {
  return page.media.items.reduce((sum, item) => sum + item.bytes, bytes)
}
