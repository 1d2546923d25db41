import { runMigrations } from 'bullmq'
import pg from 'pg'
import { afterEach, vi } from 'vitest'
import { createBullmqQueue } from '../../../adapters/bullmq/index.ts'
import { queueContract } from '../../contracts/queue.ts'
import { createFakeClock, underWay } from '../../support/fakes/fake-clock.ts'
import { openPostgres } from '../../support/postgres/open.ts'
import { seededRandom } from '../../support/fakes/seeded-random.ts'

const { host } = await openPostgres()
const opened: { close(): Promise<void> }[] = []

/** A pool whose connections have BullMQ's tables in their path. Time stands still during each query. */
function connect(): pg.Pool {
  const pool = new pg.Pool({
    host,
    user: 'seine',
    database: 'postgres',
    max: 8,
    options: '-c search_path=bullmq',
  })
  const query = pool.query.bind(pool)
  Reflect.set(pool, 'query', (...args: unknown[]) =>
    underWay(async () => Reflect.apply(query, pool, args)),
  )
  opened.unshift({ close: () => pool.end() })
  return pool
}

const client = await connect().connect()
await runMigrations(client)
client.release()
afterEach(async () => {
  vi.restoreAllMocks()
  // Queues close first, as their listeners use connections of the pools.
  for (const one of opened.splice(0).toReversed()) await one.close()
})

let names = 0

// Two pools, as two processes have them. BullMQ asks the system for the time, so the system has
// that of the test.
queueContract('createBullmqQueue on Postgres', async () => {
  const clock = createFakeClock()
  vi.spyOn(Date, 'now').mockImplementation(() => clock.now())
  const name = `q${names++}`
  const open = async (seed: number) => {
    const queue = createBullmqQueue({
      server: { postgres: connect() },
      name,
      leaseMs: 3_600_000,
      clock,
      random: seededRandom(seed),
    })
    opened.push(queue)
    // Connected, as time does not stand still for that.
    await queue.consume(async () => 'done', {
      concurrency: 1,
      signal: new AbortController().signal,
      untilIdle: true,
    })
    return queue
  }
  return { queue: await open(1), other: await open(2), clock }
})
