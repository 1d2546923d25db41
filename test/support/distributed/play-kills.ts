import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { expect } from 'vitest'
import { createPostgresStore } from '../../../adapters/postgres/index.ts'
import { createFileBlobs } from '../../../adapters/unstorage/index.ts'
import type { Principal } from '../../../src/kernel/http/route.ts'
import { createPlatform } from '../../../src/platform/platform.ts'
import { seededRandom } from '../fakes/seeded-random.ts'
import { Cluster } from './cluster.ts'
import { startManyHosts } from './many-hosts.ts'

const WORKERS = 3
const OWNER: Principal = { account: 'acme', user: 'ann', scopes: ['*'] }

/** The servers and settings of {@link playKills}. */
export interface KillsOptions {
  /** Folder of the socket of a Postgres. */
  readonly host: string
  readonly rounds: number
  /** Further variables that the example reads. */
  readonly environment?: Readonly<Record<string, string>>
}

/**
 * Runs the processes of examples/distributed: three workers share a crawl, one of them is killed at
 * a random moment and another one started, so many times. Checks everything after each round, and
 * returns the number of right rounds.
 */
export async function playKills({ host, rounds, environment }: KillsOptions): Promise<number> {
  const random = seededRandom(7)
  const database = `kills_${process.pid}`
  const folder = mkdtempSync(join(tmpdir(), 'seine-distributed-'))
  // In turn: four pages at a time over all processes; and the default of each process, with media.
  const sites = [
    await startManyHosts({ hosts: 12, pages: 6, latencyMs: 90, concurrency: 4 }),
    await startManyHosts({ hosts: 12, pages: 6, latencyMs: 250, media: true }),
  ]
  const cluster = new Cluster({
    PGHOST: host,
    PGUSER: 'seine',
    PGDATABASE: database,
    BLOBS_DIR: folder,
    LEASE_MS: '2000',
    SHARE: String(WORKERS),
    ...environment,
  })
  const admin = postgres({ host, user: 'seine', database: 'postgres', onnotice: () => {} })
  await admin.unsafe(`CREATE DATABASE ${database}`)
  await admin.end()
  // Reads the store directly, as the API limits calls.
  const client = postgres({ host, user: 'seine', database, onnotice: () => {} })
  const platform = createPlatform({
    store: createPostgresStore({ client }),
    blobs: createFileBlobs({ dir: folder }),
  })
  const { executions, results } = platform.api
  try {
    await cluster.startApi()
    const workers = Array.from({ length: WORKERS }, () => cluster.startWorker())
    await Promise.all(workers.map(({ ready }) => ready))
    const tasks = await Promise.all(
      sites.map(async (site) => ({
        site,
        task: await cluster.call<{ id: string }>('/api/v1/tasks', {
          name: 'Many hosts',
          recipe: site.recipe,
        }),
      })),
    )
    for (let round = 0; round < rounds; round++) {
      const played = tasks[round % tasks.length]
      if (!played) throw new Error('There is no task')
      const { site, task } = played
      const { id } = await cluster.call<{ id: string }>(`/api/v1/tasks/${task.id}/executions`, {})
      const [moment = 0, which = 0] = random(2)
      const visited = async () => (await executions.get(OWNER, id)).counters.visited
      await expect
        .poll(visited, { interval: 20 })
        .toBeGreaterThanOrEqual(Math.floor((moment / 256) * site.urls))
      workers.splice(which % WORKERS, 1)[0]?.child.kill('SIGKILL')
      workers.push(cluster.startWorker())
      await expect
        .poll(async () => (await executions.get(OWNER, id)).status, { interval: 50 })
        .toBe('succeeded')
      const [rows, receipt] = await Promise.all([
        all((cursor) =>
          results.list(OWNER, id, { limit: 100, ...(cursor !== undefined && { cursor }) }),
        ),
        all((cursor) =>
          executions.pages(OWNER, id, { limit: 100, ...(cursor !== undefined && { cursor }) }),
        ),
      ])
      expect(rows.map(({ title }) => title).toSorted()).toEqual(site.titles.toSorted())
      if (site.media)
        expect(rows.map((row) => JSON.stringify(row).match(/"id":"med_/g)?.length)).toEqual(
          site.titles.map(() => 2),
        )
      expect(new Set(receipt.map(({ url }) => url)).size).toBe(site.urls)
      expect(receipt.filter(({ outcome }) => outcome === 'fetched')).toHaveLength(site.urls)
      const { counters } = await cluster.call<{ counters: Readonly<Record<string, number>> }>(
        `/api/v1/executions/${id}`,
      )
      expect(counters).toMatchObject({
        discovered: site.urls,
        visited: site.urls,
        fetched: site.urls,
        pending: 0,
        failed: 0,
        duplicate: 0,
        rows: site.titles.length,
      })
    }
    expect(sites.map(({ most }) => most)).toEqual([4, expect.any(Number)])
    expect(await cluster.stop()).toEqual(Array.from({ length: WORKERS + 1 }, () => 0))
    expect(await platform.verify()).toMatchObject({ ok: true, differences: [] })
    return rounds
  } finally {
    await cluster.stop()
    await platform.close()
    await client.end()
    for (const site of sites) site.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function all<T>(
  read: (
    cursor: string | undefined,
  ) => Promise<{ readonly items: readonly T[]; readonly nextCursor: string | null }>,
): Promise<T[]> {
  const items: T[] = []
  for (let page = await read(undefined); ; page = await read(page.nextCursor)) {
    items.push(...page.items)
    if (page.nextCursor === null) return items
  }
}
