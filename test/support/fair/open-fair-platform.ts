import { Redis } from 'ioredis'
import postgres from 'postgres'
import { createPlatform } from 'seine'
import type { Platform } from 'seine'
import { createBullmqQueue } from 'seine/bullmq'
import { createPostgresStore } from 'seine/postgres'
import { createRedisStore } from 'seine/redis'
import { createFileBlobs } from 'seine/unstorage'

/** The stores of the records and the jobs of several processes. */
export interface FairPlace {
  readonly store:
    | { readonly postgres: string; readonly schema: string }
    | { readonly redis: number; readonly prefix: string }
  /** The port and the name of a queue of BullMQ. Default: the jobs are in the store. */
  readonly bullmq?: { readonly redis: number; readonly name: string }
  readonly blobs: string
  /** Executions at the same time in one process. */
  readonly concurrency: number
}

const silent = { debug() {}, info() {}, warn() {}, error() {} }

/** A platform as each process has it; `close` ends its clients, too. */
export function openFairPlatform({ store, bullmq, blobs, concurrency }: FairPlace): Platform {
  const ends: (() => Promise<unknown>)[] = []
  const redisAt = (port: number): Redis => {
    const client = new Redis({ port, host: '127.0.0.1', maxRetriesPerRequest: null })
    ends.push(() => client.quit())
    return client
  }
  const postgresAt = (host: string): postgres.Sql => {
    const client = postgres({
      host,
      user: 'seine',
      database: 'postgres',
      max: 8,
      onnotice: () => {},
    })
    ends.push(() => client.end())
    return client
  }
  const platform = createPlatform({
    store:
      'postgres' in store
        ? createPostgresStore({ client: postgresAt(store.postgres), schema: store.schema })
        : createRedisStore({ client: redisAt(store.redis), prefix: store.prefix }),
    ...(bullmq && {
      queue: createBullmqQueue({ server: { redis: redisAt(bullmq.redis) }, name: bullmq.name }),
    }),
    blobs: createFileBlobs({ dir: blobs }),
    worker: { concurrency },
    rateLimits: false,
    allowPrivateNetwork: true,
    logger: silent,
  })
  return {
    ...platform,
    async close() {
      await platform.close()
      await Promise.all(ends.map((end) => end()))
    },
  }
}
