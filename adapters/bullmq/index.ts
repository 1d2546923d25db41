import {
  callback,
  checkOptions,
  either,
  group,
  nonEmpty,
  objectLike,
  required,
  textLike,
  whole,
  withMethods,
} from '../../src/kernel/options.ts'
import { LANES, lanePlaces } from '../../src/kernel/queue-lanes.ts'
import type { Clock, RandomBytes } from '../../src/ports/clock.ts'
import type { Logger } from '../../src/ports/logger.ts'
import type { ConsumeOptions, JobHandler, Job, Lane, Queue } from '../../src/ports/queue.ts'
import { Consumer } from './consumer.ts'
import { driverOf } from './driver.ts'
import type { Driver, Server } from './driver.ts'
import { LaneJobs } from './lane-jobs.ts'
import { LaneWorker } from './lane-worker.ts'
import type { JobHold } from './job-hold.ts'

export type { PgPoolLike, Server } from './driver.ts'

const NAME = textLike('a text of 1 to 48 letters, digits, and characters of _ . -', (text) =>
  /^[\w.-]{1,48}$/.test(text),
)

/** Options of {@link createBullmqQueue}. */
export interface BullmqQueueOptions {
  /**
   * `redis`: your own ioredis client with `maxRetriesPerRequest: null`, or the options from which
   * BullMQ makes one. `postgres`: `{ connectionString, migrate: true }`, or a `Pool` of pg whose
   * `search_path` is the schema `bullmq`, with BullMQ's tables in it. If you pass a client, end it
   * yourself after you close the queue.
   */
  readonly server: Server
  /**
   * Prefix of the names of BullMQ's queues. Default `seine`. In Redis it is in braces, so that a
   * cluster keeps the keys of a queue together.
   */
  readonly name?: string
  /**
   * Lease of a job, in ms. After it, the job of a silent consumer is given to another consumer.
   * Default 30,000.
   */
  readonly leaseMs?: number
  /**
   * Interval, in ms, at which a consumer polls for jobs that the server did not announce; ten times
   * as long while the queue is quiet. Default 1,000.
   */
  readonly pollMs?: number
  /** Logs failed jobs and a server that does not answer. */
  readonly logger?: Logger
  /** For tests. BullMQ itself uses the system clock. */
  readonly clock?: Clock
  readonly random?: RandomBytes
}

/**
 * A Queue on BullMQ, in Redis or in Postgres, for any number of processes. Each lane is a queue of
 * BullMQ, `seine-short`, `seine-remote` and `seine-long`, which its tools can show. A job is run by
 * one live consumer at a time, and again when its consumer dies.
 *
 * @example
 *   import { Redis } from 'ioredis'
 *
 *   const platform = createPlatform({
 *     queue: createBullmqQueue({
 *       server: { redis: new Redis('redis://localhost:6379', { maxRetriesPerRequest: null }) },
 *     }),
 *   })
 *
 * @throws {TypeError} for wrong options
 */
export function createBullmqQueue(options: BullmqQueueOptions): Queue {
  checkOptions<BullmqQueueOptions>('createBullmqQueue', options, {
    server: required(
      either(
        group<{ readonly redis: unknown }>({
          redis: required(objectLike('a client of ioredis, or its options')),
        }),
        group<{ readonly postgres: unknown }>({
          postgres: required(either(nonEmpty, objectLike('a Pool of pg, or its options'))),
        }),
      ),
    ),
    name: NAME,
    leaseMs: whole(1),
    pollMs: whole(1),
    logger: withMethods('a logger', 'debug', 'info', 'warn', 'error'),
    clock: withMethods('a clock', 'now', 'sleep'),
    random: callback,
  })
  return new BullmqQueue(options)
}

