import type { Politeness } from '../../engine/site/politeness.ts'
import type { FrontierRecord } from '../../features/executions/records.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Frontier } from '../commit/frontier.ts'
import type { PageOutcome } from './outcome.ts'

/** Most pages that wait for their hosts. */
const MAX_WAITING = 200

/** Gives a run its next pages, and has them visited in the turns of their hosts. */
export interface PageQueue {
  /** Pages that are visited at the same time. */
  readonly concurrency: number
  /** How many more pages the run may take before it gets some back. */
  readonly room: number
  /** Pages that wait for their hosts before the run takes them, and when they may be visited. */
  readonly waiting: ReadonlyMap<FrontierRecord, number>
  /** True if more pages wait than the queue may hold. */
  readonly isFull: boolean
  /** True if other processes may continue with pages that the run has taken after its turn is over. */
  readonly isShared: boolean
  /** Takes the next page; `null`: none may be visited now. */
  next(now: number): FrontierRecord | null
  /** Returns the outcome of a page that was taken. Rejects when the signal aborts. */
  visit(entry: FrontierRecord, signal: AbortSignal): Promise<PageOutcome>
  /** Works until the signal aborts. Calls `wake` when a page may be taken, or when it has failed. */
  work(signal: AbortSignal, wake: () => void): void
  /** @throws the error that stopped the queue, if one did */
  check(): void
  /** Resolves when its work has stopped. */
  settled(): Promise<void>
}

interface LocalQueueOptions extends Pick<PageQueue, 'visit'> {
  readonly frontier: Pick<Frontier, 'next'>
  readonly politeness: Politeness
  readonly clock: Clock
  /** Pages at the same time. */
  readonly concurrency: number
  /** True if a page is stored, so that its host is not asked. */
  readonly isStored: (entry: FrontierRecord) => boolean
}

/**
 * The pages of a run that this process visits alone. Its `Politeness` knows all turns of all hosts,
 * so each page has its time before it waits. Pages come in the order of their discovery, but for
 * those that have to wait, and only a page whose time has come is counted to the run's limits.
 *
 * A coordinator knows a host's turns from reports alone. It gives out a host's second page when the
 * first has come back, and takes pages ahead of their time. With one process that would cost each
 * host a round trip, and other pages would meet the limits. So `HostQueues` is for coordinators.
 */
export class LocalQueue implements PageQueue {
  readonly isShared = false
  readonly visit: PageQueue['visit']
  readonly #options: LocalQueueOptions
  readonly #waiting = new Map<FrontierRecord, number>()
  #signal: AbortSignal = AbortSignal.abort()
  #wake: () => void = () => {}

  constructor(options: LocalQueueOptions) {
    this.#options = options
    this.visit = options.visit
  }

  get concurrency(): number {
    return this.#options.concurrency
  }

  get room(): number {
    return this.#options.concurrency
  }

  get waiting(): ReadonlyMap<FrontierRecord, number> {
    return this.#waiting
  }

  get isFull(): boolean {
    return this.#waiting.size >= MAX_WAITING
  }

  next(now: number): FrontierRecord | null {
    const { frontier, politeness, isStored } = this.#options
    for (const [entry, turnAt] of this.#waiting) {
      if (turnAt > now) continue
      this.#waiting.delete(entry)
      // The host may have asked for a pause since this turn was reserved.
      const pausedUntil = politeness.pausedUntil(entry.url)
      if (pausedUntil <= now) return entry
      this.#wait(entry, pausedUntil, now)
    }
    while (!this.isFull) {
      const entry = frontier.next()
      if (!entry || isStored(entry)) return entry
      const turnAt = politeness.reserve(entry.url)
      if (turnAt <= now) return entry
      this.#wait(entry, turnAt, now)
    }
    return null
  }

  #wait(entry: FrontierRecord, until: number, now: number): void {
    this.#waiting.set(entry, until)
    this.#options.clock.sleep(until - now, this.#signal).then(this.#wake, () => {})
  }

  work(signal: AbortSignal, wake: () => void): void {
    this.#signal = signal
    this.#wake = wake
  }

  check(): void {}

  async settled(): Promise<void> {}
}
