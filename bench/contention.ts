import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createSqliteStore } from '../adapters/sqlite/index.ts'
import type { RecipeInput } from '../src/engine/recipe/recipe-input.ts'
import { createMemoryBlobs } from '../src/defaults/memory-blobs.ts'
import { KeyedLock } from '../src/kernel/concurrency.ts'
import { createPlatform } from '../src/platform/platform.ts'
import type { Fetcher } from '../src/ports/fetcher.ts'
import type { Store } from '../src/ports/store.ts'
import { median } from './measure.ts'
import { commandLine, figure, machine, markdownTable, provenance, writeSection } from './report.ts'

// Executions that spend from one wallet beside as many that have one each. See README.md.
const { values } = parseArgs({
  options: {
    executions: { type: 'string', default: '64' },
    pages: { type: 'string', default: '50' },
    runs: { type: 'string', default: '5' },
    write: { type: 'boolean', default: false },
  },
})
const executions = Number(values.executions)
const pages = Number(values.pages)
const runs = Number(values.runs)

/**
 * `turns`: whether what begins and ends takes turns, and ends together; without, whoever loses a
 * commit tries again.
 */
interface Contender {
  readonly accounts: number
  readonly dailyCap: number | null
  readonly turns: boolean
}
const CONTENDERS: Readonly<Record<string, Contender>> = {
  [`${executions} accounts`]: { accounts: executions, dailyCap: null, turns: true },
  'one account': { accounts: 1, dailyCap: null, turns: true },
  'one account, with a daily cap': { accounts: 1, dailyCap: 10_000_000, turns: true },
  'one account, without turns': { accounts: 1, dailyCap: null, turns: false },
}

/** Pages, starts: a second. Ends are part of the pages' time. `lost`: commits that met another. */
interface Cost {
  readonly pages: number
  /** Pages by a second of this process' time. */
  readonly byCpu: number
  readonly starts: number
  readonly refused: number
  readonly lost: number
}

const body = new TextEncoder().encode(
  '<html><head><title>A page</title></head><body><h1>Product</h1><p class="price">12.50</p>' +
    `${'<p>Some text of the page.</p>'.repeat(40)}</body></html>`,
)
const web: Fetcher = {
  capabilities: { pinsAddresses: true },
  resolve: async () => ['93.184.216.34'],
  send: async () => ({
    status: 200,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body,
    truncated: false,
  }),
  close: async () => {},
}
const recipe = (host: number): RecipeInput => ({
  start: { urls: [`https://shop${host}.example.com/p/{1..${pages}}`] },
  crawl: { robots: false, delayMs: 0, concurrency: 10 },
  extract: { fields: { title: 'h1', price: { css: '.price', as: 'number' } } },
})

async function exercise(folder: string, { accounts, dailyCap, turns }: Contender): Promise<Cost> {
  let lost = 0
  const sqlite = createSqliteStore({ path: join(folder, 'store.db') })
  const store: Store = {
    get: (keys) => sqlite.get(keys),
    list: (range) => sqlite.list(range),
    commit: async (change) => {
      const isWritten = await sqlite.commit(change)
      if (!isWritten) lost++
      return isWritten
    },
    close: () => sqlite.close(),
  }
  const inTurn = KeyedLock.prototype.run
  if (!turns) KeyedLock.prototype.run = (_, work) => work()
  const platform = createPlatform({
    store,
    blobs: createMemoryBlobs(),
    fetcher: web,
    rateLimits: false,
    worker: { concurrency: executions },
    billing: { plans: [{ id: 'bench', name: 'Bench', creditsPerMonth: 100_000_000, dailyCap }] },
  })
  try {
    const principals = Array.from({ length: accounts }, (_, i) => ({
      account: `account-${i}`,
      user: 'bench',
      scopes: ['*'],
    }))
    const tasks = await Promise.all(
      Array.from({ length: executions }, async (_, i) => {
        const principal = principals[i % accounts]
        if (!principal) throw new Error('There is no account')
        return {
          principal,
          task: await platform.api.tasks.create(principal, {
            name: `task ${i}`,
            recipe: recipe(i),
          }),
        }
      }),
    )
    const began = performance.now()
    const started = await Promise.allSettled(
      tasks.map(({ principal, task }) => platform.api.executions.start(principal, task.id)),
    )
    const startSeconds = (performance.now() - began) / 1_000
    const refused = started.filter(({ status }) => status === 'rejected').length
    const works = performance.now()
    const used = process.cpuUsage()
    await platform.worker.tick()
    const seconds = (performance.now() - works) / 1_000
    const { user, system } = process.cpuUsage(used)
    let fetched = 0
    for (const principal of principals) {
      for (let cursor: string | undefined, more = true; more;) {
        const { items, nextCursor } = await platform.api.executions.list(principal, {
          limit: 100,
          ...(cursor !== undefined && { cursor }),
        })
        for (const { status, counters } of items) {
          if (status !== 'succeeded') throw new Error(`An execution is ${status}`)
          fetched += counters.fetched
        }
        more = nextCursor !== null
        cursor = nextCursor ?? undefined
      }
    }
    if (fetched !== (executions - refused) * pages) throw new Error(`${fetched} pages were fetched`)
    return {
      pages: fetched / seconds,
      byCpu: fetched / ((user + system) / 1e6),
      starts: (executions - refused) / startSeconds,
      refused,
      lost,
    }
  } finally {
    KeyedLock.prototype.run = inTurn
    await platform.close()
  }
}

const computer = machine()
const work = fileURLToPath(new URL('./.work/', import.meta.url))
await mkdir(work, { recursive: true })
const names = Object.keys(CONTENDERS)
const costs = new Map<string, Cost[]>(names.map((name) => [name, []]))
// The first round is not counted: it compiles what the others use.
for (let run = -1; run < runs; run++) {
  for (let turn = 0; turn < names.length; turn++) {
    const name = names[(run + 1 + turn) % names.length] ?? ''
    const contender = CONTENDERS[name]
    if (!contender) continue
    const folder = await mkdtemp(join(work, 'contention-'))
    try {
      const cost = await exercise(folder, contender)
      if (run >= 0) costs.get(name)?.push(cost)
      process.stderr.write(
        `run ${run + 1}/${runs}  ${name}: ${Math.round(cost.pages)} pages/s, ${cost.lost} commits lost\n`,
      )
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
}
const of = (name: string, what: keyof Cost) => (costs.get(name) ?? []).map((cost) => cost[what])
const ratio = (name: string, what: keyof Cost) =>
  median(of(name, what).map((value, run) => value / (of(names[0] ?? '', what)[run] ?? NaN)))
const table = markdownTable(
  [
    'what',
    'pages/s',
    `× ${names[0]}`,
    'pages/CPU s',
    `× ${names[0]}`,
    'starts/s',
    `× ${names[0]}`,
    'starts refused',
    'commits lost',
  ],
  names.map((name) => [
    name,
    figure(median(of(name, 'pages'))),
    figure(ratio(name, 'pages')),
    figure(median(of(name, 'byCpu'))),
    figure(ratio(name, 'byCpu')),
    figure(median(of(name, 'starts'))),
    figure(ratio(name, 'starts')),
    String(median(of(name, 'refused'))),
    String(median(of(name, 'lost'))),
  ]),
)
process.stdout.write(`${table}\n`)
if (values.write)
  await writeSection(
    'contention',
    `${provenance(commandLine('bench/contention.ts'), computer)}\n\n${table}`,
  )
