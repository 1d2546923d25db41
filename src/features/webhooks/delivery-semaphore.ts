import type { Clock } from '../../ports/clock.ts'

/** Concurrent attempts to one webhook, in this process. */
const PERMITS = 4
/** A receiver that takes longer than this is slow. Also the longest wait for a permit. */
const PATIENCE_MS = 1_000
const SHORTEST_PAUSE_MS = 500
/** The longest time until a slow receiver is tried again. */
const LONGEST_PAUSE_MS = 60_000

/** The permit of one attempt. */
export interface DeliveryPermit {
  /** Called once, when the attempt has ended. */
  leave(): void
}

interface Line {
  /** When each attempt in progress began, oldest first. */
  readonly begun: number[]
  /** Attempts that wait for a permit, in order of arrival. */
  readonly waiting: (() => void)[]
  /** Duration of the last attempt. */
  lastMs: number
  /** When the next unassigned permit is free. */
  nextAt: number
}

/**
 * A semaphore for each receiver: limits the concurrent attempts, so that a slow receiver with many
 * events does not take all permits of the worker. At a slow receiver, an attempt without a permit
 * gets its own time to come back, at the pace of the receiver.
 */
export class DeliverySemaphore {
  readonly #clock: Clock
  readonly #lines = new Map<string, Line>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async enter(webhook: string): Promise<DeliveryPermit | { readonly comeBackAt: number }> {
    const line = this.#lines.get(webhook) ?? { begun: [], waiting: [], lastMs: 0, nextAt: 0 }
    this.#lines.set(webhook, line)
    if (line.begun.length < PERMITS) return this.#begin(webhook, line)
    const turn = this.#isSlow(line) ? null : await this.#wait(webhook, line)
    return turn ?? { comeBackAt: this.#promise(line) }
  }

  #begin(webhook: string, line: Line): DeliveryPermit {
    const position = this.#clock.now()
    line.begun.push(position)
    return {
      leave: () => {
        line.begun.splice(line.begun.indexOf(position), 1)
        line.lastMs = this.#clock.now() - position
        // The next waiting attempt starts here, synchronously, so that no other takes its permit.
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

  /** `null`: no permit became free in time. */
  #wait(webhook: string, line: Line): Promise<DeliveryPermit | null> {
    const called = new AbortController()
    return new Promise((resolve) => {
      const call = () => {
        called.abort()
        resolve(this.#begin(webhook, line))
      }
      line.waiting.push(call)
      const giveUp = () => {
        const position = line.waiting.indexOf(call)
        if (position >= 0) line.waiting.splice(position, 1)
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
    line.nextAt = comeBackAt + Math.max(line.lastMs, PATIENCE_MS) / PERMITS
    return Math.round(comeBackAt)
  }
}
