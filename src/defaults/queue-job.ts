import type { Clock } from '../ports/clock.ts'
import type { Logger } from '../ports/logger.ts'
import type { Handler, Turn } from '../ports/queue.ts'
import { keepLease } from './keep-lease.ts'
import type { Lease, QueueLeases, Settlement } from './queue-leases.ts'
import type { Placed } from '../kernel/fair-places.ts'

/** How soon a settlement that the store did not take is tried again. */
const SETTLE_AGAIN_MS = 500

/** What it takes to run a job. */
export interface RunningJobOptions {
  readonly leases: QueueLeases
  readonly clock: Clock
  readonly logger: Logger | undefined
  readonly handler: Handler
  /** Told when others may run beside it. */
  readonly onClear: () => void
}

/** A job that has a place: it runs under its lease until it has ended and was given back. */
export class RunningJob implements Placed, Turn {
  readonly share: string
  readonly since: number
  readonly #options: RunningJobOptions
  readonly #lease: Lease
  readonly #over = new AbortController()
  #yields = false
  #givesUp = false
  isIdle = false

  constructor(lease: Lease, options: RunningJobOptions) {
    this.share = lease.job.share ?? ''
    this.since = options.clock.now()
    this.#lease = lease
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
    this.#over.abort(new Error('Another share waits for the place'))
  }

  async progress(): Promise<void> {
    const { leases, logger } = this.#options
    const { id, attempt, lost = [] } = this.#lease.job
    if (attempt === 1 && lost.length === 0) return
    await leases.progress(this.#lease).catch((error: unknown) => logger?.warn('The progress of a job could not be noted', { id, error: String(error) }))
  }

  idle(isIdle: boolean): void {
    this.isIdle = isIdle
  }

  givesUp(): void {
    this.#givesUp = true
  }

  clear(): void {
    this.#options.onClear()
  }

  /** Never rejects. */
  async run(): Promise<void> {
    const { leases, clock, logger, handler } = this.#options
    const lease = this.#lease
    const { id, kind, data, attempt, lost = [] } = lease.job
    const keeper = keepLease({ lease, leases, clock, logger })
    let settlement: Settlement
    try {
      settlement = await handler({ id, kind, data, attempt, lost: lost.length }, keeper.signal, this)
    } catch (error) {
      settlement = this.#givesUp ? 'not given up' : 'failed'
      logger?.warn('A job failed and is tried again later', { id, kind, attempt, error: String(error) })
    }
    await keeper.stop()
    await this.#settle(settlement, keeper.signal.aborted)
  }

  /** Tries as long as the lease lasts; after that the job comes again, as it does after a crash. `isLost`: it has come again already. */
  async #settle(settlement: Settlement, isLost: boolean): Promise<void> {
    const { leases, clock, logger } = this.#options
    const end = clock.now() + leases.leaseMs
    while (clock.now() < end) {
      try {
        return await (isLost ? leases.notLost(this.#lease) : leases.settle(this.#lease, settlement, this.asked))
      } catch (error) {
        logger?.warn('A job could not be given back', { id: this.#lease.job.id, error: String(error) })
        await clock.sleep(SETTLE_AGAIN_MS)
      }
    }
  }
}
