import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { built } from './built.ts'
import { checkRows } from './crawl/check-rows.ts'
import { type CrawlRun, crawlTable, summarise } from './crawl/summary.ts'
import type { Measure } from './measure.ts'
import { commandLine, machine, provenance, writeSection } from './report.ts'
import { type Site, startSite } from './site-process.ts'

// Crawls one generated shop with each contender in a fresh process, in turns, and prints what it
// took. See README.md.
const { values } = parseArgs({
  options: {
    pages: { type: 'string', default: '5000' },
    seed: { type: 'string', default: 'seine' },
    runs: { type: 'string', default: '3' },
    only: { type: 'string', default: 'seine,crawlee,hand,hand-threads' },
    concurrency: { type: 'string', default: '50' },
    latency: { type: 'string', default: '0' },
    json: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
})
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const whole = (name: 'pages' | 'runs' | 'concurrency' | 'latency', least: number) => {
  const value = Number(values[name])
  if (Number.isInteger(value) && value >= least) return value
  throw new Error(`--${name} must be a whole number from ${least}`)
}
const products = whole('pages', 1)
const runs = whole('runs', 1)
const concurrency = whole('concurrency', 1)
const latencyMs = whole('latency', 0)
const contenders = values.only.split(',')
for (const name of contenders)
  if (!existsSync(here(`./peers/${name}.ts`)))
    throw new Error(`--only: there is no contender ${name}`)
if (contenders.includes('seine') && !existsSync(fileURLToPath(built('index.js'))))
  throw new Error('Seine is measured as it is shipped: run npm run build first')
if (contenders.some((name) => !name.startsWith('seine')) && !existsSync(here('./node_modules')))
  throw new Error('The peers are not installed: run npm ci --prefix bench first')

const execute = promisify(execFile)
const computer = machine()
const site = await startSite({ products, seed: values.seed, latencyMs })
try {
  const measured = await compete(site)
  const summary = summarise(contenders, measured)
  const command = commandLine('bench/crawl.ts')
  const table = crawlTable(summary)
  const result = {
    date: new Date().toISOString(),
    command,
    machine: computer,
    products,
    crawlPages: site.crawlPages,
    concurrency,
    latencyMs,
    seed: values.seed,
    summary,
    runs: measured,
  }
  process.stdout.write(`\n${table}\n\n${JSON.stringify(result)}\n`)
  if (values.json !== undefined)
    await writeFile(values.json, `${JSON.stringify(result, null, 2)}\n`)
  if (values.write) await writeSection('crawl', `${provenance(command, computer)}\n\n${table}`)
} finally {
  site.stop()
}

// Every run begins with another contender, so that none has the quiet or the noisy moment of a
// machine for itself.
async function compete(shop: Site): Promise<CrawlRun[]> {
  const expected = await shop.expected()
  await shop.warm()
  const done: CrawlRun[] = []
  for (let run = 0; run < runs; run++) {
    for (let turn = 0; turn < contenders.length; turn++) {
      const contender = contenders[(run + turn) % contenders.length] ?? ''
      const result = await crawlOnce(shop, contender, run, expected)
      process.stderr.write(
        `run ${run + 1}/${runs}  ${contender.padEnd(8)} ${Math.round(result.pagesPerSecond)} pages/s, rows right\n`,
      )
      done.push(result)
    }
  }
  return done
}

async function crawlOnce(
  shop: Site,
  contender: string,
  run: number,
  expected: readonly object[],
): Promise<CrawlRun> {
  // Beside the sources and not in the system's temporary folder, which may be memory: a durable
  // store has to meet a disk.
  await mkdir(here('./.work'), { recursive: true })
  const folder = await mkdtemp(join(here('./.work'), `${contender}-`))
  try {
    await shop.reset()
    const out = join(folder, 'rows.jsonl')
    const args = [
      here(`./peers/${contender}.ts`),
      '--origin',
      shop.origin,
      '--concurrency',
      String(concurrency),
      '--products',
      String(products),
      '--out',
      out,
    ]
    const { stdout } = await execute(process.execPath, args, {
      cwd: folder,
      timeout: 900_000,
      maxBuffer: 2 ** 24,
    })
    const took: Measure = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')
    const stats = await shop.stats()
    if (stats.unique < shop.crawlPages)
      throw new Error(`${contender} asked for ${stats.unique} of ${shop.crawlPages} pages`)
    const rows = (await readFile(out, 'utf8'))
      .split('\n')
      .filter(Boolean)
      .map((line): object => JSON.parse(line))
    const { sha256 } = checkRows(contender, expected, rows)
    return {
      contender,
      run,
      pagesPerSecond: shop.crawlPages / took.seconds,
      cpuSecondsPer1000: (took.cpuSeconds / shop.crawlPages) * 1000,
      peakMiB: took.peakMiB,
      siteCpuShare: stats.cpuSeconds / took.seconds,
      requests: stats.requests,
      connections: stats.connections,
      maxInFlight: stats.maxInFlight,
      rows: sha256,
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
