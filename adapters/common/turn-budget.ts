import { setImmediate } from 'node:timers'

/**
 * Counts the work in a turn of the event loop, and how much still fits. A callback at the end of
 * every turn would cost more than most of the work. So while the count is below half of the limit,
 * several turns are counted as one.
 */
export class TurnBudget {
  readonly #most: number
  readonly #onTurn: () => void
  #count = 0
  #isWatching = false

  /**
   * `onTurn` is called in the next turn, after the count was reset, if the count was above half or
   * {@link watch} was called.
   */
  constructor(most: number, onTurn: () => void) {
    this.#most = most
    this.#onTurn = onTurn
  }

  /** True if this turn has no room left. */
  get isFull(): boolean {
    return this.#count >= this.#most
  }

  /** Adds to the count. A negative number corrects an estimate that was too high. */
  add(amount: number): void {
    this.#count = Math.max(0, this.#count + amount)
    if (this.#count > this.#most / 2) this.watch()
  }

  watch(): void {
    if (this.#isWatching) return
    this.#isWatching = true
    setImmediate(() => {
      this.#isWatching = false
      this.#count = 0
      this.#onTurn()
    })
  }
}
