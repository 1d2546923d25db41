import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { bundle, type Bundle, type BundleOptions } from './cold-start/bundle.ts'
import { startNode, type NodeStart } from './cold-start/node.ts'
import { startServer, type ServerStart } from './cold-start/server.ts'
import { configure, startWorker, type WorkerNeeds, type WorkerStart } from './cold-start/workerd.ts'
import { median } from './measure.ts'
import { commandLine, figure, machine, markdownTable, provenance, writeSection } from './report.ts'

// From the start of a process to its first answer: Seine beside nothing and beside frameworks, in
// workerd and in Node. See README.md.
const WORKERS: Readonly<
  Record<
    string,
    {
      readonly label: string
      readonly worker: string
      readonly how?: BundleOptions
      readonly needs?: WorkerNeeds
    }
  >
> = {
  empty: { label: 'an empty Worker', worker: 'empty' },
  hono: { label: 'Hono, one route', worker: 'hono' },
  memory: { label: 'Seine by `serve`, in memory', worker: 'seine-memory' },
  object: {
    label: 'Seine by `serveObject`, on disk',
    worker: 'seine-object',
    needs: { object: 'PlatformObject' },
  },
  'object-no-pdf': {
    label: 'the same without pdf.js',
    worker: 'seine-object',
    how: { withoutPdf: true },
    needs: { object: 'PlatformObject' },
  },
  'object-lazy': {
    label: 'the same in modules, compiled when imported',
    worker: 'seine-object',
    how: { isSplit: true },
    needs: { object: 'PlatformObject', isLazy: true },
  },
}
const SCRIPTS: Readonly<Record<string, string>> = {
  empty: 'an empty script',
  hono: 'Hono, one route',
  fastify: 'Fastify, one route',
  seine: 'Seine, in memory',
}

const SERVERS: Readonly<Record<string, string>> = {
  http: '`node:http` with `Request`',
  seine: '`seine serve`, a new data directory',
}

const PARTS = ['workerd', 'node', 'server']

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '15' },
    only: { type: 'string', default: PARTS.join(',') },
    write: { type: 'boolean', default: false },
  },
})
const parts = new Set(values.only.split(','))
for (const part of parts)
  if (!PARTS.includes(part)) throw new Error(`--only has ${PARTS.join(', ')}, and not ${part}`)
if (values.write && parts.size < PARTS.length) throw new Error('--write needs all parts')
const runs = Number(values.runs)
const computer = machine()
const work = fileURLToPath(new URL('./.work/', import.meta.url))
await mkdir(work, { recursive: true })
const folder = await mkdtemp(join(work, 'cold-start-'))
const bundles = new Map<string, Bundle>()
const workers = new Map<string, WorkerStart[]>(Object.keys(WORKERS).map((name) => [name, []]))
const scripts = new Map<string, NodeStart[]>(Object.keys(SCRIPTS).map((name) => [name, []]))
const servers = new Map<string, ServerStart[]>(Object.keys(SERVERS).map((name) => [name, []]))
try {
  for (const [name, { worker, how = {}, needs = {} }] of Object.entries(WORKERS)) {
    if (!parts.has('workerd')) break
    const bundled = await bundle(worker, join(folder, name), how)
    await configure(join(folder, name), bundled, needs)
    bundles.set(name, bundled)
  }
  // The first round only warms the caches of the disk.
  for (let run = -1; run < runs; run++) {
    if (parts.has('workerd')) await round(workers, run, (name) => startWorker(join(folder, name)))
    if (parts.has('node')) await round(scripts, run, startNode)
    if (parts.has('server')) await round(servers, run, startServer)
    process.stderr.write(`run ${run + 1}/${runs}\n`)
  }
  await report()
} finally {
  await rm(folder, { recursive: true, force: true })
}

/** Each contender once, with every round another one first. */
async function round<T>(
  contenders: ReadonlyMap<string, T[]>,
  run: number,
  start: (name: string) => Promise<T>,
): Promise<void> {
  const names = [...contenders.keys()]
  for (let turn = 0; turn < names.length; turn++) {
    const name = names[(run + 1 + turn) % names.length] ?? ''
    const seen = await start(name)
    if (run >= 0) contenders.get(name)?.push(seen)
  }
}

/** The middle of what each round has found for a contender beside the empty one. */
function beside<T>(
  contenders: ReadonlyMap<string, readonly T[]>,
  name: string,
  compare: (one: T, empty: T) => number,
): string {
  const empty = contenders.get('empty') ?? []
  return figure(
    median(
      (contenders.get(name) ?? []).flatMap((one, run) =>
        empty[run] === undefined ? [] : [compare(one, empty[run])],
      ),
    ),
  )
}

async function report(): Promise<void> {
  const inWorkerd = Object.entries(WORKERS).map(([name, { label }]) => {
    const of = (compare: (one: WorkerStart, empty: WorkerStart) => number) =>
      beside(workers, name, compare)
    const more = name === 'empty' ? '–' : of((one, empty) => one.total - empty.total)
    return [
      label,
      figure(bundles.get(name)?.gzipKiB ?? NaN),
      of(({ total }) => total),
      of((one, empty) => one.total / empty.total),
      more,
      of(({ cpu }) => cpu),
      of((one, empty) => one.cpu / empty.cpu),
      of(({ first }) => first),
      of(({ later }) => later),
    ]
  })
  const inNode = Object.entries(SCRIPTS).map(([name, label]) => {
    const of = (compare: (one: NodeStart, empty: NodeStart) => number) =>
      beside(scripts, name, compare)
    const part = (value: (one: NodeStart) => number) => (name === 'empty' ? '–' : of(value))
    return [
      label,
      of(({ total }) => total),
      of((one, empty) => one.total / empty.total),
      part(({ loaded }) => loaded),
      part(({ made }) => made),
      part(({ first }) => first),
      part(({ further }) => further),
      of(({ cpu }) => cpu),
      of((one, empty) => one.cpu / empty.cpu),
    ]
  })
  const asServers = Object.entries(SERVERS).map(([name, label]) => {
    const of = (value: (one: ServerStart) => number) =>
      figure(median((servers.get(name) ?? []).map(value)))
    return [label, of(({ total }) => total), of(({ cpu }) => cpu), of(({ rss }) => rss)]
  })
  const byPart = {
    workerd: markdownTable(
      [
        'in workerd',
        'KiB, gzip',
        'start to first answer, ms',
        '× empty',
        'ms more',
        'CPU ms',
        '× empty',
        'first request, ms',
        'a later one',
      ],
      inWorkerd,
    ),
    node: markdownTable(
      [
        'in Node',
        'start to first answer, ms',
        '× empty',
        'import, ms',
        'made, ms',
        'first answer, ms',
        'another made, ms',
        'CPU ms',
        '× empty',
      ],
      inNode,
    ),
    server: markdownTable(
      ['a server', 'start to first answer, ms', 'CPU ms', 'MiB a second later'],
      asServers,
    ),
  }
  const tables = Object.entries(byPart)
    .filter(([part]) => parts.has(part))
    .map(([, table]) => table)
    .join('\n\n')
  process.stdout.write(`${tables}\n`)
  if (values.write)
    await writeSection(
      'cold-start',
      `${provenance(commandLine('bench/cold-start.ts'), computer)}\n\n${tables}`,
    )
}
