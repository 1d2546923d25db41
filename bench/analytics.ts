import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createSqliteStore } from '../adapters/sqlite/index.ts'
import { createMemoryBlobs } from '../src/defaults/memory-blobs.ts'
import { createAnalytics } from '../src/features/analytics/service.ts'
import { callerOf, countBegin, countEnd, countPages } from '../src/features/common/usage.ts'
import { createCore } from '../src/platform/core.ts'
import { Change } from '../src/records/change.ts'
import type { Records } from '../src/features/records.ts'
import type { ExecutionRecord, VisitRecord } from '../src/features/executions/records.ts'
import { median } from './measure.ts'
import { commandLine, figure, machine, markdownTable, provenance, writeSection } from './report.ts'

// Measures the cost of analytics with a thousand and with a million executions. See README.md.
const { values } = parseArgs({
  options: {
    executions: { type: 'string', default: '1000000' },
    runs: { type: 'string', default: '41' },
    write: { type: 'boolean', default: false },
  },
})
const most = Number(values.executions)
const runs = Number(values.runs)
const LOAD = 5_000
const FROM = Date.UTC(2030, 0, 1)
const MONTH = 31 * 86_400_000
const TASKS = 100
const principal = { account: 'acme', user: 'bench', scopes: ['*'] }
const recipe = { start: { urls: ['https://shop.example.com/'] } }

/** Executions spread over the month, each with a page and every 20th with a failed one. */
async function load(records: Records, count: number): Promise<void> {
  for (let first = 0; first < count; first += LOAD) {
    const change = new Change()
    for (let i = first; i < Math.min(count, first + LOAD); i++) {
      const time = FROM + Math.floor((i / count) * MONTH)
      const id = `exec_${String(i).padStart(9, '0')}`
      const execution: ExecutionRecord = {
        id,
        taskId: `task_${i % TASKS}`,
        recipe,
        status: i % 50 === 0 ? 'failed' : 'succeeded',
        reason: null,
        retryOf: null,
        createdAt: time,
        startedAt: time,
        finishedAt: time + 1_000 + ((i * 7_919) % 600_000),
        updatedAt: time,
      }
      const fails = i % 20 === 0
      const visit: VisitRecord = {
        execution: id,
        seq: 0,
        url: 'https://shop.example.com/',
        finalUrl: null,
        label: 'start',
        depth: 0,
        outcome: fails ? 'failed' : 'fetched',
        reason: fails ? { code: 'http_404', message: 'Not found' } : null,
        httpStatus: fails ? 404 : 200,
        rows: 20,
        bytes: 60_000,
        durationMs: 120,
        credits: fails ? 0 : 1,
        at: time,
      }
      records.executions.insert(change, principal.account, execution)
      countBegin(records, change, principal.account, execution)
      countPages(records, change, principal.account, [visit], callerOf(principal))
      countEnd(records, change, principal.account, execution, null)
    }
    if (!(await records.commit(change))) throw new Error('A commit was lost')
  }
}

const computer = machine()
const work = fileURLToPath(new URL('./.work/', import.meta.url))
await mkdir(work, { recursive: true })
const folder = await mkdtemp(join(work, 'analytics-'))
const sizes = [1_000, most]
const clock = { now: () => FROM + MONTH - 1, sleep: async () => undefined }
try {
  const stores = sizes.map((size) => createSqliteStore({ path: join(folder, `${size}.db`) }))
  const sides = []
  for (const [position, store] of stores.entries()) {
    const size = sizes[position] ?? 0
    const core = createCore({ store, blobs: createMemoryBlobs(), clock })
    const began = performance.now()
    await load(core.records, size)
    process.stderr.write(
      `${size} executions loaded in ${Math.round((performance.now() - began) / 1_000)} s\n`,
    )
    sides.push({
      size,
      analytics: createAnalytics(core),
    })
  }
  type Analytics = ReturnType<typeof createAnalytics>
  const month = { from: '2030-01-01', to: '2030-02-01' }
  const reads: Readonly<
    Record<string, (analytics: Analytics) => Promise<{ readonly executions: number }>>
  > = {
    'month by day, UTC': async (one) => sum((await one.series(principal, month)).points),
    'month by day, Asia/Kathmandu': async (one) =>
      sum((await one.series(principal, { ...month, timeZone: 'Asia/Kathmandu' })).points),
    'month by hour, UTC': async (one) =>
      sum((await one.series(principal, { ...month, granularity: 'hour' })).points),
    summary: (one) => one.summary(principal, month),
    executions: async (one) => ({ executions: (await one.executions(principal, month)).started }),
  }
  const rows: string[][] = []
  for (const [name, read] of Object.entries(reads)) {
    const costs = sides.map((): number[] => [])
    for (let run = -5; run < runs; run++) {
      for (const turn of sides.keys()) {
        // Each of the two goes first equally often.
        const step = (turn + run + 5) % sides.length
        const side = sides[step]
        if (!side) continue
        const began = performance.now()
        const { executions } = await read(side.analytics)
        const took = performance.now() - began
        // In a zone ahead of UTC some of the last hours of the month belong to the next month.
        if (executions > side.size || executions < side.size * 0.98)
          throw new Error(`${name}: ${executions} executions`)
        if (run >= 0) costs[step]?.push(took)
      }
    }
    const [few = NaN, many = NaN] = costs.map(median)
    rows.push([name, figure(few), figure(many), figure(many / few)])
  }
  const table = markdownTable(
    ['read', ...sizes.map((size) => `ms with ${size.toLocaleString('en-US')} executions`), 'ratio'],
    rows,
  )
  process.stdout.write(`${table}\n`)
  if (values.write)
    await writeSection(
      'analytics',
      `${provenance(commandLine('bench/analytics.ts'), computer)}\n\n${table}`,
    )
  await Promise.all(stores.map((store) => store.close()))
} finally {
  await rm(folder, { recursive: true, force: true })
}

function sum(points: readonly { readonly executions: number }[]): { executions: number } {
  return { executions: points.reduce((total, { executions }) => total + executions, 0) }
}
