import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { checkAnswers } from './http/answers.ts'
import { runScript, serveContender, type Served } from './http/serve-contender.ts'
import type { Fixture } from './http/fixture.ts'
import { median } from './measure.ts'
import { commandLine, figure, machine, markdownTable, provenance, writeSection } from './report.ts'

// An authenticated read of one task: Seine on node:http beside the same work in other frameworks.
// See README.md.
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    runs: { type: 'string', default: '3' },
    only: { type: 'string', default: 'raw,fastify,hono,seine' },
    write: { type: 'boolean', default: false },
  },
})
const runs = Number(values.runs)
const CONNECTIONS = 64
const LABELS: Readonly<Record<string, string>> = {
  raw: 'node:http by hand',
  fastify: 'Fastify',
  hono: 'Hono, @hono/node-server',
  seine: 'Seine, `serve` of `seine/node`',
}
const names = values.only.split(',')

/** One run of one contender. */
interface Load {
  readonly perSecond: number
  readonly total: number
  /** ms. */
  readonly p50: number
  readonly p99: number
  readonly failed: number
  /** µs of the server's CPU for one request. */
  readonly cpu: number
}

const computer = machine()
const work = fileURLToPath(new URL('./.work/', import.meta.url))
await mkdir(work, { recursive: true })
const folder = await mkdtemp(join(work, 'http-'))
const servers = new Map<string, Served>()
const loads = new Map<string, Load[]>(names.map((name) => [name, []]))
try {
  const fixture = await runScript<Fixture>('make-fixture', ['--store', join(folder, 'seine.db')])
  for (const name of names) servers.set(name, await serveContender(name, fixture.store))
  await checkAnswers(new Map([...servers].map(([name, { origin }]) => [name, origin])), fixture)
  for (const name of names) await load(name, fixture, '2')
  for (let run = 0; run < runs; run++) {
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(run + turn) % names.length] ?? 'raw'
      const seen = await load(name, fixture, values.seconds)
      loads.get(name)?.push(seen)
      process.stderr.write(`run ${run + 1}/${runs}  ${name}  ${Math.round(seen.perSecond)}/s\n`)
    }
  }
  for (const server of servers.values()) server.stop()
  const { store, secret, task } = fixture
  const loops = await runScript<InProcess>('in-process', [
    '--store',
    store,
    '--secret',
    secret,
    '--task',
    task,
    '--seconds',
    values.seconds,
  ])
  await report(loops)
} finally {
  for (const server of servers.values()) server.stop()
  await rm(folder, { recursive: true, force: true })
}

async function load(name: string, { secret, task }: Fixture, seconds: string): Promise<Load> {
  const server = servers.get(name)
  if (!server) throw new Error(`There is no contender ${name}`)
  const before = await server.cpu()
  const seen = await runScript<Omit<Load, 'cpu'>>('load', [
    '--url',
    `${server.origin}/api/v1/tasks/${task}`,
    '--secret',
    secret,
    '--seconds',
    seconds,
    '--connections',
    String(CONNECTIONS),
  ])
  if (seen.failed > 0) throw new Error(`${name} failed ${seen.failed} times`)
  return { ...seen, cpu: ((await server.cpu()) - before) / seen.total }
}

/** Calls a second. */
interface InProcess {
  readonly bare: number
  readonly fetch: number
  readonly text: number
  readonly objects: number
}

async function report(loops: InProcess): Promise<void> {
  const of = (name: string, what: keyof Load) => (loads.get(name) ?? []).map((run) => run[what])
  const toRaw = (name: string, what: keyof Load) => {
    const raw = of('raw', what)
    return figure(median(of(name, what).map((value, run) => value / (raw[run] ?? NaN))))
  }
  const rows = names.map((name) => [
    LABELS[name] ?? name,
    figure(median(of(name, 'perSecond'))),
    toRaw(name, 'perSecond'),
    figure(median(of(name, 'cpu'))),
    toRaw(name, 'cpu'),
    figure(median(of(name, 'p50'))),
    figure(median(of(name, 'p99'))),
  ])
  const served = markdownTable(
    ['server', 'requests/s', '× raw', 'CPU µs a request', '× raw', 'p50 ms', 'p99 ms'],
    rows,
  )
  const micros = (perSecond: number) => 1e6 / perSecond
  const bare = micros(loops.bare)
  const line = (label: string, perSecond: number) => [
    label,
    figure(micros(perSecond)),
    figure(micros(perSecond) / bare),
  ]
  const inProcess = markdownTable(
    ['in process, no socket', 'µs a call', '× bare'],
    [
      line('the bare work', loops.bare),
      line('`platform.fetch(new Request(…))`', loops.fetch),
      line('the same, and the text of its body', loops.text),
      line('only making a `Request` and a `Response`', loops.objects),
    ],
  )
  const tables = `${served}\n\n${inProcess}`
  process.stdout.write(`${tables}\n`)
  if (values.write)
    await writeSection('http', `${provenance(commandLine('bench/http.ts'), computer)}\n\n${tables}`)
}
