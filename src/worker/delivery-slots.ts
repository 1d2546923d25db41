import type { Clock } from '../ports/clock.ts'

/** Attempts at the same time to one webhook, in this process. */
const SLOTS = 4
const SHORTEST_WAIT_MS = 500
/** A receiver that has become quick is found out about no later than this. */
const LONGEST_WAIT_MS = 60_000

/** The turn of one attempt. */
export interface Turn {
  /** Called when the attempt has ended. */
  leave(): void
}

interface Line {
  taken: number
  /** How long the last attempt took. */
  lastMs: number
  /** When the next turn that is free will come. */
  nextAt: number
}

/**
 * Bounds how many attempts wait for one receiver, so that a slow one with many events leaves the worker's places to
 * others. Whoever finds no turn is told a time of its own to come back, at the pace that the receiver keeps.
 */
export class DeliverySlots {
  readonly #clock: Clock
  readonly #lines = new Map<string, Line>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  enter(webhook: string): Turn | { readonly comeBackAt: number } {
    const now = this.#clock.now()
    const line = this.#lines.get(webhook) ?? { taken: 0, lastMs: 0, nextAt: 0 }
    if (line.taken >= SLOTS) {
      const comeBackAt = Math.min(Math.max(line.nextAt, now + SHORTEST_WAIT_MS), now + LONGEST_WAIT_MS)
      line.nextAt = comeBackAt + line.lastMs / SLOTS
      return { comeBackAt: Math.round(comeBackAt) }
    }
    line.taken++
    this.#lines.set(webhook, line)
    return {
      leave: () => {
        line.taken--
        line.lastMs = this.#clock.now() - now
        if (line.taken === 0) this.#lines.delete(webhook)
      },
    }
  }
}
