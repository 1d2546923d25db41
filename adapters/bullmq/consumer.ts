import { LaneLoop } from '../../src/kernel/lane-loop.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { Logger } from '../../src/ports/logger.ts'
import type { Handler } from '../../src/ports/queue.ts'
import { deliver, putOff } from './delivery.ts'
import type { DeliveryOptions } from './delivery.ts'
import type { LaneWorker, Taken } from './lane-worker.ts'

/** The places of one lane, and where its jobs come from. */
export interface LanePlaces {
  readonly size: number
  taken: number
  readonly worker: LaneWorker
  readonly delivery: Omit<DeliveryOptions, 'handler' | 'onClear' | 'over'>
}

/** How to consume; see the Queue port. */
export interface ConsumerOptions {
  readonly lanes: readonly LanePlaces[]
  readonly clock: Clock
  readonly pollMs: number
  readonly logger: Logger | undefined
  readonly handler: Handler
  readonly untilIdle: boolean
  readonly signal: AbortSignal
}

/** Looks for jobs become rarer while there is nothing, by so much: the server tells when there is something. */
const LONGEST_QUIET = 10
/** How long a job that has lost a consumer waits at most for a moment in which nothing runs; then no other is begun before it. */
const PATIENCE_MS = 30_000
/** How soon such a job looks again. */
const APART_MS = 1_000
/** One that has run alone for so long does not kill its process at once; others may run beside it. */
const ALONE_MS = 10_000

/** A job that no other may run beside. */
interface Alone {
  readonly taken: Taken
  /** Called when nothing else runs. */
  readonly begin: () => void
}

/** One `consume` call: takes due jobs up to the places of their lane, runs them, and waits for more. */
export class Consumer {
  readonly #options: ConsumerOptions
  readonly #loop: LaneLoop
  /** No job is begun beside it. */
  #alone: Alone | null = null
  /** Asks each job that runs for its place. */
  readonly #asks = new Set<AbortController>()

  constructor(options: ConsumerOptions) {
    const { lanes, clock, logger } = options
    this.#options = options
    this.#loop = new LaneLoop({
      ...options,
      lanes: [() => this.#look(lanes)],
      longestQuiet: LONGEST_QUIET,
      sleep: (ms, signal) => clock.sleep(ms, signal),
      onError: (error) => logger?.warn('The queue could not read its jobs', { error: String(error) }),
    })
  }

  /** Resolves when it has stopped and its last job has ended. */
  run(): Promise<void> {
    return this.#loop.run()
  }

  /** Makes it look for jobs at once. */
  wake(): void {
    this.#loop.wake()
  }

  async #look(lanes: readonly LanePlaces[]): Promise<number | 'none'> {
    let next: number | 'none' = 'none'
    for (const places of lanes) {
      const wait = await this.#fillLane(places)
      if (wait !== 'none') next = next === 'none' ? wait : Math.min(next, wait)
    }
    return next
  }

  async #fillLane(places: LanePlaces): Promise<number | 'none'> {
    const { clock, signal } = this.#options
    while (places.taken < places.size && !signal.aborted && !this.#alone) {
      const found = await places.worker.take()
      if (found !== null && typeof found === 'object') {
        if (found.lost === 0) this.#start(found, places)
        else if (this.#running === 0 || clock.now() - (found.payload.apartSince ?? clock.now()) >= PATIENCE_MS) this.#startAlone(found, places)
        else await putOff(found, clock.now(), APART_MS)
        continue
      }
      places.worker.listen()
      return found === null ? Number.POSITIVE_INFINITY : Math.max(1, found - clock.now())
    }
    return 'none'
  }

  get #running(): number {
    return this.#options.lanes.reduce((sum, { taken }) => sum + taken, 0)
  }

  #startAlone(taken: Taken, places: LanePlaces): void {
    const { clock } = this.#options
    const others = new Promise<void>((begin) => void (this.#alone = { taken, begin }))
    const ended = new AbortController()
    // Its lock is not renewed before it begins, so it does not wait for longer than that lasts.
    const waited = clock.sleep(places.delivery.leaseMs / 3, ended.signal).catch(() => {})
    const letOthersIn = (): void => this.#letOthersIn(taken)
    for (const ask of this.#asks) ask.abort(new Error('A job that has lost a worker wants to run alone'))
    const run = Promise.race([others, waited]).then(() => {
      clock.sleep(ALONE_MS, ended.signal).then(letOthersIn, () => {})
      return this.#deliver(taken, places, letOthersIn)
    })
    this.#count(places, run.finally(() => {
      ended.abort()
      letOthersIn()
    }))
    if (this.#running === 1) this.#alone?.begin()
  }

  #letOthersIn(taken: Taken): void {
    if (this.#alone?.taken !== taken) return
    this.#alone = null
    this.#loop.wake()
  }

  #start(taken: Taken, places: LanePlaces): void {
    this.#count(places, this.#deliver(taken, places, () => {}))
  }

  #deliver(taken: Taken, places: LanePlaces, onClear: () => void): Promise<void> {
    const ask = new AbortController()
    this.#asks.add(ask)
    return deliver(taken, { ...places.delivery, handler: this.#options.handler, onClear, over: ask.signal }).finally(() => void this.#asks.delete(ask))
  }

  #count(places: LanePlaces, run: Promise<void>): void {
    places.taken++
    this.#loop.start(run.finally(() => {
      places.taken--
      if (this.#running === 1) this.#alone?.begin()
    }))
  }
}
