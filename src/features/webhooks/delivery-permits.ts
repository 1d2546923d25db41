import { Semaphore } from '../../kernel/concurrency.ts'
import type { Clock } from '../../ports/clock.ts'

/** Maximum number of concurrent attempts to one webhook, in this process. */
const PERMITS = 4
/** A receiver that takes longer than this counts as slow. It is also the longest wait for a permit. */
const PATIENCE_MS = 1_000
const SHORTEST_PAUSE_MS = 500
/** The longest time until a slow receiver is tried again. */
const LONGEST_PAUSE_MS = 60_000

/** The permit of one attempt. */
export interface DeliveryPermit {
  /** Called once, when the attempt has ended. */
  leave(): void
}

interface Receiver {
  readonly permits: Semaphore
  /** Attempts in progress, and those that wait for a permit. */
  attempts: number
  /** When each attempt in progress began, oldest first. */
  readonly begun: number[]
  /** Duration of the last attempt. */
  lastMs: number
  /** The time at which the next unassigned permit is free. */
  nextAt: number
}

/**
 * Permits for each receiver limit its concurrent attempts, so that a slow receiver with many events
 * does not take all places of the worker. If a receiver is slow, an attempt without a permit is
 * given a later time, at the pace of the receiver.
 */
export class DeliveryPermits {
  readonly #clock: Clock
  readonly #receivers = new Map<string, Receiver>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async enter(webhook: string): Promise<DeliveryPermit | { readonly comeBackAt: number }> {
    const receiver = this.#receivers.get(webhook) ?? {
      permits: new Semaphore(PERMITS),
      attempts: 0,
      begun: [],
      lastMs: 0,
      nextAt: 0,
    }
    this.#receivers.set(webhook, receiver)
    if (receiver.attempts >= PERMITS && this.#isSlow(receiver))
      return { comeBackAt: this.#promise(receiver) }
    receiver.attempts++
    const leave = await this.#permit(receiver)
    if (leave === null) {
      this.#end(webhook, receiver)
      return { comeBackAt: this.#promise(receiver) }
    }
    const startedAt = this.#clock.now()
    receiver.begun.push(startedAt)
    return {
      leave: () => {
        receiver.begun.splice(receiver.begun.indexOf(startedAt), 1)
        receiver.lastMs = this.#clock.now() - startedAt
        leave()
        this.#end(webhook, receiver)
      },
    }
  }

  #end(webhook: string, receiver: Receiver): void {
    receiver.attempts--
    if (receiver.attempts === 0 && this.#receivers.get(webhook) === receiver)
      this.#receivers.delete(webhook)
  }

  #isSlow({ begun: [oldest], lastMs }: Receiver): boolean {
    return (
      lastMs >= PATIENCE_MS || (oldest !== undefined && this.#clock.now() - oldest >= PATIENCE_MS)
    )
  }

  /** `null`: no permit became free in time. */
  async #permit({ permits, attempts }: Receiver): Promise<(() => void) | null> {
    if (attempts <= PERMITS) return permits.enter()
    const entered = new AbortController()
    const late = new AbortController()
    this.#clock.sleep(PATIENCE_MS, entered.signal).then(
      () => late.abort(),
      () => {},
    )
    try {
      return await permits.enter(late.signal)
    } catch {
      return null
    } finally {
      entered.abort()
    }
  }

  #promise(receiver: Receiver): number {
    const now = this.#clock.now()
    const comeBackAt = Math.min(
      Math.max(receiver.nextAt, now + SHORTEST_PAUSE_MS),
      now + LONGEST_PAUSE_MS,
    )
    receiver.nextAt = comeBackAt + Math.max(receiver.lastMs, PATIENCE_MS) / PERMITS
    return Math.round(comeBackAt)
  }
}
