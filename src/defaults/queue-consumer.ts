import { Outage } from '../kernel/outage.ts'
import { LaneLoop, lanePlaces } from '../kernel/queue-lanes.ts'
import type { Clock, RandomBytes } from '../ports/clock.ts'
import type { Logger } from '../ports/logger.ts'
import type { ConsumeOptions, JobHandler, Lane } from '../ports/queue.ts'
import type { Stored } from '../records/collection.ts'
import type { JobRecord, CoreRecords } from '../records/core.ts'
import { RunningJob } from './queue-job.ts'
import { QueueLeases } from './queue-leases.ts'
import type { Lease } from './queue-leases.ts'
import { QueueLines } from './queue-lines.ts'
import { QueueOverlong } from './queue-overlong.ts'
import { QueueSuspects } from './queue-suspects.ts'
import { countPlaces, dealPlaces, findOverdue, lendPlaces } from '../kernel/fair/fair-places.ts'

/** Options of one `consume` call; see the Queue port. */
export interface ConsumeJobs extends Required<ConsumeOptions> {
  readonly handler: JobHandler
}

/** Opens a queue's leases and returns a factory of consumers. */
export function consumersOf({
  records,
  clock,
  random,
  leaseMs,
  pollMs,
  logger,
}: {
  readonly records: CoreRecords
  readonly clock: Clock
  readonly random: RandomBytes
  readonly leaseMs: number
  readonly pollMs: number
  readonly logger: Logger | undefined
}): (jobs: ConsumeJobs) => QueueConsumer {
  const leases = new QueueLeases({ records, clock, random, leaseMs })
  const lines = new QueueLines(records)
  return ({ concurrency, ...jobs }) =>
    new QueueConsumer({
      ...jobs,
      leases,
      lines,
      clock,
      pollMs,
      logger,
      lanes: openLanes(concurrency),
    })
}

/** Options of the consumer; see the Queue port. */
interface QueueConsumerOptions {
  readonly leases: QueueLeases
  readonly lines: QueueLines
  readonly clock: Clock
  readonly pollMs: number
  readonly logger: Logger | undefined
  readonly handler: JobHandler
  readonly lanes: readonly ConsumerLane[]
  readonly untilIdle: boolean
  readonly signal: AbortSignal
}

/** Minimum number of jobs that one poll reads by time. */
const LEAST_READ = 16
/**
 * If a suspect has run alone for this long, it does not kill its worker at once, so other jobs may
 * run beside it.
 */
const ALONE_MS = 10_000

/** The result of one poll of a lane: ms until the next poll. 0: the poll did something. */
type Next = number | 'none'

/**
 * One `consume` call. It takes due jobs, share by share, up to the concurrency of their lane, runs
 * them under their leases, and waits for more.
 */
export class QueueConsumer {
  readonly #options: QueueConsumerOptions
  readonly #loop: LaneLoop
  readonly #suspects: QueueSuspects
  readonly #overlong: QueueOverlong
  /** Outages of the store that its jobs notice. */
  readonly #outage: Outage
  /** Outages of the store that the consumer notices when it reads. */
  readonly #unread: Outage
  /** The suspect that must run alone. */
  #alone: RunningJob | null = null

