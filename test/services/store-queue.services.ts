import { createPostgresStore } from '../../adapters/postgres/index.ts'
import { createStoreQueue } from '../../src/defaults/store-queue.ts'
import { createRecords } from '../../src/features/records.ts'
import { queueContract } from '../contracts/queue.ts'
import { createFakeClock } from '../support/fakes/fake-clock.ts'
import { openPostgres } from '../support/postgres/open.ts'
import { createRemoteStore } from '../support/stores/remote-store.ts'
import { seededRandom } from '../support/fakes/seeded-random.ts'

const { sql, connect, schema } = await openPostgres()
const other = connect()
const own = schema()

// Two clients of one schema, like those of two processes. Simulated hours take long here, as each
// poll is a round trip.
queueContract('createStoreQueue on Postgres', async () => {
  const clock = createFakeClock()
  await createPostgresStore({ client: sql, schema: own }).get([['made']])
  await sql`TRUNCATE ${sql(own)}.entries`
  const open = (client: typeof sql, seed: number) =>
    createStoreQueue({
      records: createRecords(
        createRemoteStore(createPostgresStore({ client, schema: own, clock })),
      ),
      clock,
      random: seededRandom(seed),
    })
  return { queue: open(sql, 1), other: open(other, 2), clock }
})
