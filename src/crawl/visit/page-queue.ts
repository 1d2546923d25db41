import type { Politeness } from '../../engine/site/politeness.ts'
import type { FrontierRecord } from '../../features/executions/records.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Frontier } from '../commit/frontier.ts'
import type { VisitOutcome } from './outcome.ts'
import { WaitingPages } from './waiting-pages.ts'

/** When waiting pages have this number of bytes, no more pages are started or read. */
export const BYTES_WAITING = 32 * 1_024 * 1_024

/** Returns the next pages of a run, and has them visited when their hosts may be requested. */
export interface PageQueue {
  /** Pages that are visited at the same time. */
  readonly concurrency: number
  /** Number of further pages that the run may take before outcomes return. */
  readonly room: number
  /** Number of pages that wait for their hosts before the run takes them. */
  readonly waiting: number
  /** Time until the run may take a page, in ms. */
  readonly wait: number
  /** True if the run should call `fill` now. */
  readonly isLow: boolean
  /** True if other processes may continue with pages of the run when its turn is over. */
  readonly isShared: boolean
  /** Takes the next page; `null`: no page may be visited now. */
  next(): FrontierRecord | null
  /** Reads waiting pages from the store. */
  fill(): Promise<void>
  /** Returns the outcome of a page that was taken. Rejects when the signal aborts. */
  visit(entry: FrontierRecord, signal: AbortSignal): Promise<VisitOutcome>
  /**
   * Begins its work, which ends when the signal aborts. Calls `wake` when a page may be taken.
   * Resolves when all work has ended; rejects with the error that ended the work.
   */
  work(signal: AbortSignal, wake: () => void): Promise<void>
  /** The run has committed the outcomes of these pages, and no longer holds them. */
  settled(pages: readonly FrontierRecord[]): void
}

interface LocalQueueOptions extends Pick<PageQueue, 'visit'> {
  readonly frontier: Pick<Frontier, 'next' | 'ready' | 'read'>
  readonly politeness: Politeness
  readonly clock: Clock
  /** Pages at the same time. */
  readonly concurrency: number
  /** True if a page is stored, so that its host is not asked. */
  readonly isStored: (entry: FrontierRecord) => boolean
  /**
   * Hosts whose delay is known before their first page. `null`: no host names one, because
   * robots.txt is not read.
   */
  readonly knownHosts: Iterable<string> | null
}

/**
 * The pages of a run that this process visits alone. Its `Politeness` knows each host's next
 * request as soon as a page is taken. So pages come in the order of discovery, except that a page
 * waits while its host may not be asked. Only a page that may be visited is taken, and counts to
 * the run's limits.
 */
export class LocalQueue implements PageQueue {
  readonly isShared = false
  readonly #options: LocalQueueOptions
  readonly #pages: WaitingPages
  #signal: AbortSignal = AbortSignal.abort()
  #wake: () => void = () => {}
  /** When the run must be woken next, in Unix milliseconds. */
  #wakesAt = Infinity

  constructor(options: LocalQueueOptions) {
    this.#options = options
    this.#pages = new WaitingPages(options)
  }

  get concurrency(): number {
    return this.#options.concurrency
  }

  get room(): number {
    return this.#options.concurrency
  }

  get waiting(): number {
    return this.#pages.size
  }

  get wait(): number {
    if (this.waiting === 0 || !(this.#pages.isFull || this.#options.frontier.ready === 0)) return 0
    const { wait } = this.#pages
    return wait === Infinity ? 0 : wait
  }

  get isLow(): boolean {
    return this.#pages.isLow
  }

  next(): FrontierRecord | null {
    const { frontier, isStored } = this.#options
    let page = this.#pages.next()
    while (page === null && !this.#pages.isFull) {
      const entry = frontier.next()
      if (entry === null) break
      if (isStored(entry)) return entry
      page = this.#pages.pass(entry)
    }
    if (page === null) this.#wakeInTime()
    return page
  }

  fill(): Promise<void> {
    return this.#pages.fill((seqs) => this.#options.frontier.read(seqs))
  }

  #wakeInTime(): void {
    const { clock } = this.#options
    const { wait } = this.#pages
    const wakesAt = clock.now() + wait
    if (wakesAt >= this.#wakesAt) return
    this.#wakesAt = wakesAt
    clock.sleep(wait, this.#signal).then(
      () => {
        if (this.#wakesAt === wakesAt) this.#wakesAt = Infinity
        this.#wake()
      },
      () => {},
    )
  }

  visit(entry: FrontierRecord, signal: AbortSignal): Promise<VisitOutcome> {
    const visiting = this.#options.visit(entry, signal)
    if (!this.#pages.isAlone(entry)) return visiting
    const over = (): void => {
      if (this.#pages.visited(entry)) this.#wake()
    }
    visiting.then(over, over)
    return visiting
  }

  async work(signal: AbortSignal, wake: () => void): Promise<void> {
    this.#signal = signal
    this.#wake = wake
  }

  /** Does nothing, because this queue keeps no page that the run has taken. */
  settled(): void {}
}
