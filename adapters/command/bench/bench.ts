import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createPlatform } from 'seine'
import {
  measureCalls,
  measureCommits,
  measureCrawl,
  measureExport,
  measureFetching,
} from './measures.ts'
import type { Measure } from './measures.ts'
import { benchPages, benchRecipe } from './pages.ts'
import { CommandError, wholeNumber } from '../command-error.ts'
import { stderrLogger } from '../stderr-logger.ts'
import { openDataDirectory, OWNER } from '../data-directory.ts'
import { BENCH_HELP } from '../help.ts'
import { listenForInterrupt } from '../interrupt.ts'
import { formatTable } from '../table.ts'
import { parseFlags } from '../settings/parse-flags.ts'

const CALLS = 2_000
const COMMITS = 500

/**
 * `seine bench`: measures how fast this machine crawls a generated site, with the platform as the
 * command sets it up. Everything is deleted afterwards.
 */
export async function bench(args: string[]): Promise<number> {
  const { values } = parseFlags('bench', {
    args,
    options: {
      pages: { type: 'string' },
      concurrency: { type: 'string' },
      latency: { type: 'string' },
      in: { type: 'string', default: tmpdir() },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help) return (void process.stdout.write(BENCH_HELP), 0)
  const pages = wholeNumber('--pages', values.pages, 2, 100_000) ?? 1_000
  const concurrency = wholeNumber('--concurrency', values.concurrency, 1, 256) ?? 16
  const latency = wholeNumber('--latency', values.latency, 0, 10_000) ?? 0
  const interrupt = listenForInterrupt()
  const folder = makeFolder(values.in)
  const site = fork(
    fileURLToPath(new URL('dist/command/bench-site.js', import.meta.resolve('seine/package.json'))),
    [String(pages), String(latency)],
    { execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
  )
  try {
    const origin = await originOf(site)
    const measures = await measure({ origin, pages, concurrency, folder, signal: interrupt.signal })
    const facts = {
      node: process.versions.node,
      pages,
      concurrency,
      latencyMs: latency,
      peakMemoryMiB: Math.round(process.resourceUsage().maxRSS / 1_024),
    }
    process.stdout.write(
      values.json
        ? `${JSON.stringify({ ...facts, measures: measures.map(rowOf) }, null, 2)}\n`
        : report(facts, measures),
    )
    return 0
  } catch (error) {
    if (interrupt.signal.aborted) throw new CommandError('Interrupted')
    throw error
  } finally {
    interrupt.release()
    site.disconnect()
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

async function measure({
  origin,
  pages,
  concurrency,
  folder,
  signal,
}: {
  origin: string
  pages: number
  concurrency: number
  folder: string
  signal: AbortSignal
}): Promise<Measure[]> {
  const platform = createPlatform({
    ...openDataDirectory(folder),
    allowPrivateNetwork: true,
    rateLimits: false,
    logger: stderrLogger(),
  })
  try {
    const urls = benchPages(pages).map(({ path }) => `${origin}${path}`)
    const fetching = await measureFetching(urls, concurrency, signal)
    const { execution, crawl } = await measureCrawl(
      platform,
      benchRecipe(origin, pages, concurrency),
      pages,
      signal,
    )
    const { secret } = await platform.api.keys.create(OWNER, { name: 'bench', scopes: ['*'] })
    return [
      fetching,
      { ...crawl, limit: fetching },
      await measureExport(platform, execution),
      await measureCalls(platform, execution, secret, CALLS, signal),
      await measureCommits(platform, COMMITS, signal),
    ]
  } finally {
    await platform.close()
  }
}

function makeFolder(parent: string): string {
  try {
    return mkdtempSync(join(parent, 'seine-bench-'))
  } catch (error) {
    throw new CommandError(
      `Cannot make a folder in ${parent}: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}

function originOf(site: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    site.once('message', (origin) => resolve(String(origin)))
    site.once('error', reject)
    site.once('exit', (code) =>
      reject(new CommandError(`The benchmark's site ended with ${String(code)}`)),
    )
  })
}

function rowOf({ what, count, seconds, limit }: Measure) {
  const perSecond = count / seconds
  return {
    what,
    count,
    seconds: rounded(seconds),
    perSecond: Math.round(perSecond),
    ofFetching: limit ? rounded(perSecond / (limit.count / limit.seconds)) : null,
  }
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100
}

function report(
  facts: {
    node: string
    pages: number
    concurrency: number
    latencyMs: number
    peakMemoryMiB: number
  },
  measures: readonly Measure[],
): string {
  const rows = measures.map(rowOf).map(({ what, count, seconds, perSecond, ofFetching }) => ({
    what,
    count,
    seconds,
    'a second': perSecond,
    'of the fetch rate': ofFetching,
  }))
  const table = formatTable({
    columns: ['what', 'count', 'seconds', 'a second', 'of the fetch rate'],
    rows,
    width: process.stdout.columns ?? 100,
  })
  return (
    `${table}\n` +
    `Node ${facts.node}; ${facts.pages} pages, ${facts.concurrency} at the same time, ` +
    `answered after ${facts.latencyMs} ms; at most ${facts.peakMemoryMiB} MiB.\n` +
    'The site ran on this machine too, in a process of its own.\n'
  )
}
