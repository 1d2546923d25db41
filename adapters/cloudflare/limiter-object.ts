import type { Clock } from '../../src/ports/clock.ts'
import type { ObjectState } from './bindings.ts'
import { LimiterBuckets } from './limiter-buckets.ts'
import type { LimiterCall } from './limiter-buckets.ts'

/** Longest time that a full bucket is kept. */
const SWEEP_EVERY_MS = 600_000

/**
 * A Durable Object that keeps the buckets of {@link createObjectLimiter}; a class of
 * `new_sqlite_classes`. The Worker must export it under the binding's class name. It needs no
 * options and no other bindings. An alarm deletes buckets that are full again, and finally
 * everything.
 *
 * @example
 *   export class Limits extends LimiterObject {}
 */
export class LimiterObject {
  readonly #state: ObjectState
  readonly #clock: Pick<Clock, 'now'>
  readonly #buckets: LimiterBuckets
  #isWatched = false

  /** `clock`: the system's by default. */
  constructor(state: ObjectState, _env?: unknown, clock: Pick<Clock, 'now'> = Date) {
    this.#state = state
    this.#clock = clock
    this.#buckets = new LimiterBuckets(state.storage)
  }

  /** Answers a limiter's call. Only the Worker can reach the object. */
  async fetch(request: Request): Promise<Response> {
    const call: LimiterCall = await request.json()
    const { taken: verdict, isWritten } = this.#buckets.take(call, this.#clock.now())
    if (isWritten && !this.#isWatched) this.#state.waitUntil(this.#watch())
    return Response.json(verdict)
  }

  async alarm(): Promise<void> {
    const time = this.#clock.now()
    const left = this.#buckets.sweep(time)
    this.#isWatched = left !== 'none'
    if (left === 'none') await this.#buckets.clear()
    else await this.#state.storage.setAlarm(left === 'more' ? time : time + SWEEP_EVERY_MS)
  }

  /** When an object wakes up, only its storage knows about its alarm. */
  async #watch(): Promise<void> {
    this.#isWatched = true
    const { storage } = this.#state
    if ((await storage.getAlarm()) === null)
      await storage.setAlarm(this.#clock.now() + SWEEP_EVERY_MS)
  }
}
