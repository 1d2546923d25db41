import { LaneLoop } from '../kernel/lane-loop.ts'
import type { Clock } from '../ports/clock.ts'
import type { Logger } from '../ports/logger.ts'
import type { Delivery, JobResult } from '../ports/queue.ts'
import { keepLease } from './keep-lease.ts'
import type { LaneSlots } from './queue-lanes.ts'
import type { Lease, QueueLeases, Settlement } from './queue-leases.ts'

/** How to consume; see the Queue port. */
export interface QueueConsumerOptions {
  readonly leases: QueueLeases
  readonly clock: Clock
  readonly pollMs: number
  readonly logger: Logger | undefined
  readonly handler: (job: Delivery, signal: AbortSignal) => Promise<JobResult>
  readonly slots: readonly LaneSlots[]
  readonly untilIdle: boolean
  readonly signal: AbortSignal
}

/** How soon a settlement that the store did not take is tried again. */
const SETTLE_AGAIN_MS = 500

/** One `consume` call: takes due jobs up to the places of their lane, runs them under their leases, and waits for more. */
export class QueueConsumer {
  readonly #options: QueueConsumerOptions
  readonly #loop: LaneLoop

  constructor(options: QueueConsumerOptions) {
    const { slots, clock, logger } = options
    this.#options = options
    this.#loop = new LaneLoop({
      ...options,
      lanes: slots.map((lane) => () => this.#fillLane(lane)),
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

  async #fillLane(slots: LaneSlots): Promise<number | 'none'> {
    const { leases, clock, pollMs, signal } = this.#options
    const free = slots.size - slots.taken
    if (free <= 0) return 'none'
    const { jobs, moved } = await leases.first(slots.lane, free)
    const now = clock.now()
    const due = jobs.filter((job) => job.value.dueAt <= now)
    if (due.length === 0) {
      // A race that another won calls for a further look. A place that is deserted twice is no race but an index that wants rebuilding.
      const raced = moved.some((place) => !slots.deserted.includes(place))
      slots.deserted = moved
      return raced ? 0 : Math.min(pollMs, ...jobs.map((job) => job.value.dueAt - now))
    }
    if (signal.aborted) return 'none'
    const taken = await Promise.allSettled(due.map((job) => leases.take(job)))
    for (const result of taken) if (result.status === 'fulfilled' && result.value) this.#start(result.value, slots)
    for (const result of taken) if (result.status === 'rejected') throw result.reason
    return 0
  }

  #start(lease: Lease, slots: LaneSlots): void {
    slots.taken++
    this.#loop.start(this.#runJob(lease).finally(() => void slots.taken--))
  }

  async #runJob(lease: Lease): Promise<void> {
    const { leases, clock, logger, handler } = this.#options
    const { id, kind, data, attempt } = lease.job
    const keeper = keepLease({ lease, leases, clock, logger })
    let settlement: Settlement
    try {
      settlement = await handler({ id, kind, data, attempt }, keeper.signal)
    } catch (error) {
      settlement = 'failed'
      logger?.warn('A job failed and is tried again later', { id, kind, attempt, error: String(error) })
    }
    await keeper.stop()
    if (!keeper.signal.aborted) await this.#settle(lease, settlement)
  }

  /** Tries as long as the lease lasts; after that the job comes again, as it does after a crash. */
  async #settle(lease: Lease, settlement: Settlement): Promise<void> {
    const { leases, clock, logger } = this.#options
    const end = clock.now() + leases.leaseMs
    while (clock.now() < end) {
      try {
        return await leases.settle(lease, settlement)
      } catch (error) {
        logger?.warn('A job could not be given back', { id: lease.job.id, error: String(error) })
        await clock.sleep(SETTLE_AGAIN_MS)
      }
    }
  }
}
