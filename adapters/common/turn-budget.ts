/** Calls a function in the next turn of the event loop, by what the runtime has for it. */
export type Later = (run: () => void) => void

/**
 * Counts the work in a turn of the event loop, and how much still fits. A callback at the end of
 * every turn would cost more than most of the work. So while the count is below half of the limit,
 * several turns are counted as one.
 */
export class TurnBudget {
  readonly #most: number
  readonly #onTurn: () => void
  readonly #later: Later
  #count = 0
  #isWatching = false

  /**
   * `onTurn` is called in the next turn, after the count was reset, if the count was above half or
   * {@link watch} was called. `later` calls a function in the next turn.
   */
  constructor(most: number, onTurn: () => void, later: Later) {
    this.#most = most
    this.#onTurn = onTurn
    this.#later = later
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
    this.#later(() => {
      this.#isWatching = false
      this.#count = 0
      this.#onTurn()
    })
  }
}
