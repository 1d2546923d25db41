import { fileURLToPath } from 'node:url'
import { afterAll, expect } from 'vitest'
import { createPostgresStore } from '../../../adapters/postgres/index.ts'
import { storeCrowd } from '../../contracts/store-crowd.ts'
import { storeKills } from '../../contracts/store-kills.ts'
import { openPostgres } from '../../support/postgres/open.ts'
import { startWriter } from '../../support/stores/writer-process.ts'

const { host, sql, schema } = await openPostgres()
const own = schema()
const schemaOf = (place: string): string => `${own}_${place}`
const open = (place: string) => createPostgresStore({ client: sql, schema: schemaOf(place) })

const start = () =>
  startWriter(
    [
      process.execPath,
      '--no-warnings',
      fileURLToPath(new URL('./writer.ts', import.meta.url)),
      host,
    ],
    schemaOf,
  )
const processes = Array.from({ length: 4 }, start)
afterAll(() => Promise.all(processes.map((writer) => writer.close())))

storeCrowd('createPostgresStore', { open, writers: processes.map(({ run }) => run), rounds: 120 })

/** A query of a dead client may still run: it has ended once the client's connections are gone. */
async function settled(place: string): Promise<void> {
  await expect
    .poll(
      () =>
        sql`SELECT 1 FROM pg_stat_activity WHERE query LIKE ${`%"${schemaOf(place)}"%`} AND pid <> pg_backend_pid() AND state = 'active'`,
    )
    .toHaveLength(0)
}

storeKills('createPostgresStore', { open, start, settled })
