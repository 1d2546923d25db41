import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import postgres from 'postgres'
import { createPostgresStore } from '../adapters/postgres/index.ts'
import { createSqliteStore } from '../adapters/sqlite/index.ts'
import { createMemoryStore } from '../src/defaults/memory-store.ts'
import { startPostgres } from '../test/support/postgres/start.ts'
import { median } from './measure.ts'
import { rawPostgresWorkload } from './store/raw-postgres.ts'
import { rawSqliteWorkload } from './store/raw-sqlite.ts'
import { commandLine, figure, machine, markdownTable, provenance, writeSection } from './report.ts'
import { GROUP, storeWorkload, type Workload } from './store/workload.ts'

// Measures commits, lists and reads per second of each store, beside a raw loop on its database. See
// README.md.
const { values } = parseArgs({
  options: {
    commits: { type: 'string', default: '20000' },
    runs: { type: 'string', default: '3' },
    write: { type: 'boolean', default: false },
  },
})
const runs = Number(values.runs)
const AT_ONCE = 50
const RAW = 'raw node:sqlite loop'
const POSTGRES = 'Postgres store'
const RAW_POSTGRES = 'raw postgres.js loop'

const computer = machine()
const work = fileURLToPath(new URL('./.work/', import.meta.url))
await mkdir(work, { recursive: true })
const server = await startPostgres({ durable: true })
let schemas = 0
const contenders: Readonly<Record<string, (folder: string) => Workload | Promise<Workload>>> = {
  'memory store': () => storeWorkload(createMemoryStore()),
  'SQLite store': (folder) => storeWorkload(createSqliteStore({ path: join(folder, 'store.db') })),
  [RAW]: (folder) => rawSqliteWorkload(join(folder, 'raw.db')),
  [POSTGRES]: () => {
    const client = postgres({
      host: server.host,
      user: 'seine',
      database: 'postgres',
      max: 10,
      onnotice: () => {},
    })
    const workload = storeWorkload(createPostgresStore({ client, schema: `s${schemas++}` }))
    return {
      ...workload,
      close: async () => {
        await workload.close()
        await client.end()
      },
    }
  },
  [RAW_POSTGRES]: () => rawPostgresWorkload(server.host, `s${schemas++}`),
}
const names = Object.keys(contenders)
const speeds = new Map<string, Speeds[]>(names.map((name) => [name, []]))
for (let run = 0; run < runs; run++) {
  for (let turn = 0; turn < names.length; turn++) {
    const name = names[(run + turn) % names.length] ?? RAW
    const folder = await mkdtemp(join(work, 'store-'))
    try {
      const workload = await contenders[name]?.(folder)
      if (workload) speeds.get(name)?.push(await exercise(name, workload))
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
    process.stderr.write(`run ${run + 1}/${runs}  ${name}\n`)
  }
}
await server.stop()
await report()

/** A second, except `p99`: milliseconds of one commit. */
interface Speeds {
  readonly commit: number
  readonly p99: number
  readonly together: number
  readonly list: number
  readonly get: number
}

async function exercise(name: string, workload: Workload): Promise<Speeds> {
  // A commit on Postgres waits for the disk, so there are fewer.
  const commits = Math.ceil(Number(values.commits) / (rawOf(name) === RAW_POSTGRES ? 10 : 1))
  /** Half of the commits make a record, half change one. */
  const records = Math.max(GROUP, Math.floor(commits / 2 / GROUP) * GROUP)
  const took: number[] = []
  const commit = await perSecond(commits, 1, async (index) => {
    const started = performance.now()
    await workload.commit(index % records)
    took.push(performance.now() - started)
  })
  const together = await perSecond(commits, AT_ONCE, (index) => workload.commit(index % records))
  const list = await perSecond(Math.ceil(commits / 10), 1, async (index) => {
    const listed = await workload.list(index % (records / GROUP))
    if (listed !== GROUP) throw new Error(`${name} listed ${listed} of ${GROUP} records`)
  })
  const get = await perSecond(commits, 1, async (index) => {
    if (!(await workload.get(index % records)))
      throw new Error(`${name} lost record ${index % records}`)
  })
  const counted = await workload.counted()
  if (counted !== commits * 2)
    throw new Error(`${name} counted ${counted} of ${commits * 2} commits`)
  await workload.close()
  return {
    commit,
    p99: took.toSorted((a, b) => a - b)[Math.floor(took.length * 0.99)] ?? NaN,
    together,
    list,
    get,
  }
}

// Each loop takes the next index; with fewer loops than records no two of them ever hold the same
// record.
async function perSecond(
  count: number,
  loops: number,
  step: (index: number) => Promise<void> | void,
): Promise<number> {
  let next = 0
  const loop = async () => {
    while (next < count) await step(next++)
  }
  const started = performance.now()
  await Promise.all(Array.from({ length: loops }, loop))
  return (count / (performance.now() - started)) * 1000
}

/** The loop by hand on the database of the store of this name. */
function rawOf(name: string): string {
  return name === POSTGRES || name === RAW_POSTGRES ? RAW_POSTGRES : RAW
}

async function report(): Promise<void> {
  const of = (name: string, speed: keyof Speeds) =>
    (speeds.get(name) ?? []).map((run) => run[speed])
  const toRaw = (name: string, speed: keyof Speeds) => {
    const raw = of(rawOf(name), speed)
    return figure(median(of(name, speed).map((value, run) => value / (raw[run] ?? NaN))))
  }
  const rows = names.map((name) => [
    name,
    figure(median(of(name, 'commit'))),
    toRaw(name, 'commit'),
    figure(median(of(name, 'p99'))),
    figure(median(of(name, 'together'))),
    toRaw(name, 'together'),
    figure(median(of(name, 'list'))),
    toRaw(name, 'list'),
    figure(median(of(name, 'get'))),
    toRaw(name, 'get'),
  ])
  const table = markdownTable(
    [
      'store',
      'commits/s',
      '× raw',
      'p99 ms',
      `commits/s, ${AT_ONCE} at once`,
      '× raw',
      'list/s',
      '× raw',
      'get/s',
      '× raw',
    ],
    rows,
  )
  process.stdout.write(`${table}\n`)
  const command = commandLine('bench/store.ts')
  if (values.write) await writeSection('store', `${provenance(command, computer)}\n\n${table}`)
}
