import type { Politeness } from '../../engine/site/politeness.ts'
import type { Clock } from '../../ports/clock.ts'
import type { HostTurn } from './host-queues.ts'
import { Semaphore } from '../../kernel/concurrency.ts'

export interface PoliteVisitsOptions {
  readonly politeness: Politeness
  readonly clock: Clock
  /** Visits at the same time. */
  readonly concurrency: number
}

/**
 * Visits URLs in the turns of their hosts, with bounded concurrency. A turn is reserved only once
 * the semaphore lets the visit pass. So a visit that waited long still keeps its distance from the
 * next.
 */
export class PoliteVisits {
  readonly #options: PoliteVisitsOptions
  readonly #semaphore: Semaphore

  constructor(options: PoliteVisitsOptions) {
    this.#options = options
    this.#semaphore = new Semaphore(options.concurrency)
  }

  /**
   * Visits a URL when its host may be asked and `semaphore` has a free permit. Rejects with the
   * error of `visit`, or with the signal's reason.
   */
  async visit<T>(
    url: string,
    visit: () => Promise<T>,
    signal: AbortSignal,
    semaphore = this.#semaphore,
  ): Promise<{ readonly result: T; readonly turn: HostTurn }> {
    const { politeness, clock } = this.#options
    for (;;) {
      signal.throwIfAborted()
      const wait = politeness.nextDelay(url)
      if (wait > 0) await clock.sleep(wait, signal)
      const visited = await semaphore.run(() => this.#inTurn(url, visit, signal))
      if (visited) return visited
    }
  }

  /** Returns `null` if another visit took the turn meanwhile, or the host needs a pause. */
  async #inTurn<T>(
    url: string,
    visit: () => Promise<T>,
    signal: AbortSignal,
  ): Promise<{ result: T; turn: HostTurn } | null> {
    const { politeness, clock } = this.#options
    signal.throwIfAborted()
    if (politeness.nextDelay(url) > 0) return null
    politeness.started(url)
    const before = politeness.nextDelay(url)
    const result = await visit()
    const after = politeness.nextDelay(url)
    // The crawl delay of robots.txt is known only after the first page.
    return { result, turn: { next: clock.now() + after, spacing: Math.max(before, after) } }
  }
}
