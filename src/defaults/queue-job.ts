import type { Clock } from '../ports/clock.ts'
import type { Logger } from '../ports/logger.ts'
import type { JobHandler, JobTurn } from '../ports/queue.ts'
import type { Lease, QueueLeases, LeaseEnd } from './queue-leases.ts'
import { Hold } from '../kernel/fair/fair-places.ts'
import { StoreFailure } from '../kernel/failures.ts'
import { keepLease } from '../kernel/leases.ts'
import type { Outage } from '../kernel/outage.ts'

/** Delay before a failed write of a job's end is retried. */
const SETTLE_AGAIN_MS = 500

/** Options for running a job. */
export interface RunningJobOptions {
  readonly leases: QueueLeases
  readonly clock: Clock
  readonly logger: Logger | undefined
  readonly handler: JobHandler
  /** The outage of the store, which all running jobs share. It learns of each failure. */
  readonly outage: Outage
  /** Called when other jobs may run beside it. */
  readonly onClear: () => void
}

/** A running job. It holds its place and its lease until it has ended and its end is written. */
export class RunningJob extends Hold implements JobTurn {
  readonly #options: RunningJobOptions
  readonly #lease: Lease

  constructor(lease: Lease, options: RunningJobOptions) {
    super(lease.job.share ?? '', options.clock.now(), options.onClear)
    this.#lease = lease
    this.#options = options
  }

  async progress(): Promise<void> {
    const { attempt, lost = [] } = this.#lease.job
    if (attempt === 1 && lost.length === 0) return
    await this.#options.leases
      .progress(this.#lease)
      .catch((error: unknown) => this.#warn('The progress of a job could not be saved', error))
  }

  /** Never rejects. */
  async run(): Promise<void> {
    const { leases, clock, handler } = this.#options
    const lease = this.#lease
    const { id, kind, data, attempt, lost = [], lostBefore } = lease.job
    const isNewlyLost = lost.length > 0 && lost.at(-1) !== lostBefore
    const keeper = keepLease({
      clock,
      until: lease.job.dueAt,
      leaseMs: leases.leaseMs,
      extend: () => leases.extend(lease),
      onError: (error) => this.#warn('A lease could not be renewed', error),
    })
    let leaseEnd: LeaseEnd
    try {
      leaseEnd = await handler(
        { id, kind, data, attempt, lost: lost.length, isNewlyLost },
        keeper.signal,
        this,
      )
    } catch (error) {
      leaseEnd = this.isGivenUp ? 'not given up' : 'failed'
      this.#warn('A job failed and is tried again later', error, { kind, attempt })
    }
    await keeper.stop()
    await this.#settle(leaseEnd, keeper.signal.aborted)
  }

  /**
   * Retries as long as the lease lasts. After that the job is delivered again, as after a crash.
   * `isLost`: it has been delivered again already.
   */
  async #settle(leaseEnd: LeaseEnd, isLost: boolean): Promise<void> {
    const { leases, clock, outage } = this.#options
    const end = clock.now() + leases.leaseMs
    while (clock.now() < end) {
      try {
        await (isLost
          ? leases.notLost(this.#lease)
          : leases.settle(this.#lease, leaseEnd, this.asked))
        return outage.worked()
      } catch (error) {
        this.#warn('A job could not be returned to the queue', error)
        await clock.sleep(SETTLE_AGAIN_MS)
      }
    }
  }

  /** A store that cannot be reached gets one line in the log for all jobs, and not one for each try. */
  #warn(message: string, error: unknown, facts: object = {}): void {
    const { logger, outage } = this.#options
    if (error instanceof StoreFailure) outage.failed(error)
    else logger?.warn(message, { id: this.#lease.job.id, ...facts, error: String(error) })
  }
}
