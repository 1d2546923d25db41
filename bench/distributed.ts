import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import postgres from 'postgres'
import { createPostgresStore } from '../adapters/postgres/index.ts'
import type { Principal } from '../src/kernel/route.ts'
import { createPlatform } from '../src/platform.ts'
import { Cluster } from '../test/support/distributed/cluster.ts'
import { startManyHosts } from '../test/support/distributed/many-hosts.ts'
import { startPostgres } from '../test/support/postgres/start.ts'
import { median } from './measure.ts'
import { commandLine, figure, machine, markdownTable, provenance, writeSection } from './report.ts'

// One crawl that waits for a slow site, by 1, 2 and 4 worker processes. See README.md.
const { values } = parseArgs({
  options: { runs: { type: 'string', default: '2' }, latency: { type: 'string', default: '600' }, seconds: { type: 'string', default: '12' }, write: { type: 'boolean', default: false } },
})
const HOSTS = 40
const CONCURRENCY = 4
const WORKERS = [1, 2, 4] as const
const OWNER: Principal = { account: 'acme', user: 'ann', scopes: ['*'] }
const latencyMs = Number(values.latency)

/** Pages a second from 30 to 90 % of the requests, and of the whole run. */
interface Speed {
  readonly steady: number
  readonly whole: number
}

const computer = machine()
const work = fileURLToPath(new URL('./.work/', import.meta.url))
await mkdir(work, { recursive: true })
const server = await startPostgres({ durable: true })
const speeds = new Map<number, Speed[]>(WORKERS.map((workers) => [workers, []]))
let databases = 0
for (let run = 0; run < Number(values.runs); run++) {
  for (const workers of run % 2 === 0 ? WORKERS : WORKERS.toReversed()) {
    const speed = await crawl(workers)
    speeds.get(workers)?.push(speed)
    process.stderr.write(`run ${run + 1}  ${workers} workers: ${figure(speed.steady)} pages/s, ${figure(speed.whole)} in all\n`)
  }
}
await server.stop()

async function crawl(workers: number): Promise<Speed> {
  const database = `crawl${databases++}`
  const admin = postgres({ host: server.host, user: 'seine', database: 'postgres', onnotice: () => {} })
  await admin.unsafe(`CREATE DATABASE ${database}`)
  await admin.end()
  const folder = await mkdtemp(join(work, 'distributed-'))
  // As many pages as the workers can visit in the time that a run shall take.
  const pages = Math.round((workers * CONCURRENCY * Number(values.seconds) * 1_000) / latencyMs / HOSTS)
  const site = await startManyHosts({ hosts: HOSTS, pages, latencyMs, concurrency: CONCURRENCY })
  const cluster = new Cluster({ PGHOST: server.host, PGUSER: 'seine', PGDATABASE: database, BLOBS_DIR: folder, SHARE: String(workers) })
  const client = postgres({ host: server.host, user: 'seine', database, onnotice: () => {} })
  const platform = createPlatform({ store: createPostgresStore({ client }), logger: { debug() {}, info() {}, warn() {}, error() {} } })
  try {
    await cluster.startApi()
    await Promise.all(Array.from({ length: workers }, () => cluster.startWorker().ready))
    const task = await cluster.call<{ id: string }>('/api/v1/tasks', { name: 'Many hosts', recipe: site.recipe })
    const started = performance.now()
    const { id } = await cluster.call<{ id: string }>(`/api/v1/tasks/${task.id}/executions`, {})
    let ended = false
    for (let failures = 0; !ended && failures < 10_000; failures++) {
      const { status, counters } = await platform.api.executions.read(OWNER, id)
      ended = status === 'succeeded'
      if (status === 'failed' || (ended && counters.fetched !== site.urls)) throw new Error(`The crawl is ${status} with ${counters.fetched} of ${site.urls} pages`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    const seconds = (performance.now() - started) / 1_000
    const { arrivals } = site
    const [from, to] = [Math.floor(arrivals.length * 0.3), Math.floor(arrivals.length * 0.9)]
    return { steady: ((to - from) * 1_000) / ((arrivals[to] ?? NaN) - (arrivals[from] ?? NaN)), whole: site.urls / seconds }
  } finally {
    await cluster.stop()
    await platform.close()
    await client.end()
    site.close()
    await rm(folder, { recursive: true, force: true })
  }
}

const of = (workers: number, what: keyof Speed): number[] => (speeds.get(workers) ?? []).map((speed) => speed[what])
const ratio = (workers: number, what: keyof Speed): number => median(of(workers, what).map((speed, run) => speed / (of(1, what)[run] ?? NaN)))
const table = markdownTable(
  ['workers', 'pages/s', '× one', 'of what is possible', '× one, the whole run'],
  WORKERS.map((workers) => {
    const steady = median(of(workers, 'steady'))
    return [String(workers), figure(steady), figure(ratio(workers, 'steady')), `${Math.round((steady * latencyMs * 100) / (workers * CONCURRENCY * 1_000))} %`, figure(ratio(workers, 'whole'))]
  }),
)
const report = `${provenance(commandLine('bench/distributed.ts'), computer)}\n\n${table}`
console.log(report)
if (values.write) await writeSection('distributed', report)
