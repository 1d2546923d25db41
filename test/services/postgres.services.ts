import { expect, test } from 'vitest'
import { openPostgres } from '../support/postgres/open.ts'

const { sql } = await openPostgres()

test('the Postgres of this run is the one that was asked for', async () => {
  const [row] = await sql`SELECT current_setting('server_version_num')::int / 10000 AS version`
  const asked = /\/(\d+)\/bin$/.exec(process.env['POSTGRES_BIN'] ?? '')?.[1]
  expect(row?.['version']).toBe(asked === undefined ? row?.['version'] : Number(asked))
  expect(row?.['version']).toBeGreaterThanOrEqual(13)
})