  constructor(options: QueueConsumerOptions) {
    const { clock, logger } = options
    this.#options = options
    this.#suspects = new QueueSuspects(options)
    this.#outage = new Outage(clock, logger, {
      failing: 'Jobs cannot reach the store',
      over: 'Jobs reach the store again',
    })
    this.#unread = new Outage(clock, logger, {
      failing: 'The queue could not read its jobs',
      over: 'The queue reads its jobs again',
    })
    this.#overlong = new QueueOverlong(options)
    this.#loop = new LaneLoop({
      ...options,
      lanes: [
        async () => {
          const next = await this.#poll()
          this.#unread.worked()
          return next
        },
      ],
      sleep: (ms, signal) => clock.sleep(ms, signal),
      onError: (error) => this.#unread.failed(error),
    })
  }

  /** Resolves when the consumer has stopped and its last job has ended. */
  async run(): Promise<void> {
    try {
      await this.#loop.run()
    } finally {
      this.#outage.ended()
      this.#unread.ended()
    }
  }

  /** Polls for jobs at once. */
  wake(): void {
    this.#loop.wake()
  }

  get #isBusy(): boolean {
    return this.#options.lanes.some(({ running }) => running.size > 0)
  }

  async #poll(): Promise<Next> {
    const { lanes, pollMs, signal } = this.#options
    if (this.#alone) return 'none'
    if (this.#suspects.wantsRoom) {
      for (const { running } of lanes)
        for (const job of running) if (job.yields && !job.asked) job.ask()
      return this.#isBusy ? pollMs : this.#takeSuspect()
    }
    const looked = await Promise.allSettled(lanes.map((lane) => this.#fillLane(lane)))
    for (const result of looked) if (result.status === 'rejected') throw result.reason
    const waits = looked.flatMap((result) =>
      result.status === 'fulfilled' && result.value !== 'none' ? [result.value] : [],
    )
    const next = waits.length === 0 ? 'none' : Math.min(...waits)
    if (next === 0 || signal.aborted) return next
    if (await this.#overlong.search()) return 0
    if (!this.#isBusy) return (await this.#takeSuspect()) === 0 ? 0 : next
    return (await this.#suspects.checkWhileBusy()) ? 0 : next
  }

  /** Takes due jobs while the lane has free places. If all are taken, asks running jobs to suspend. */
  async #fillLane(lane: ConsumerLane): Promise<Next> {
    const { leases, lines, clock, pollMs, signal } = this.#options
    const { name, size, running } = lane
    const free = size - running.size
    const places = free > 0 ? free : size
    if (free <= 0 && running.size >= 2 * size) return 'none'
    if (free <= 0 && ![...running].some(({ yields, asked }) => yields || asked)) return 'none'
    const [timed, ready] = await Promise.all([
      lines.byTime(name, Math.max(free, LEAST_READ)),
      lines.ready(name, places, lane.last),
    ])
    if (ready.jobs.length === 0) lane.last = null
    const now = clock.now()
    const due = timed.jobs.filter(({ value }) => value.dueAt <= now)
    const suspects = due.filter(({ value }) => value.lease !== null || value.lost !== undefined)
    const waiting = [...ready.jobs, ...due.filter((job) => !suspects.includes(job))].map((job) => ({
      share: job.value.share ?? '',
      job,
    }))
    if (signal.aborted) return 'none'
    await all(suspects.map((job) => leases.lineUp(job)))
    if (free <= 0) return this.#freePlaces(lane, waiting, now)
    const picked = dealPlaces(waiting, countPlaces(running), lane.last, free)
    const left = waiting.filter(
      (candidate) => !picked.includes(candidate) && due.includes(candidate.job),
    )
    if (picked.length === 0 && suspects.length === 0) {
      // If another consumer won a race, one more poll is needed. An index position that is stale
      // twice is not a race: the index needs a rebuild.
      const moved = [...timed.moved, ...ready.moved]
      const raced = moved.some((position) => !lane.deserted.includes(position))
      lane.deserted = moved
      return raced ? 0 : Math.min(pollMs, ...timed.jobs.map(({ value }) => value.dueAt - now))
    }
    lane.last = picked.at(-1)?.share ?? lane.last
    await all([
      ...picked.map(({ job }) => this.#take(job, lane)),
      ...left.map(({ job }) => leases.lineUp(job)),
    ])
    return 0
  }

  /**
   * Asks jobs to suspend if another share should run. Until their places are free, one job of each
   * waiting share without a place runs on a borrowed one.
   */
  async #freePlaces<W extends { readonly share: string; readonly job: Stored<JobRecord> }>(
    lane: ConsumerLane,
    waiting: readonly W[],
    now: number,
  ): Promise<Next> {
    const { running, last, size } = lane
    const { over, again } = findOverdue([...running], waiting, last, now, size)
    for (const job of over) job.ask()
    const lent = lendPlaces([...running], waiting, last, size)
    lane.last = lent.at(-1)?.share ?? last
    await all(lent.map(({ job }) => this.#take(job, lane)))
    return lent.length > 0 ? 0 : Math.min(again, this.#options.pollMs)
  }

  async #take(job: Stored<JobRecord>, lane: ConsumerLane, alone = false): Promise<boolean> {
    const lease = await this.#options.leases.take(job)
    if (lease) this.#start(lease, lane, alone)
    return lease !== null
  }

  async #takeSuspect(): Promise<Next> {
    const { lanes, signal, pollMs } = this.#options
    const job = signal.aborted ? null : await this.#suspects.next()
    const lane = lanes.find(({ name }) => name === job?.value.lane)
    if (!job || !lane) return pollMs
    await this.#take(job, lane, true)
    return 0
  }

  #start(lease: Lease, { running }: ConsumerLane, alone: boolean): void {
    const { clock } = this.#options
    const job = new RunningJob(lease, {
      ...this.#options,
      outage: this.#outage,
      onClear: () => this.#letOthersIn(job),
    })
    const ended = new AbortController()
    running.add(job)
    if (alone) {
      this.#alone = job
      clock.sleep(ALONE_MS, ended.signal).then(
        () => this.#letOthersIn(job),
        () => {},
      )
    }
    this.#loop.start(
      job.run().finally(() => {
        ended.abort()
        running.delete(job)
        this.#letOthersIn(job)
      }),
    )
  }

  #letOthersIn(job: RunningJob): void {
    if (this.#alone !== job) return
    this.#alone = null
    this.#loop.wake()
  }
}

async function all(work: readonly Promise<unknown>[]): Promise<void> {
  for (const result of await Promise.allSettled(work))
    if (result.status === 'rejected') throw result.reason
}

/** One lane of a consumer, and its places. */
interface ConsumerLane {
  readonly name: Lane
  readonly size: number
  /** Jobs that have a place. */
  readonly running: Set<RunningJob>
  /** The share that was served last. `null`: no job waited for its share's turn at the last poll. */
  last: string | null
  /**
   * Index positions that the last poll found stale, because another consumer had just taken their
   * jobs.
   */
  deserted: readonly string[]
}

/**
 * Opens a consumer's lanes.
 *
 * @throws {RangeError} for a concurrency that is not an integer of at least 1
 */
function openLanes(concurrency: ConsumeOptions['concurrency']): readonly ConsumerLane[] {
  return lanePlaces(concurrency).map(({ lane, size }) => ({
    name: lane,
    size,
    running: new Set(),
    last: null,
    deserted: [],
  }))
}
