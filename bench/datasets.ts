import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createSqliteStore } from '../adapters/sqlite/index.ts'
import { createMemoryStore } from '../src/defaults/memory-store.ts'
import { openDataset, rowOf } from './datasets/workload.ts'
import type { MergeCost } from './datasets/workload.ts'
import { measure } from './measure.ts'
import { RawDataset } from './datasets/raw.ts'
import type { RawRun } from './datasets/raw.ts'
import { commandLine, figure, machine, markdownTable, provenance, writeSection } from './report.ts'

// Measures the cost of merging 1,000 rows into a dataset of any size, on SQLite. See README.md.
const { values } = parseArgs({
  options: {
    items: { type: 'string', default: '1000000' },
    runs: { type: 'string', default: '66' },
    write: { type: 'boolean', default: false },
  },
})
const largest = Number(values.items)
const runs = Number(values.runs)
const ROWS = 1_000
const LOAD = 20_000
/** Rows that are new, or whose price is: of the second and the third kind. */
const NEW = 100
/** Ids above all others: items of the task that the complete runs are of. */
const OWN = 50_000_000

const KINDS = [
  'all as they were',
  `${NEW} changed`,
  `${NEW} new`,
  'complete, 10 gone, 10 back',
] as const
type Kind = (typeof KINDS)[number]

/**
 * Means, as what is done once in many merges (checkpoints, tables of sightings) is part of their
 * cost.
 */
interface Cost extends MergeCost {
  /** CPU of the same reads and writes without the platform; `null` where that is not measured. */
  readonly rawCpuSeconds: number | null
}

const NOTHING: Cost = {
  seconds: NaN,
  cpuSeconds: NaN,
  reads: NaN,
  writes: NaN,
  rawCpuSeconds: null,
}

const computer = machine()
const work = fileURLToPath(new URL('./.work/', import.meta.url))
await mkdir(work, { recursive: true })
const folder = await mkdtemp(join(work, 'datasets-'))
// The first size is not to pay for what the others find compiled.
const warm = await openDataset(createMemoryStore())
for (let turn = 0; turn < 10; turn++)
  await warm.merge(
    'large',
    Array.from({ length: ROWS }, (_, i) => rowOf(i, Math.floor((i + turn) / 2))),
    true,
  )
