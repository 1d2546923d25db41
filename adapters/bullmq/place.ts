import type { Placed } from '../../src/kernel/fair-places.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { Logger } from '../../src/ports/logger.ts'
import type { Turn } from '../../src/ports/queue.ts'
import type { Taken } from './lane-worker.ts'
import { clearedOf } from './payload.ts'
import { lineName, lineOf } from './share-lines.ts'

/** What a place needs besides its job. */
export interface PlaceOptions {
  readonly clock: Clock
  readonly logger: Logger | undefined
  /** Told when others may run beside the job. */
  readonly onClear: () => void
}

/** A job's hold on its place. */
export class Place implements Placed, Turn {
  readonly share: string
  readonly since: number
  readonly #taken: Taken
  readonly #options: PlaceOptions
  readonly #over = new AbortController()
  #yields = false
  #givesUp = false
  isIdle = false

  constructor(taken: Taken, options: PlaceOptions) {
    this.share = lineName(lineOf(taken.payload.share ?? ''))
    this.since = options.clock.now()
    this.#taken = taken
    this.#options = options
  }

  get over(): AbortSignal {
    this.#yields = true
    return this.#over.signal
  }

  get yields(): boolean {
    return this.#yields
  }

  get asked(): boolean {
    return this.#over.signal.aborted
  }

  /** Asks it to give its place back. */
  ask(): void {
    this.#over.abort(new Error('Another job waits for the place'))
  }

  idle(isIdle: boolean): void {
    this.isIdle = isIdle
  }

  /** Whether the job is only to be ended, so that an error says nothing about it. */
  get isGivenUp(): boolean {
    return this.#givesUp
  }

  givesUp(): void {
    this.#givesUp = true
  }

  clear(): void {
    this.#options.onClear()
  }

  async progress(): Promise<void> {
    const { job, payload, lost } = this.#taken
    const before = job.attemptsStarted - 1
    if (lost === 0 && payload.before === before) return
    await job.updateData({ ...clearedOf(payload, job.stalledCounter), before }).catch((error: unknown) => {
      this.#options.logger?.warn('The progress of a job could not be noted', { id: payload.id, error: String(error) })
    })
  }
}
