import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import type { Measure } from './measure.ts'
import { median } from './measure.ts'
import { commandLine, figure, machine, markdownTable, provenance, writeSection } from './report.ts'

// Writes a million rows in every format, beside other libraries. See README.md.
const LABELS = {
  csv: 'csv',
  'csv-stringify': 'csv by csv-stringify, its stream',
  'csv-join': 'csv by joining strings: the limit',
  jsonl: 'jsonl',
  json: 'json',
  xml: 'xml',
  html: 'html',
  xlsx: 'xlsx',
  'hucre-xlsx': 'xlsx by hucre, its stream',
  parquet: 'parquet',
  'stored-csv': 'csv, from stored segments',
  'stored-jsonl': 'jsonl, from stored segments',
  'stored-xlsx': 'xlsx, from stored segments',
  'stored-csv-gzip': 'csv, from stored segments, as gzip',
} as const
type Name = keyof typeof LABELS

/** The comparison of one contender. */
const LIMIT: Name = 'csv-join'
const FRACTION = 10
/** A heap without room for garbage, so that the real need of a writer is measured. */
const SMALL_HEAP = ['--max-old-space-size=64', '--max-semi-space-size=4']

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    runs: { type: 'string', default: '3' },
    only: { type: 'string', default: Object.keys(LABELS).join(',') },
    write: { type: 'boolean', default: false },
  },
})
const rows = Number(values.rows)
const runs = Number(values.runs)
const names = values.only.split(',').filter((name): name is Name => name in LABELS)

interface Result extends Measure {
  readonly bytes: number
  readonly digest: string | null
  /** Live memory after each tenth, MiB; if it was asked for. */
  readonly live: readonly number[]
}

const computer = machine()
const execute = promisify(execFile)
const results = new Map<Name, Result[]>(names.map((name) => [name, []]))
const smaller = new Map<Name, Result>()
const bounded = new Map<Name, Result>()
const tenth = new Map<Name, Result>()
const live = new Map<Name, readonly number[]>()

await check()
for (let run = 0; run < runs; run++) {
  for (let turn = 0; turn < names.length; turn++) {
    const name = names[(run + turn) % names.length] ?? LIMIT
    if (run === 0) {
      smaller.set(name, await contend(name, rows / FRACTION, [], SMALL_HEAP))
      tenth.set(name, await contend(name, rows / FRACTION))
      bounded.set(name, await contend(name, rows, [], SMALL_HEAP))
      live.set(name, (await contend(name, rows, ['--live'])).live)
    }
    const result = await contend(name, rows)
    results.get(name)?.push(result)
    process.stderr.write(
      `run ${run + 1}/${runs}  ${name}  ${Math.round(rows / result.seconds)} rows/s\n`,
    )
  }
}
await report()

/** Contenders with the same rules must write the same file, byte for byte, from the same rows. */
async function check(): Promise<void> {
  const digests = await Promise.all(
    ['csv', 'csv-stringify-checked', 'stored-csv'].map((name) =>
      contend(name, 20_000, ['--digest']),
    ),
  )
  if (new Set(digests.map(({ digest }) => digest)).size !== 1)
    throw new Error('the files of csv, csv-stringify and stored-csv differ')
  const lines = await Promise.all(
    ['jsonl', 'stored-jsonl'].map((name) => contend(name, 20_000, ['--digest'])),
  )
  if (new Set(lines.map(({ digest }) => digest)).size !== 1)
    throw new Error('the files of jsonl and stored-jsonl differ')
}

/** One contender, in a process of its own. */
async function contend(
  name: string,
  count: number,
  more: readonly string[] = [],
  heap: readonly string[] = [],
): Promise<Result> {
  const { stdout } = await execute(process.execPath, [
    ...heap,
    '--expose-gc',
    fileURLToPath(new URL('./export/run.ts', import.meta.url)),
    '--contender',
    name,
    '--rows',
    String(count),
    ...more,
  ])
  return JSON.parse(stdout)
}

async function report(): Promise<void> {
  const of = (name: Name, what: 'seconds' | 'cpuSeconds' | 'peakMiB' | 'bytes') =>
    (results.get(name) ?? []).map((result) => result[what])
  const toLimit = (name: Name, what: 'seconds' | 'cpuSeconds') => {
    const limit = of(LIMIT, what)
    return figure(median(of(name, what).map((value, run) => value / (limit[run] ?? NaN))))
  }
  const lines = names.map((name) => [
    LABELS[name],
    figure(rows / median(of(name, 'seconds'))),
    toLimit(name, 'seconds'),
    figure(median(of(name, 'cpuSeconds'))),
    toLimit(name, 'cpuSeconds'),
    figure(median(of(name, 'bytes')) / 2 ** 20),
    figure(live.get(name)?.[0] ?? NaN),
    figure(Math.max(...(live.get(name) ?? []))),
    figure(smaller.get(name)?.peakMiB ?? NaN),
    figure(bounded.get(name)?.peakMiB ?? NaN),
    figure(tenth.get(name)?.peakMiB ?? NaN),
    figure(median(of(name, 'peakMiB'))),
  ])
  const table = markdownTable(
    [
      'file',
      'rows/s',
      'time × limit',
      'CPU s',
      '× limit',
      'MiB',
      'live MiB after a tenth',
      'at most',
      `RSS MiB in a small heap, ${(rows / FRACTION).toLocaleString('en-US')} rows`,
      `${rows.toLocaleString('en-US')} rows`,
      `RSS MiB as Node comes, ${(rows / FRACTION).toLocaleString('en-US')} rows`,
      `${rows.toLocaleString('en-US')} rows`,
    ],
    lines,
  )
  process.stdout.write(`${table}\n`)
  if (values.write)
    await writeSection(
      'export',
      `${provenance(commandLine('bench/export.ts'), computer)}\n\n${table}`,
    )
}
