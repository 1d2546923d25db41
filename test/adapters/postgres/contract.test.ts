import pg from 'pg'
import { afterAll } from 'vitest'
import { createPostgresStore } from '../../../adapters/postgres/index.ts'
import { storeContract } from '../../contracts/store.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { openPostgres } from '../../support/postgres/open.ts'

const { sql, host, schema } = await openPostgres()
const pool = new pg.Pool({ host, user: 'seine', database: 'postgres', max: 4 })
afterAll(() => pool.end())

for (const [name, client] of Object.entries({ 'postgres.js': sql, pg: pool })) {
  storeContract(`createPostgresStore on ${name}`, async () => {
    const clock = createFakeClock()
    const options = { client, schema: schema(), clock }
    const open = () => createPostgresStore(options)
    return { store: open(), clock, reopen: async () => open() }
  })
}
