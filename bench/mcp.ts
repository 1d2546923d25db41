import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { median } from './measure.ts'
import { CALL, headersOf } from './mcp/call.ts'
import { loadContender, serveContender, type Load, type Served } from './mcp/run.ts'
import { HITS } from './mcp/tool.ts'
import { commandLine, figure, machine, markdownTable, provenance, writeSection } from './report.ts'

// A trivial tool over Streamable HTTP: Seine with all its guards beside the SDK and node:http by
// hand. See README.md.
const CONTENDERS: Readonly<
  Record<string, { readonly script: string; readonly label: string; readonly store?: true }>
> = {
  'sdk-express': { script: 'sdk-express', label: "the SDK's example as it is" },
  'sdk-example': { script: 'sdk-example', label: 'the same, JSON on node:http' },
  sdk: { script: 'sdk', label: 'SDK, low-level server, no validator' },
  'sdk-parsed': { script: 'sdk-parsed', label: 'low-level, with `parsedBody`' },
  'sdk-service': { script: 'sdk-service', label: "low-level, around Seine's tool" },
  'by-hand': { script: 'by-hand', label: 'node:http by hand, no SDK' },
  'seine-memory': { script: 'seine', label: 'Seine, in memory' },
  seine: { script: 'seine', label: 'Seine, on SQLite', store: true },
}
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    runs: { type: 'string', default: '3' },
    connections: { type: 'string', default: '16' },
    only: { type: 'string', default: Object.keys(CONTENDERS).join(',') },
    write: { type: 'boolean', default: false },
  },
})
/** Calls of each contender before the first run. */
const WARM_CALLS = 15_000
const names = values.only.split(',')
const runs = Number(values.runs)

/** One run of one contender; `cpu`: µs of the server for one call. */
type Run = Load & { readonly cpu: number }

const computer = machine()
const work = fileURLToPath(new URL('./.work/', import.meta.url))
await mkdir(work, { recursive: true })
const folder = await mkdtemp(join(work, 'mcp-'))
const servers = new Map<string, Served>()
const seen = new Map<string, Run[]>(names.map((name) => [name, []]))
try {
  for (const name of names) {
    const contender = CONTENDERS[name]
    if (!contender) throw new Error(`There is no contender ${name}`)
    const served = await serveContender(
      contender.script,
      contender.store ? ['--store', join(folder, 'seine.db')] : [],
    )
    servers.set(name, served)
    await check(name, served)
  }
  // A server that is not compiled yet would be measured as slower than it is.
  for (const name of names)
    for (let calls = 0; calls < WARM_CALLS;) calls += (await load(name, '2')).total
  for (let run = 0; run < runs; run++) {
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(run + turn) % names.length] ?? ''
      const one = await load(name, values.seconds)
      seen.get(name)?.push(one)
      process.stderr.write(
        `run ${run + 1}/${runs}  ${name}  ${Math.round(one.perSecond)}/s  ${Math.round(one.cpu)} µs\n`,
      )
    }
  }
  await report()
} finally {
  for (const server of servers.values()) server.stop()
  await rm(folder, { recursive: true, force: true })
}

/** The answer must be the tool's, with every hit, as structured content and as text. */
async function check(name: string, { url, secret }: Served): Promise<void> {
  const response = await fetch(url, { method: 'POST', headers: headersOf(secret), body: CALL })
  const {
    result,
  }: {
    result?: { structuredContent?: { results?: { url: string }[] }; content?: { text: string }[] }
  } = JSON.parse(messageIn(await response.text()))
  const payloads = [result?.structuredContent, JSON.parse(result?.content?.[0]?.text ?? 'null')]
  for (const one of payloads)
    if (
      JSON.stringify(one?.results?.map((hit: { url: string }) => hit.url)) !==
      JSON.stringify(HITS.map((hit) => hit.url))
    )
      throw new Error(`${name} answers ${JSON.stringify(result)}`)
}

/** A message as JSON: the body, or the only event of a stream. */
function messageIn(body: string): string {
  return /^data: (.*)$/m.exec(body)?.[1] ?? body
}

async function load(name: string, seconds: string): Promise<Run> {
  const server = servers.get(name)
  if (!server) throw new Error(`There is no contender ${name}`)
  const before = await server.cpu()
  const one = await loadContender(server, seconds, values.connections)
  if (one.failed > 0) throw new Error(`${name} failed ${one.failed} times`)
  return { ...one, cpu: ((await server.cpu()) - before) / one.total }
}

async function report(): Promise<void> {
  const of = (name: string, what: keyof Run) => (seen.get(name) ?? []).map((run) => run[what])
  const ratio = (name: string, to: string, what: keyof Run) => {
    const others = of(to, what)
    return figure(
      median(
        of(name, what).map((value, run) =>
          what === 'cpu' ? (others[run] ?? NaN) / value : value / (others[run] ?? NaN),
        ),
      ),
    )
  }
  const rows = names.map((name) => [
    CONTENDERS[name]?.label ?? name,
    figure(median(of(name, 'perSecond'))),
    ratio(name, 'sdk-express', 'perSecond'),
    ratio(name, 'sdk', 'perSecond'),
    figure(median(of(name, 'cpu'))),
    ratio(name, 'sdk-express', 'cpu'),
    ratio(name, 'sdk', 'cpu'),
    figure(median(of(name, 'p50'))),
    figure(median(of(name, 'p99'))),
  ])
  const table = markdownTable(
    [
      'server',
      'calls/s',
      '× example',
      '× low-level',
      'CPU µs a call',
      'example / it',
      'low-level / it',
      'p50 ms',
      'p99 ms',
    ],
    rows,
  )
  process.stdout.write(`${table}\n`)
  if (values.write)
    await writeSection('mcp', `${provenance(commandLine('bench/mcp.ts'), computer)}\n\n${table}`)
}
