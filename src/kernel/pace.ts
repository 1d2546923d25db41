/** Work on the thread that serves, in ms, after which everything else has a turn. */
const SLICE_MS = 8
/**
 * Steps after which it has one in any case: on some runtimes time stands still while nothing is
 * waited for.
 */
const MOST_STEPS = 256

/** How a {@link Pace} waits and knows the time; for tests. */
export interface PaceOptions {
  readonly turns?: Turns
  readonly now?: () => number
}

/**
 * Who works in slices, and what they have taken of this turn of the event loop. Twenty who each
 * take a slice in the same turn would hold it twenty times as long, so they go on one after the
 * other, each in a turn of its own.
 */
export class Turns {
  readonly #next: () => Promise<void>
  readonly #waiting: (() => void)[] = []
  #isServing = false
  /** Work of this turn, in ms. */
  #taken = 0

  constructor(next: () => Promise<void> = nextTurn) {
    this.#next = next
  }

  /** Whether this turn has room for more work, after so many ms of it. */
  hasRoomAfter(ms: number): boolean {
    this.#taken += ms
    // Work that comes to less than a slice counts towards the next turn as well, until somebody
    // waits: to hear of each turn would cost more.
    return this.#taken < SLICE_MS
  }

  /** Resolves in a turn of its own, after all who have waited longer. */
  wait(): Promise<void> {
    if (!this.#isServing) void this.#serve()
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  async #serve(): Promise<void> {
    this.#isServing = true
    do {
      await this.#next()
      this.#taken = 0
      this.#waiting.shift()?.()
    } while (this.#waiting.length > 0)
    this.#isServing = false
  }
}

const shared = new Turns()

/**
 * Divides long work into slices, between which the event loop has a turn. One for each piece of
 * work.
 */
export class Pace {
  readonly #turns: Turns
  readonly #now: () => number
  #since: number
  #steps = 0

  constructor({ turns = shared, now = () => performance.now() }: PaceOptions = {}) {
    this.#turns = turns
    this.#now = now
    this.#since = now()
  }

  /**
   * To be called after each small step: a promise to wait for where a slice is over; most often
   * `null`, which costs nothing.
   */
  step(): Promise<void> | null {
    const now = this.#now()
    const hasRoom = this.#turns.hasRoomAfter(now - this.#since)
    this.#since = now
    return hasRoom && ++this.#steps < MOST_STEPS ? null : this.#rest()
  }

  async #rest(): Promise<void> {
    await this.#turns.wait()
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
