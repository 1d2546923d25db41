import { runMigrations } from 'bullmq'
import pg from 'pg'
import { afterEach, vi } from 'vitest'
import { queueContract } from '../../contracts/queue.ts'
import { underWay } from '../../support/fakes/fake-clock.ts'
import { openPostgres } from '../../support/postgres/open.ts'
import { openContractQueues } from './contract-queues.ts'

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

queueContract('createBullmqQueue on Postgres', () =>
  openContractQueues(`q${names++}`, () => ({ postgres: connect() }), opened),
)
