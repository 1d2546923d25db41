// A separate process that takes jobs and ends none of them until it is killed.
import { Redis } from 'ioredis'
import pg from 'pg'
import { createBullmqQueue } from '../../../adapters/bullmq/index.ts'

const [, , kind = '', where = '', name = '', leaseMs = '0'] = process.argv
const server =
  kind === 'redis'
    ? { redis: new Redis({ port: Number(where), host: '127.0.0.1', maxRetriesPerRequest: null }) }
    : {
        postgres: new pg.Pool({
          host: where,
          user: 'seine',
          database: 'postgres',
          max: 8,
          options: '-c search_path=bullmq',
        }),
      }
const queue = createBullmqQueue({ server, name, leaseMs: Number(leaseMs) })
await queue.consume(
  async (job) => {
    process.stdout.write(`${job.id} ${job.attempt}\n`)
    return new Promise(() => undefined)
  },
  { concurrency: 3, signal: new AbortController().signal },
)
