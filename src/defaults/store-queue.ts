import type { Clock, RandomBytes } from '../ports/clock.ts'
import type { Logger } from '../ports/logger.ts'
import type { ConsumeOptions, JobHandler, Job, Queue, QueueBacklog } from '../ports/queue.ts'
import { Change } from '../records/change.ts'
import type { CoreRecords } from '../records/core.ts'
import { SYSTEM } from '../records/collection.ts'
import { MOST_AHEAD_MS } from '../kernel/time.ts'
import { once } from '../kernel/concurrency.ts'
import type { ConsumeJobs, QueueConsumer } from './queue-consumer.ts'

/** Options of {@link createStoreQueue}. */
export interface StoreQueueOptions {
  readonly records: CoreRecords
  readonly clock: Clock
  readonly random: RandomBytes
  /** How long a silent consumer keeps its job, in ms. Default 30,000. */
  readonly leaseMs?: number
  /** Interval at which a consumer polls for jobs of other processes, in ms. Default 1,000. */
  readonly pollMs?: number
  /** Logs failed jobs and a store that does not answer. */
  readonly logger?: Logger
}

/**
 * A Queue that keeps its jobs on the Store: it runs wherever the platform does, and several
 * processes on one Store share the work. A job is run by one live consumer at a time. If its lease
 * ends without a sign of life, it is run again, last and alone, because it may have killed its
 * process. Places are shared equally between the shares whose jobs are due.
 */
export function createStoreQueue(options: StoreQueueOptions): Queue {
  return new StoreQueue(options)
}

class StoreQueue implements Queue {
  readonly #records: CoreRecords
  readonly #clock: Clock
  /** Opened by the first consumer, because a process that only serves does not need it. */
  readonly #consumer: () => Promise<(options: ConsumeJobs) => QueueConsumer>
  readonly #consumers = new Set<QueueConsumer>()
  readonly #consuming = new Set<Promise<void>>()
  readonly #closing = new AbortController()

  constructor({
    records,
    clock,
    random,
    leaseMs = 30_000,
    pollMs = 1_000,
    logger,
  }: StoreQueueOptions) {
    this.#records = records
    this.#clock = clock
    this.#consumer = once(async () =>
      (await import('./queue-consumer.ts')).consumersOf({
        records,
        clock,
        random,
        leaseMs,
        pollMs,
        logger,
      }),
    )
  }

  async push(job: Job, options: { readonly at?: number } = {}): Promise<void> {
    if (this.#closing.signal.aborted) throw new Error('The queue is closed')
    const now = this.#clock.now()
    const dueAt = Math.min(options.at ?? now, now + MOST_AHEAD_MS)
    while (!(await this.#tryPush(job, dueAt)));
    for (const consumer of this.#consumers) consumer.wake()
  }

  async consume(
    handler: JobHandler,
    { concurrency, untilIdle = false, signal }: ConsumeOptions,
  ): Promise<void> {
    const ended = this.#consume({
      handler,
      concurrency,
      untilIdle,
      signal: AbortSignal.any([signal, this.#closing.signal]),
    })
    this.#consuming.add(ended)
    try {
      await ended
    } finally {
      this.#consuming.delete(ended)
    }
  }

  async backlog(): Promise<readonly QueueBacklog[]> {
    return (await import('./observe-queue.ts')).readBacklog(this.#records, this.#clock)
  }

  async #consume(options: ConsumeJobs): Promise<void> {
    const consumer = (await this.#consumer())(options)
    this.#consumers.add(consumer)
    try {
      await consumer.run()
    } finally {
      this.#consumers.delete(consumer)
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('The queue is closed'))
    await Promise.allSettled(this.#consuming)
  }

  /** `false`: the job changed meanwhile. */
  async #tryPush({ id, kind, data, lane = 'short', share }: Job, dueAt: number): Promise<boolean> {
    const { jobs } = this.#records
    const present = await jobs.get(SYSTEM, id)
    const change = new Change()
    const now = this.#clock.now()
    if (!present)
      jobs.insert(change, SYSTEM, {
        id,
        kind,
        data,
        lane,
        ...(share !== undefined && { share }),
        dueAt,
        ...(dueAt <= now ? { ready: true } : { setAt: now }),
        attempt: 0,
        lease: null,
      })
    // A job counts as taken even if its lease has ended. Its handler may still run, and may already
    // be past the work that this push is about, so the job must run again.
    else if (present.value.lease !== null)
      jobs.update(change, SYSTEM, present, {
        ...present.value,
        ...(dueAt < (present.value.again ?? Infinity) && { again: dueAt, againSetAt: now }),
      })
    else return true
    return this.#records.commit(change)
  }
}
