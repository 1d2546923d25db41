import { createPostgresBackend, createRedisBackend, isPgPool, Job, Queue, Worker } from 'bullmq'
import type {
  BackendFactory,
  ConnectionOptions,
  IQueueBackend,
  JobJson,
  JobsOptions,
  PostgresPoolConfig,
} from 'bullmq'

/** The maximum of Postgres' `integer`. */
const MOST = 2 ** 31 - 1

/** The used part of a `Pool` of pg. BullMQ's own type for it differs from pg's declarations. */
export interface PgPoolLike {
  query(text: string, values?: unknown[]): Promise<unknown>
  connect(): Promise<unknown>
  end(): Promise<unknown>
}

/**
 * The server of the jobs: Redis, with a client of ioredis or its options; or Postgres, with a
 * `Pool` of pg or its options.
 */
export type Server =
  | { readonly redis: ConnectionOptions }
  | { readonly postgres: PgPoolLike | PostgresPoolConfig | string }

/** The part of BullMQ that adds and reads jobs. */
export interface BullJobs {
  add(name: string, data: unknown, options: JobsOptions): Promise<unknown>
  getJob(id: string): Promise<Job | undefined>
  getJobState(id: string): Promise<string>
  close(): Promise<void>
}

/** The part of BullMQ that takes jobs. */
export interface BullWorker {
  getBackend(): IQueueBackend
  jobFrom(json: JobJson, id: string): Job
  waitUntilReady(): Promise<void>
  startStalledCheckTimer(): Promise<void>
  close(force: boolean): Promise<void>
}

/** Creates BullMQ's objects for a queue. */
export interface Driver {
  jobs(name: string): BullJobs
  /** In ms: the lock of a job, and the interval at which BullMQ checks for expired locks. */
  worker(
    name: string,
    settings: { readonly lockDuration: number; readonly stalledInterval: number },
  ): BullWorker
}

/**
 * Returns the driver of a server. `prefix`: of Redis keys. `onError`: called with BullMQ's own
 * errors.
 */
export function driverOf(server: Server, prefix: string, onError: (error: Error) => void): Driver {
  if ('redis' in server) return driver(createRedisBackend, server.redis, prefix, onError)
  const { postgres } = server
  if (isPgPool(postgres)) return driver(createPostgresBackend, postgres, prefix, onError)
  if (typeof postgres !== 'string' && 'query' in postgres)
    throw new TypeError(
      'createBullmqQueue: server.postgres must be a pool of pg that BullMQ supports',
    )
  return driver(createPostgresBackend, postgres, prefix, onError)
}

function driver<B extends IQueueBackend, C>(
  backend: BackendFactory<B, C>,
  connection: C,
  prefix: string,
  onError: (error: Error) => void,
): Driver {
  return {
    jobs: (name) =>
      new Queue<unknown, unknown, string, unknown, unknown, string, B, C>(
        name,
        { connection, prefix },
        backend,
      ).on('error', onError),
    worker(name, settings) {
      // Makes BullMQ keep a job, however often its consumers die.
      const worker = new Worker<unknown, unknown, string, B, string, C>(
        name,
        null,
        { connection, prefix, autorun: false, maxStalledCount: MOST, ...settings },
        backend,
      )
      worker.on('error', onError)
      return Object.assign(worker, {
        jobFrom: (json: JobJson, id: string) => Job.fromJSON(worker, json, id),
      })
    },
  }
}
