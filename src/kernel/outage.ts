import { StoreFailure } from './failures.ts'
import { MINUTE_MS } from './time.ts'

/**
 * Time in ms after which an outage without a new failure is over: all loops that noticed it have
 * ended.
 */
const FORGOTTEN_MS = 10 * MINUTE_MS

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
  /** True if only the first failure and the end are logged. */
  readonly once?: boolean
}

const STORE_WORDS = {
  failing: 'The store cannot be reached',
  over: 'The store can be reached again',
  once: true,
}
/** Outages of stores. All that work on one store log to one logger. */
const ofStores = new WeakMap<OutageLog, Outage>()

/**
 * Logs the failures of a loop that tries again and again: the first failure, then one a minute, and
 * the recovery. An unreachable store makes many loops fail. So its outage is logged once for all
 * loops: when the first loop fails, and when the first loop reaches the store again. A loop that
 * ends earlier must call {@link ended}, or the next outage would not be logged.
 */
export class Outage {
  readonly #clock: { now(): number }
  readonly #logger: OutageLog | undefined
  readonly #words: OutageWords
  #began: number | null = null
  #told = 0
  #failedAt = 0
  #failures = 0
  /** The loops that failed in an outage of a store and have not ended since. */
  readonly #noticed = new Set<Outage>()

  constructor(clock: { now(): number }, logger: OutageLog | undefined, words: OutageWords) {
    this.#clock = clock
    this.#logger = logger
    this.#words = words
  }

  /** A try has failed. */
  failed(error: unknown): void {
    const ofStore = isAway(error) ? this.#storeOutage() : null
    if (ofStore !== null) {
      ofStore.failed(error)
      ofStore.#noticed.add(this)
      return
    }
    const now = this.#clock.now()
    if (this.#words.once && now - this.#failedAt > FORGOTTEN_MS) this.#forget()
    this.#failedAt = now
    this.#failures++
    if (this.#began !== null && (this.#words.once || now - this.#told < MINUTE_MS)) return
    this.#began ??= now
    this.#told = now
    this.#logger?.warn(`${this.#words.failing}; trying again`, {
      error: this.#words === STORE_WORDS ? causeOf(error) : String(error),
      ...(this.#failures > 1 && { failures: this.#failures }),
    })
  }

  /** Call this when a try succeeds. If the outage was logged, its end is logged too. */
  worked(): void {
    const ofStore = this.#storeOutage()
    if (ofStore !== null && ofStore.#noticed.has(this)) ofStore.worked()
    if (this.#began === null) return
    const seconds = Math.round((this.#clock.now() - this.#began) / 1_000)
    this.#logger?.warn(this.#words.over, { seconds, failures: this.#failures })
    this.#forget()
  }

  /**
   * Call this when the loop ends. If it was the last loop of an outage, the outage is over without
   * a log message.
   */
  ended(): void {
    this.#forget()
    const ofStore = this.#storeOutage()
    if (ofStore === null || !ofStore.#noticed.delete(this)) return
    if (ofStore.#noticed.size === 0) ofStore.#forget()
  }

  #forget(): void {
    this.#began = null
    this.#failures = 0
    this.#noticed.clear()
  }

  #storeOutage(): Outage | null {
    const logger = this.#logger
    if (logger === undefined || this.#words === STORE_WORDS) return null
    let outage = ofStores.get(logger)
    if (outage === undefined)
      ofStores.set(logger, (outage = new Outage(this.#clock, logger, STORE_WORDS)))
    return outage
  }
}

/** True for a store that cannot be reached. A full or replaced store can still be read. */
export function isAway(error: unknown): error is StoreFailure {
  return error instanceof StoreFailure && error.reason === 'unreachable'
}

/** The reason in the driver's words: `connect ECONNREFUSED 127.0.0.1:5432`. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : null
  return cause instanceof Error && cause.message !== '' ? cause.message : String(error)
}
