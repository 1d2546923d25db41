import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { requireBuild } from '../support/sources/dist.ts'
import { startManyHosts } from '../support/distributed/many-hosts.ts'
import { openPostgres } from '../support/postgres/open.ts'
import { root } from '../support/sources/sources.ts'

const { host, sql } = await openPostgres()
const folder = mkdtempSync(join(tmpdir(), 'seine-example-'))
const DATABASE = `example_${process.pid}`
const KEY = 'secret-of-the-example'

beforeAll(async () => {
  requireBuild()
  await sql.unsafe(`CREATE DATABASE ${DATABASE}`)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('main.ts starts an API and three workers, crawls with them, and ends them', async () => {
  const site = await startManyHosts({ hosts: 6, pages: 4, latencyMs: 50, concurrency: 2 })
  const env = {
    ...process.env,
    PGHOST: host,
    PGUSER: 'seine',
    PGDATABASE: DATABASE,
    BLOBS_DIR: folder,
    API_KEY: KEY,
    PORT: '0',
    ALLOW_PRIVATE_NETWORK: '1',
  }
  const main = spawn(
    process.execPath,
    ['--no-warnings', join(root, 'examples/distributed/main.ts')],
    { env, stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const ended = once(main, 'exit')
  try {
    const lines: string[] = []
    for await (const line of createInterface(main.stdout)) if (lines.push(line) === 4) break
    expect(lines.filter((line) => line === 'working')).toHaveLength(3)
    const url = lines.find((line) => line.startsWith('listening '))?.slice('listening '.length)
    const call = async (path: string, body?: object) => {
      const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
      const response = await fetch(
        `${url}/api/v1${path}`,
        body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers },
      )
      return JSON.parse(await response.text()).data
    }
    const task = await call('/tasks', { name: 'Many hosts', recipe: site.recipe })
    const { id } = await call(`/tasks/${task.id}/executions`, {})
    await expect
      .poll(() => call(`/executions/${id}`), { interval: 300 })
      .toMatchObject({
        status: 'succeeded',
        counters: { fetched: site.urls, rows: site.titles.length },
      })
    expect((await fetch(`${url}/api/v1/tasks`)).status).toBe(401)
  } finally {
    main.kill('SIGTERM')
    site.close()
  }
  expect((await ended)[0]).toBe(0)
})
