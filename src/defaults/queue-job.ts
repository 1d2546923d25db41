import type { Clock } from '../ports/clock.ts'
import type { Logger } from '../ports/logger.ts'
import type { JobHandler, JobTurn } from '../ports/queue.ts'
import type { Lease, QueueLeases, LeaseEnd } from './queue-leases.ts'
import { Hold } from '../kernel/fair/fair-places.ts'
import { keepLease } from '../kernel/keep-lease.ts'

/** Delay before a failed write of a job's end is retried. */
const SETTLE_AGAIN_MS = 500

/** Options for running a job. */
export interface RunningJobOptions {
  readonly leases: QueueLeases
  readonly clock: Clock
  readonly logger: Logger | undefined
  readonly handler: JobHandler
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
    const { leases, logger } = this.#options
    const { id, attempt, lost = [] } = this.#lease.job
    if (attempt === 1 && lost.length === 0) return
    await leases
      .progress(this.#lease)
      .catch((error: unknown) =>
        logger?.warn('The progress of a job could not be saved', { id, error: String(error) }),
      )
  }

  /** Never rejects. */
  async run(): Promise<void> {
    const { leases, clock, logger, handler } = this.#options
    const lease = this.#lease
    const { id, kind, data, attempt, lost = [] } = lease.job
    const keeper = keepLease({
      clock,
      until: lease.job.dueAt,
      leaseMs: leases.leaseMs,
      extend: () => leases.extend(lease),
      onError: (error) =>
        logger?.warn('A lease could not be renewed', { id, error: String(error) }),
    })
    let leaseEnd: LeaseEnd
    try {
      leaseEnd = await handler({ id, kind, data, attempt, lost: lost.length }, keeper.signal, this)
    } catch (error) {
      leaseEnd = this.isGivenUp ? 'not given up' : 'failed'
      logger?.warn('A job failed and is tried again later', {
        id,
        kind,
        attempt,
        error: String(error),
      })
    }
    await keeper.stop()
    await this.#settle(leaseEnd, keeper.signal.aborted)
  }

  /**
   * Retries as long as the lease lasts. After that the job is delivered again, as after a crash.
   * `isLost`: it has been delivered again already.
   */
  async #settle(leaseEnd: LeaseEnd, isLost: boolean): Promise<void> {
    const { leases, clock, logger } = this.#options
    const end = clock.now() + leases.leaseMs
    while (clock.now() < end) {
      try {
        return await (isLost
          ? leases.notLost(this.#lease)
          : leases.settle(this.#lease, leaseEnd, this.asked))
      } catch (error) {
        logger?.warn('A job could not be returned to the queue', {
          id: this.#lease.job.id,
          error: String(error),
        })
        await clock.sleep(SETTLE_AGAIN_MS)
      }
    }
  }
}
