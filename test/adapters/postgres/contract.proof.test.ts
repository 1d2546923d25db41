import pg from 'pg'
import { afterAll } from 'vitest'
import { createPostgresStore } from '../../../adapters/postgres/index.ts'
import { storeContract } from '../../contracts/store.ts'
import { commitTurns, storeTurns } from '../../contracts/store-turns.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { openPostgres } from '../../support/postgres/open.ts'

const { sql, host, schema } = await openPostgres()
const pool = new pg.Pool({ host, user: 'seine', database: 'postgres', max: 4 })
afterAll(() => pool.end())

for (const [name, client] of Object.entries({ 'postgres.js': sql, pg: pool })) {
  const own = schema()
  storeContract(`createPostgresStore on ${name}`, async () => {
    const clock = createFakeClock()
    const open = () => createPostgresStore({ client, schema: own, clock })
    // The schema is emptied, which takes a tenth of the time of making another one.
    await open().get([['made']])
    await sql`TRUNCATE ${sql(own)}.entries`
    return { store: open(), clock, reopen: async () => open() }
  })
  storeTurns(`createPostgresStore on ${name}`, async () =>
    createPostgresStore({ client, schema: schema() }),
  )
  commitTurns(`createPostgresStore on ${name}`, async () =>
    createPostgresStore({ client, schema: schema(), commitGroups: 1 }),
  )
}
