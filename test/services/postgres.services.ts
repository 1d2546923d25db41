import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { openPostgres } from '../support/postgres/open.ts'

const { sql } = await openPostgres()

test('the Postgres of this run is the one that was asked for', async () => {
  const [row] = await sql`SELECT current_setting('server_version_num')::int / 10000 AS version`
  const version = /\/(\d+)\/bin$/.exec(process.env['POSTGRES_BIN'] ?? '')?.[1]
  expect(row?.['version']).toBe(version === undefined ? row?.['version'] : Number(version))
  expect(row?.['version']).toBeGreaterThanOrEqual(13)
})

test('a server ends with the process that started it, also if that was killed', async () => {
  const start = new URL('../support/postgres/start.ts', import.meta.url).href
  const owner = spawn(
    process.execPath,
    [
      '--no-warnings',
      '--input-type=module',
      '-e',
      `const { host } = await (await import(${JSON.stringify(start)})).startPostgres(); console.log(host)`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const host =
    (await createInterface(owner.stdout)[Symbol.asyncIterator]().next()).value ?? expect.fail()
  expect(existsSync(join(host, 'postmaster.pid'))).toBe(true)
  owner.kill('SIGKILL')
  await expect.poll(() => existsSync(dirname(host))).toBe(false)
})
