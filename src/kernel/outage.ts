import { MINUTE_MS } from './time.ts'

/** The part of a logger that an outage needs. */
interface OutageLog {
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void
}

/** The messages of an {@link Outage}. */
interface OutageWords {
  /** Such as `The queue could not read its jobs`. */
  readonly failing: string
  /** Such as `The queue reads its jobs again`. */
  readonly over: string
}

/**
 * Logs the failures of a loop that tries again and again, as while the store is away: the first,
 * then one a minute, and that it works again.
 */
export class Outage {
  readonly #clock: { now(): number }
  readonly #logger: OutageLog | undefined
  readonly #words: OutageWords
  #began: number | null = null
  #told = 0
  #failures = 0

  constructor(clock: { now(): number }, logger: OutageLog | undefined, words: OutageWords) {
    this.#clock = clock
    this.#logger = logger
    this.#words = words
  }

  /** A try has failed. */
  failed(error: unknown): void {
    const now = this.#clock.now()
    this.#failures++
    if (this.#began !== null && now - this.#told < MINUTE_MS) return
    this.#began ??= now
    this.#told = now
    this.#logger?.warn(`${this.#words.failing}; trying again`, {
      error: String(error),
      ...(this.#failures > 1 && { failures: this.#failures }),
    })
  }

  /** A try has worked. Whoever read of the outage reads of its end, too. */
  worked(): void {
    if (this.#began === null) return
    const seconds = Math.round((this.#clock.now() - this.#began) / 1_000)
    this.#logger?.warn(this.#words.over, { seconds, failures: this.#failures })
    this.#began = null
    this.#failures = 0
  }
}