const sizes = [1_000, 10_000, 100_000, 1_000_000].filter((size) => size <= largest)
const costs = new Map<string, Cost>()
const nameOf = (kind: Kind, size: number) => `${kind} ${size}`
try {
  const store = createSqliteStore({ path: join(folder, 'datasets.db') })
  const dataset = await openDataset(store)
  const raw = new RawDataset(join(folder, 'raw.db'))
  let loaded = 0
  let extra = 0
  let price = 1_000
  const prices = new Map<number, number>()
  const row = (id: number) => rowOf(id, prices.get(id) ?? id % 100)
  /** Ids all over the dataset. */
  const spread = (count: number, turn: number) =>
    Array.from({ length: count }, (_, i) => Math.floor(((i + turn / runs) * loaded) / count))
  await dataset.merge(
    'own',
    Array.from({ length: ROWS }, (_, i) => rowOf(OWN + i)),
    true,
  )
  const isChanged = (_: number, i: number) => i % (ROWS / NEW) === 0
  const isKept = (_: number, i: number) => !isChanged(_, i)
  let rawExtra = 0
  const rawRuns: Partial<Record<Kind, (turn: number) => RawRun>> = {
    'all as they were': (turn) => ({ unchanged: spread(ROWS, turn), changed: [], added: [] }),
    [`${NEW} changed`]: (turn) => ({
      unchanged: spread(ROWS, turn).filter(isKept),
      changed: spread(ROWS, turn).filter(isChanged),
      added: [],
    }),
    [`${NEW} new`]: (turn) => ({
      unchanged: spread(ROWS - NEW, turn),
      changed: [],
      added: Array.from({ length: NEW }, () => 10_000_000 + rawExtra++),
    }),
  }
  const merges: Record<Kind, (turn: number) => Promise<MergeCost>> = {
    'all as they were': (turn) => dataset.merge('large', spread(ROWS, turn).map(row), false),
    [`${NEW} changed`]: (turn) => {
      const ids = spread(ROWS, turn)
      for (const id of ids.filter(isChanged)) prices.set(id, price++)
      return dataset.merge('large', ids.map(row), false)
    },
    [`${NEW} new`]: (turn) => {
      const more = Array.from({ length: NEW }, () => rowOf(10_000_000 + extra++))
      return dataset.merge('large', [...spread(ROWS - NEW, turn).map(row), ...more], false)
    },
    'complete, 10 gone, 10 back': (turn) => {
      const missing = (i: number) => i % 100 === turn % 100
      return dataset.merge(
        'own',
        Array.from({ length: ROWS }, (_, i) => i).flatMap((i) =>
          missing(i) ? [] : [rowOf(OWN + i)],
        ),
        true,
      )
    },
  }
  for (const size of sizes) {
    const started = performance.now()
    const before = loaded
    while (loaded < size) {
      const count = Math.min(LOAD, size - loaded)
      const ids = Array.from({ length: count }, (_, i) => loaded + i)
      await dataset.merge(
        'large',
        ids.map((id) => rowOf(id)),
        false,
      )
      raw.merge({ unchanged: [], changed: [], added: ids })
      loaded += count
    }
    process.stderr.write(
      `${size} items, the last ${size - before} of them at ` +
        figure((size - before) / ((performance.now() - started) / 1_000)) +
        ' a second\n',
    )
    for (const kind of KINDS) {
      const all: MergeCost[] = []
      for (let turn = 0; turn < runs; turn++) all.push(await merges[kind](turn))
      const of = (what: keyof MergeCost) =>
        all.reduce((sum, cost) => sum + cost[what], 0) / all.length
      const rawRun = rawRuns[kind]
      const rawCpuSeconds = rawRun
        ? await rawCost(
            raw,
            Array.from({ length: runs }, (_, turn) => rawRun(turn)),
          )
        : null
      costs.set(nameOf(kind, size), {
        seconds: of('seconds'),
        cpuSeconds: of('cpuSeconds'),
        reads: of('reads'),
        writes: of('writes'),
        rawCpuSeconds,
      })
    }
    const { present, gone } = await dataset.state()
    if (present + gone !== ROWS + loaded + extra)
      throw new Error(`The dataset has ${present + gone} items instead of ${ROWS + loaded + extra}`)
  }
  await store.close()
  raw.close()
} finally {
  await rm(folder, { recursive: true, force: true })
}
await report()

async function rawCost(raw: RawDataset, all: readonly RawRun[]): Promise<number> {
  const { cpuSeconds } = await measure(async () => {
    for (const run of all) raw.merge(run)
  })
  return cpuSeconds / all.length
}

function rawFigures(cost: Cost, least: Cost): string[] {
  if (cost.rawCpuSeconds === null || least.rawCpuSeconds === null) return ['—', '—', '—']
  return [
    figure(cost.rawCpuSeconds * 1_000),
    figure(cost.rawCpuSeconds / least.rawCpuSeconds),
    figure(cost.cpuSeconds / cost.rawCpuSeconds),
  ]
}

async function report(): Promise<void> {
  const rows = KINDS.flatMap((kind) =>
    sizes.map((size) => {
      const cost = costs.get(nameOf(kind, size)) ?? NOTHING
      const least = costs.get(nameOf(kind, sizes[0] ?? 0)) ?? NOTHING
      return [
        kind,
        size.toLocaleString('en-US'),
        figure(cost.seconds * 1_000),
        figure(cost.cpuSeconds * 1_000),
        figure(cost.cpuSeconds / least.cpuSeconds),
        ...rawFigures(cost, least),
        figure(cost.reads),
        figure(cost.writes),
      ]
    }),
  )
  const table = markdownTable(
    [
      '1,000 rows',
      'items',
      'ms',
      'CPU ms',
      'CPU, × 1,000 items',
      'raw CPU ms',
      'raw CPU, × 1,000 items',
      'CPU, × raw',
      'entries read',
      'entries written',
    ],
    rows,
  )
  process.stdout.write(`${table}\n`)
  if (values.write)
    await writeSection(
      'datasets',
      `${provenance(commandLine('bench/datasets.ts'), computer)}\n\n${table}`,
    )
}
