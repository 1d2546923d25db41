import type { Clock } from '../../ports/clock.ts'

/** Attempts at the same time to one webhook, in this process. */
const SLOTS = 4
/** A receiver that takes longer is slow; for a turn at another's it is worth waiting. */
const PATIENCE_MS = 1_000
const SHORTEST_PAUSE_MS = 500
/** A receiver that has become quick is found out about no later than this. */
const LONGEST_PAUSE_MS = 60_000

/** The turn of one attempt. */
export interface DeliveryTurn {
  /** Called once, when the attempt has ended. */
  leave(): void
}

interface Line {
  /** When each attempt under way began, the oldest first. */
  readonly begun: number[]
  /** Who waits for a turn, the first to come first. */
  readonly waiting: (() => void)[]
  /** How long the last attempt took. */
  lastMs: number
  /** When the next turn that is not promised will come. */
  nextAt: number
}

/**
 * Bounds how many attempts wait for one receiver, so that a slow one with many events leaves the
 * worker's places to others. At a slow one, whoever finds no turn is told a time of its own to come
 * back, at the pace that the receiver keeps.
 */
export class DeliverySemaphore {
  readonly #clock: Clock
  readonly #lines = new Map<string, Line>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async enter(webhook: string): Promise<DeliveryTurn | { readonly comeBackAt: number }> {
    const line = this.#lines.get(webhook) ?? { begun: [], waiting: [], lastMs: 0, nextAt: 0 }
    this.#lines.set(webhook, line)
    if (line.begun.length < SLOTS) return this.#begin(webhook, line)
    const turn = this.#isSlow(line) ? null : await this.#wait(webhook, line)
    return turn ?? { comeBackAt: this.#promise(line) }
  }

  #begin(webhook: string, line: Line): DeliveryTurn {
    const at = this.#clock.now()
    line.begun.push(at)
    return {
      leave: () => {
        line.begun.splice(line.begun.indexOf(at), 1)
        line.lastMs = this.#clock.now() - at
        // Who waits begins here and now, so that nobody comes in between.
        line.waiting.shift()?.()
        if (
          line.begun.length === 0 &&
          line.waiting.length === 0 &&
          this.#lines.get(webhook) === line
        )
          this.#lines.delete(webhook)
      },
    }
  }

  #isSlow({ begun: [oldest], lastMs }: Line): boolean {
    return (
      lastMs >= PATIENCE_MS || (oldest !== undefined && this.#clock.now() - oldest >= PATIENCE_MS)
    )
  }

  /** `null`: nobody left in time. */
  #wait(webhook: string, line: Line): Promise<DeliveryTurn | null> {
    const called = new AbortController()
    return new Promise((resolve) => {
      const call = () => {
        called.abort()
        resolve(this.#begin(webhook, line))
      }
      line.waiting.push(call)
      const giveUp = () => {
        const place = line.waiting.indexOf(call)
        if (place >= 0) line.waiting.splice(place, 1)
        resolve(null)
      }
      this.#clock.sleep(PATIENCE_MS, called.signal).then(giveUp, () => {})
    })
  }

  #promise(line: Line): number {
    const now = this.#clock.now()
    const comeBackAt = Math.min(
      Math.max(line.nextAt, now + SHORTEST_PAUSE_MS),
      now + LONGEST_PAUSE_MS,
    )
    line.nextAt = comeBackAt + Math.max(line.lastMs, PATIENCE_MS) / SLOTS
    return Math.round(comeBackAt)
  }
}
