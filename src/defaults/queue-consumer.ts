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
/** After so many misses in a row there is a pause, in case it is not a race but an index that wants rebuilding. */
const MOST_MISSES = 20

/** One `consume` call: takes due jobs up to the places of their lane, runs them under their leases, and waits for more. */
export class QueueConsumer {
  readonly #options: QueueConsumerOptions
  readonly #running = new Set<Promise<void>>()
  /** Something happened since the last look for jobs. */
  #woken = false
  #interrupt: (() => void) | null = null

  constructor(options: QueueConsumerOptions) {
    this.#options = options
  }

  /** Resolves when it has stopped and its last job has ended. */
  async run(): Promise<void> {
    const { signal, untilIdle, pollMs, logger } = this.#options
    const onAbort = (): void => this.wake()
    signal.addEventListener('abort', onAbort)
    try {
      while (!signal.aborted) {
        this.#woken = false
        let next: number | 'none'
        try {
          next = await this.#fill()
        } catch (error) {
          if (untilIdle) throw error
          logger?.warn('The queue could not read its jobs', { error: String(error) })
          next = pollMs
        }
        if (untilIdle && next !== 0 && this.#running.size === 0 && !this.#woken) return
        await this.#wait(next)
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

  /** Takes what is due and tells in how many milliseconds to look again; `none`: not before something happens here. */
  async #fill(): Promise<number | 'none'> {
    const looked = await Promise.allSettled(this.#options.slots.map((slots) => this.#fillLane(slots)))
    for (const result of looked) if (result.status === 'rejected') throw result.reason
    const waits = looked.flatMap((result) => (result.status === 'fulfilled' && result.value !== 'none' ? [result.value] : []))
    return waits.length === 0 ? 'none' : Math.min(...waits)
  }

  async #fillLane(slots: LaneSlots): Promise<number | 'none'> {
    const { leases, clock, pollMs, signal } = this.#options
    const free = slots.size - slots.taken
    if (free <= 0) return 'none'
    const { jobs, moved } = await leases.first(slots.lane, free)
    const now = clock.now()
    const due = jobs.filter((job) => job.value.dueAt <= now)
    if (due.length === 0) {
      slots.misses = moved ? slots.misses + 1 : 0
      return slots.misses % MOST_MISSES === 0 ? Math.min(pollMs, ...jobs.map((job) => job.value.dueAt - now)) : 0
    }
    if (signal.aborted) return 'none'
    const taken = await Promise.allSettled(due.map((job) => leases.take(job)))
    for (const result of taken) if (result.status === 'fulfilled' && result.value) this.#start(result.value, slots)
    for (const result of taken) if (result.status === 'rejected') throw result.reason
    return 0
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

  #start(lease: Lease, slots: LaneSlots): void {
    slots.taken++
    const run = this.#runJob(lease).finally(() => {
      slots.taken--
      this.#running.delete(run)
      this.wake()
    })
    this.#running.add(run)
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
