import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import postgres from 'postgres'
import { createPostgresStore } from '../adapters/postgres/index.ts'
import type { Principal } from '../src/kernel/http/route.ts'
import { createPlatform } from '../src/platform/platform.ts'
import { Cluster } from '../test/support/distributed/cluster.ts'
import { startManyHosts } from '../test/support/distributed/many-hosts.ts'
import { startPostgres } from '../test/support/postgres/start.ts'
import { median } from './measure.ts'
import { commandLine, figure, machine, markdownTable, provenance, writeSection } from './report.ts'

// One crawl that waits for a slow site, by 1, 2 and 4 worker processes. See README.md.
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '2' },
    latency: { type: 'string', default: '600' },
    seconds: { type: 'string', default: '12' },
    write: { type: 'boolean', default: false },
  },
})
const HOSTS = 120
/** The concurrency of each worker for a recipe that names no `crawl.concurrency`. */
const EACH = 8
const WORKERS = [1, 2, 4] as const
/** Named in a recipe it holds for all workers together. */
const TOGETHER = 16
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
const contenders = [
  ...WORKERS.map((workers) => ({ workers, together: null })),
  ...WORKERS.slice(1).map((workers) => ({ workers, together: TOGETHER })),
]
type Contender = (typeof contenders)[number]
const speeds = new Map<Contender, Speed[]>(contenders.map((contender) => [contender, []]))
let databases = 0
for (let run = 0; run < Number(values.runs); run++) {
  for (const contender of run % 2 === 0 ? contenders : contenders.toReversed()) {
    const speed = await crawl(contender)
    speeds.get(contender)?.push(speed)
    process.stderr.write(
      `run ${run + 1}  ${contender.workers} workers, ${tokensOf(contender)}` +
        ` pages at a time: ${figure(speed.steady)} pages/s, ${figure(speed.whole)} in all\n`,
    )
  }
}
await server.stop()

function tokensOf({ workers, together }: Contender): number {
  return together ?? workers * EACH
}

async function crawl({ workers, together }: Contender): Promise<Speed> {
  const database = `crawl${databases++}`
  const admin = postgres({
    host: server.host,
    user: 'seine',
    database: 'postgres',
    onnotice: () => {},
  })
  await admin.unsafe(`CREATE DATABASE ${database}`)
  await admin.end()
  const folder = await mkdtemp(join(work, 'distributed-'))
  // As many pages as the workers can visit in the time that a run shall take.
  const pages = Math.round(
    (tokensOf({ workers, together }) * Number(values.seconds) * 1_000) / latencyMs / HOSTS,
  )
  const site = await startManyHosts({
    hosts: HOSTS,
    pages,
    latencyMs,
    ...(together !== null && { concurrency: together }),
  })
  const cluster = new Cluster({
    PGHOST: server.host,
    PGUSER: 'seine',
    PGDATABASE: database,
    BLOBS_DIR: folder,
    SHARE: String(workers),
  })
  const client = postgres({ host: server.host, user: 'seine', database, onnotice: () => {} })
  const platform = createPlatform({
    store: createPostgresStore({ client }),
    logger: { debug() {}, info() {}, warn() {}, error() {} },
  })
  try {
    await cluster.startApi()
    await Promise.all(Array.from({ length: workers }, () => cluster.startWorker().ready))
    const task = await cluster.call<{ id: string }>('/api/v1/tasks', {
      name: 'Many hosts',
      recipe: site.recipe,
    })
    const started = performance.now()
    const { id } = await cluster.call<{ id: string }>(`/api/v1/tasks/${task.id}/executions`, {})
    let ended = false
    for (let failures = 0; !ended && failures < 10_000; failures++) {
      const { status, counters } = await platform.api.executions.get(OWNER, id)
      ended = status === 'succeeded'
      if (status === 'failed' || (ended && counters.fetched !== site.urls))
        throw new Error(`The crawl is ${status} with ${counters.fetched} of ${site.urls} pages`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    const seconds = (performance.now() - started) / 1_000
    const { arrivals, most } = site
    if (together !== null && most > together)
      throw new Error(`${most} requests at once, where ${together} are allowed`)
    const [from, to] = [Math.floor(arrivals.length * 0.3), Math.floor(arrivals.length * 0.9)]
    return {
      steady: ((to - from) * 1_000) / ((arrivals[to] ?? NaN) - (arrivals[from] ?? NaN)),
      whole: site.urls / seconds,
    }
  } finally {
    await cluster.stop()
    await platform.close()
    await client.end()
    site.close()
    await rm(folder, { recursive: true, force: true })
  }
}

const of = (contender: Contender, what: keyof Speed): number[] =>
  (speeds.get(contender) ?? []).map((speed) => speed[what])
const ratio = (contender: Contender, what: keyof Speed): number =>
  median(
    of(contender, what).map(
      (speed, run) => speed / (contenders[0] ? (of(contenders[0], what)[run] ?? NaN) : NaN),
    ),
  )
const table = markdownTable(
  [
    'workers',
    '`crawl.concurrency`',
    'pages/s',
    '× one',
    'of what is possible',
    '× one, the whole run',
  ],
  contenders.map((contender) => {
    const steady = median(of(contender, 'steady'))
    const named =
      contender.together === null ? `absent: ${EACH} each` : `${contender.together}, in all`
    return [
      String(contender.workers),
      named,
      figure(steady),
      figure(ratio(contender, 'steady')),
      `${Math.round((steady * latencyMs * 100) / (tokensOf(contender) * 1_000))} %`,
      figure(ratio(contender, 'whole')),
    ]
  }),
)
const report = `${provenance(commandLine('bench/distributed.ts'), computer)}\n\n${table}`
console.log(report)
if (values.write) await writeSection('distributed', report)
