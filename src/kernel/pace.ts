/** Work on the thread that serves, in ms, after which everything else has a turn. */
const SLICE_MS = 8
/** Steps after which it has one in any case: on some runtimes time stands still while nothing is waited for. */
const MOST_STEPS = 256

/** How a {@link Pace} waits and knows the time; for tests. */
export interface PaceOptions {
  readonly pause?: () => Promise<void>
  readonly now?: () => number
}

/** Divides long work into slices, between which the event loop has a turn. One for each piece of work. */
export class Pace {
  readonly #pause: () => Promise<void>
  readonly #now: () => number
  #since: number
  #steps = 0

  constructor({ pause = nextTurn, now = () => performance.now() }: PaceOptions = {}) {
    this.#pause = pause
    this.#now = now
    this.#since = now()
  }

  /** To be called after each small step: a promise to wait for where a slice is over; most often `null`, which costs nothing. */
  step(): Promise<void> | null {
    if (++this.#steps < MOST_STEPS && this.#now() - this.#since < SLICE_MS) return null
    return this.#rest()
  }

  async #rest(): Promise<void> {
    await this.#pause()
    this.#steps = 0
    this.#since = this.#now()
  }
}

/** Resolves when the event loop has looked at everything else that is due. */
export function nextTurn(): Promise<void> {
  // A timer of 0 ms is one of 1 ms and more, so that it is for runtimes that have nothing else.
  if (typeof MessageChannel === 'undefined') return new Promise((resolve) => setTimeout(resolve, 0))
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    const onTurn = (): void => {
      port1.close()
      resolve()
    }
    port1.addEventListener('message', onTurn, { once: true })
    port1.start()
    port2.postMessage(null)
  })
}