class BullmqQueue implements Queue {
  readonly #driver: Driver
  readonly #name: string
  readonly #settings: {
    readonly clock: Clock
    readonly random: RandomBytes
    readonly leaseMs: number
    readonly logger: Logger | undefined
  }
  readonly #pollMs: number
  readonly #jobs: Readonly<Record<Lane, LaneJobs>>
  readonly #consumers = new Map<Consumer, Promise<void>>()
  readonly #closing = new AbortController()
  readonly #self: string
  #workers: Promise<Readonly<Record<Lane, LaneWorker>>> | undefined
  #closed: Promise<void> | undefined
  #tokens = 0

  constructor({
    server,
    name = 'seine',
    leaseMs = 30_000,
    pollMs = 1_000,
    logger,
    clock = timers,
    random = (length) => crypto.getRandomValues(new Uint8Array(length)),
  }: BullmqQueueOptions) {
    this.#driver = driverOf(server, `{${name}}`, (error) =>
      logger?.warn('BullMQ reported an error', { error: String(error) }),
    )
    this.#name = name
    this.#settings = { clock, random, leaseMs, logger }
    this.#pollMs = pollMs
    this.#self = Array.from(random(9), (byte) => byte.toString(36).padStart(2, '0')).join('')
    const jobsOf = (lane: Lane): LaneJobs =>
      new LaneJobs(this.#driver.jobs(`${name}-${lane}`), clock, this.#unique)
    this.#jobs = { short: jobsOf('short'), remote: jobsOf('remote'), long: jobsOf('long') }
  }

  async push(job: Job, options: { readonly at?: number } = {}): Promise<void> {
    if (this.#closed) throw new Error('The queue is closed')
    await this.#jobs[job.lane ?? 'short'].push(job, options.at ?? this.#settings.clock.now())
    this.#wake()
  }

  async consume(
    handler: JobHandler,
    { concurrency, signal, untilIdle = false }: ConsumeOptions,
  ): Promise<void> {
    const places = lanePlaces(concurrency)
    const over = AbortSignal.any([signal, this.#closing.signal])
    if (over.aborted) return
    const workers = await (this.#workers ??= this.#open().catch((error: unknown) => {
      // The next call tries again.
      this.#workers = undefined
      throw error
    }))
    const lanes = places.map(({ lane, size }) => ({
      size,
      running: new Set<JobHold>(),
      last: null,
      worker: workers[lane],
      runOptions: { ...this.#settings, jobs: this.#jobs[lane] },
    }))
    const { clock, logger } = this.#settings
    const consumer = new Consumer({
      lanes,
      clock,
      pollMs: this.#pollMs,
      logger,
      handler,
      untilIdle,
      signal: over,
    })
    const ended = consumer.run()
    this.#consumers.set(consumer, ended)
    try {
      await ended
    } finally {
      this.#consumers.delete(consumer)
    }
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#close())
  }

  async #close(): Promise<void> {
    this.#closing.abort(new Error('The queue is closed'))
    const workers = await this.#workers?.catch(() => undefined)
    await Promise.allSettled(this.#consumers.values())
    await Promise.all(LANES.flatMap((lane) => [this.#jobs[lane].close(), workers?.[lane].close()]))
  }

  /**
   * Opened by the first consumer, because a process that only pushes jobs needs no such
   * connections.
   */
  async #open(): Promise<Readonly<Record<Lane, LaneWorker>>> {
    const { leaseMs } = this.#settings
    const settings = { lockDuration: leaseMs, stalledInterval: Math.ceil(leaseMs / 3) }
    const workerOf = (lane: Lane): LaneWorker =>
      new LaneWorker(
        this.#driver.worker(`${this.#name}-${lane}`, settings),
        this.#unique,
        this.#wake,
      )
    const workers = { short: workerOf('short'), remote: workerOf('remote'), long: workerOf('long') }
    try {
      await Promise.all(LANES.map((lane) => workers[lane].ready()))
    } catch (error) {
      await Promise.allSettled(LANES.map((lane) => workers[lane].close()))
      throw error
    }
    return workers
  }

  readonly #wake = (): void => {
    for (const consumer of this.#consumers.keys()) consumer.wake()
  }

  readonly #unique = (): string => `${this.#self}${(this.#tokens++).toString(36)}`
}

/** The system's time. */
export const timers: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const onAbort = (): void => {
        clearTimeout(timer)
        reject(signal?.reason)
      }
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', onAbort)
        resolve()
      }, ms)
      signal?.addEventListener('abort', onAbort, { once: true })
    }),
}
