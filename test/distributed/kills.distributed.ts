import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Principal } from '../../src/kernel/route.ts'
import { createPlatform } from '../../src/platform.ts'
import { createPostgresStore } from '../../adapters/postgres/index.ts'
import { createFileBlobs } from '../../adapters/unstorage/index.ts'
import { requireBuild } from '../support/dist.ts'
import { openPostgres } from '../support/postgres/open.ts'
import { seededRandom } from '../support/seeded-random.ts'
import { Cluster } from '../support/distributed/cluster.ts'
import { startManyHosts } from '../support/distributed/many-hosts.ts'
import type { ManyHosts } from '../support/distributed/many-hosts.ts'

const ROUNDS = 20
const WORKERS = 3

const { host } = await openPostgres()
const folder = mkdtempSync(join(tmpdir(), 'seine-distributed-'))
const cluster = new Cluster({ PGHOST: host, PGUSER: 'seine', PGDATABASE: 'postgres', BLOBS_DIR: folder, LEASE_MS: '1000', SHARE: String(WORKERS) })
let site: ManyHosts
beforeAll(async () => {
  requireBuild()
  site = await startManyHosts({ hosts: 12, pages: 7, latencyMs: 100, concurrency: 4 })
})
afterAll(async () => {
  await cluster.stop()
  site.close()
  rmSync(folder, { recursive: true, force: true })
})

const OWNER: Principal = { account: 'acme', user: 'ann', scopes: ['*'] }

async function all<T>(read: (cursor: string | undefined) => Promise<{ readonly items: readonly T[]; readonly nextCursor: string | null }>): Promise<T[]> {
  const items: T[] = []
  for (let page = await read(undefined); ; page = await read(page.nextCursor)) {
    items.push(...page.items)
    if (page.nextCursor === null) return items
  }
}

test(`${WORKERS} workers share each crawl, and one of them is killed at a random moment, ${ROUNDS} times: nothing is lost or doubled`, { timeout: 180_000 }, async () => {
  const random = seededRandom(7)
  // Looks on from outside: the API has a limit of calls.
  const client = postgres({ host, user: 'seine', database: 'postgres', onnotice: () => {} })
  const platform = createPlatform({ store: createPostgresStore({ client }), blobs: createFileBlobs({ dir: folder }) })
  const { executions, results } = platform.api
  await cluster.startApi()
  const workers = Array.from({ length: WORKERS }, () => cluster.startWorker())
  await Promise.all(workers.map(({ ready }) => ready))
  const task = await cluster.call<{ id: string }>('/api/v1/tasks', { name: 'Many hosts', recipe: site.recipe })
  for (let round = 0; round < ROUNDS; round++) {
    const { id } = await cluster.call<{ id: string }>(`/api/v1/tasks/${task.id}/executions`, {})
    const [moment = 0, which = 0] = random(2)
    const visited = async () => (await executions.read(OWNER, id)).counters.visited
    await expect.poll(visited, { interval: 20, timeout: 30_000 }).toBeGreaterThanOrEqual(Math.floor((moment / 256) * site.urls))
    workers.splice(which % WORKERS, 1)[0]?.child.kill('SIGKILL')
    workers.push(cluster.startWorker())
    await expect.poll(async () => (await executions.read(OWNER, id)).status, { interval: 50, timeout: 30_000 }).toBe('succeeded')
    const [rows, receipt] = await Promise.all([
      all((cursor) => results.list(OWNER, id, { limit: 100, ...(cursor !== undefined && { cursor }) })),
      all((cursor) => executions.pages(OWNER, id, { limit: 100, ...(cursor !== undefined && { cursor }) })),
    ])
    expect(rows.map(({ title }) => title).toSorted()).toEqual(site.titles.toSorted())
    expect(new Set(receipt.map(({ url }) => url)).size).toBe(site.urls)
    expect(receipt.filter(({ outcome }) => outcome === 'fetched')).toHaveLength(site.urls)
    const { counters } = await cluster.call<{ counters: Readonly<Record<string, number>> }>(`/api/v1/executions/${id}`)
    expect(counters).toMatchObject({ discovered: site.urls, visited: site.urls, fetched: site.urls, pending: 0, failed: 0, duplicate: 0, rows: site.titles.length })
  }
  expect(await cluster.stop()).toEqual(Array.from({ length: WORKERS + 1 }, () => 0))
  expect(await platform.verify()).toMatchObject({ ok: true, differences: [] })
  await platform.close()
  await client.end()
})
