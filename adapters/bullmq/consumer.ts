import { LaneLoop } from '../../src/kernel/lane-loop.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { Logger } from '../../src/ports/logger.ts'
import type { Delivery, JobResult } from '../../src/ports/queue.ts'
import { deliver } from './delivery.ts'
import type { DeliveryOptions } from './delivery.ts'
import type { LaneWorker, Taken } from './lane-worker.ts'

/** The places of one lane, and where its jobs come from. */
export interface LanePlaces {
  readonly size: number
  taken: number
  readonly worker: LaneWorker
  readonly delivery: Omit<DeliveryOptions, 'handler'>
}

/** How to consume; see the Queue port. */
export interface ConsumerOptions {
  readonly lanes: readonly LanePlaces[]
  readonly clock: Clock
  readonly pollMs: number
  readonly logger: Logger | undefined
  readonly handler: (job: Delivery, signal: AbortSignal) => Promise<JobResult>
  readonly untilIdle: boolean
  readonly signal: AbortSignal
}

/** Looks for jobs become rarer while there is nothing, by so much: the server tells when there is something. */
const LONGEST_QUIET = 10

/** One `consume` call: takes due jobs up to the places of their lane, runs them, and waits for more. */
export class Consumer {
  readonly #options: ConsumerOptions
  readonly #loop: LaneLoop

  constructor(options: ConsumerOptions) {
    const { lanes, clock, logger } = options
    this.#options = options
    this.#loop = new LaneLoop({
      ...options,
      lanes: lanes.map((places) => () => this.#fillLane(places)),
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

  async #fillLane(places: LanePlaces): Promise<number | 'none'> {
    const { clock, signal } = this.#options
    while (places.taken < places.size && !signal.aborted) {
      const found = await places.worker.take()
      if (found !== null && typeof found === 'object') {
        this.#start(found, places)
        continue
      }
      places.worker.listen()
      return found === null ? Number.POSITIVE_INFINITY : Math.max(1, found - clock.now())
    }
    return 'none'
  }

  #start(taken: Taken, places: LanePlaces): void {
    places.taken++
    this.#loop.start(deliver(taken, { ...places.delivery, handler: this.#options.handler }).finally(() => void places.taken--))
  }
}
