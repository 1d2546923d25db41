import type { Politeness } from '../engine/crawl/politeness.ts'
import type { Clock } from '../ports/clock.ts'
import type { FrontierRecord } from '../records/types.ts'
import type { Turn } from './host-queues.ts'
import type { PageOutcome } from './outcome.ts'
import { Slots } from './slots.ts'

/** What {@link PoliteVisits} works with. */
export interface PoliteVisitsOptions {
  readonly politeness: Politeness
  readonly clock: Clock
  /** Pages at the same time. */
  readonly concurrency: number
  readonly visit: (entry: FrontierRecord, signal: AbortSignal) => Promise<PageOutcome>
}

/** Visits pages in the turns of their hosts, so many at a time. A turn is taken in the slot: one that came too late for it keeps its distance from the next. */
export class PoliteVisits {
  readonly #options: PoliteVisitsOptions
  readonly #slots: Slots

  constructor(options: PoliteVisitsOptions) {
    this.#options = options
    this.#slots = new Slots(options.concurrency)
  }

  /** Rejects with what `visit` throws, and with the signal's reason. `slots`: of which it takes one. */
  async visit(entry: FrontierRecord, signal: AbortSignal, slots = this.#slots): Promise<{ readonly page: PageOutcome; readonly turn: Turn }> {
    const { politeness, clock } = this.#options
    for (;;) {
      signal.throwIfAborted()
      const wait = politeness.nextDelay(entry.url)
      if (wait > 0) await clock.sleep(wait, signal)
      const visited = await slots.run(() => this.#inSlot(entry, signal))
      if (visited) return visited
    }
  }

  /** `null`: another page has taken the turn, or the host wants a pause. */
  async #inSlot(entry: FrontierRecord, signal: AbortSignal): Promise<{ page: PageOutcome; turn: Turn } | null> {
    const { politeness, clock, visit } = this.#options
    signal.throwIfAborted()
    if (politeness.nextDelay(entry.url) > 0) return null
    politeness.started(entry.url)
    const before = politeness.nextDelay(entry.url)
    const page = await visit(entry, signal)
    const after = politeness.nextDelay(entry.url)
    // What robots.txt asks for is known only after the first page.
    return { page, turn: { next: clock.now() + after, spacing: Math.max(before, after) } }
  }
}
