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
  readonly #running = new Set<Promise<void>>()
  /** Something happened since the last look for jobs. */
  #woken = false
  #interrupt: (() => void) | null = null

  constructor(options: ConsumerOptions) {
    this.#options = options
  }

  /** Resolves when it has stopped and its last job has ended. */
  async run(): Promise<void> {
    const { signal, untilIdle, pollMs, logger } = this.#options
    const onAbort = (): void => this.wake()
    signal.addEventListener('abort', onAbort)
    try {
      for (let quiet = 1; !signal.aborted; quiet = this.#woken ? 1 : Math.min(quiet * 2, LONGEST_QUIET)) {
        this.#woken = false
        let next: number | 'none'
        try {
          next = await this.#fill()
        } catch (error) {
          if (untilIdle) throw error
          logger?.warn('The queue could not read its jobs', { error: String(error) })
          next = pollMs
        }
        if (untilIdle && this.#running.size === 0 && !this.#woken) return
        await this.#wait(next === 'none' ? next : Math.min(next, pollMs * quiet))
      }
    } finally {
      signal.removeEventListener('abort', onAbort)
      await Promise.all(this.#running)
    }
  }

  /** Makes it look for jobs at once. */
  wake(): void {
    this.#woken = true
    this.#interrupt?.()
  }

  /** Takes what is due and tells in how many milliseconds the next job is; `none`: there is no place for it. */
  async #fill(): Promise<number | 'none'> {
    const looked = await Promise.allSettled(this.#options.lanes.map((places) => this.#fillLane(places)))
    for (const result of looked) if (result.status === 'rejected') throw result.reason
    const waits = looked.flatMap((result) => (result.status === 'fulfilled' && result.value !== 'none' ? [result.value] : []))
    return waits.length === 0 ? 'none' : Math.min(...waits)
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
      return found === null ? Number.POSITIVE_INFINITY : Math.max(0, found - clock.now())
    }
    return 'none'
  }

  async #wait(ms: number | 'none'): Promise<void> {
    if (this.#woken || ms === 0) return
    const interrupt = new AbortController()
    const interrupted = new Promise<void>((resolve) => {
      interrupt.signal.addEventListener('abort', () => resolve())
    })
    this.#interrupt = () => interrupt.abort()
    if (ms === 'none') await interrupted
    else await this.#options.clock.sleep(ms, interrupt.signal).catch(() => undefined)
    this.#interrupt = null
  }

  #start(taken: Taken, places: LanePlaces): void {
    places.taken++
    const run = deliver(taken, { ...places.delivery, handler: this.#options.handler }).finally(() => {
      places.taken--
      this.#running.delete(run)
      this.wake()
    })
    this.#running.add(run)
  }
}
