import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type * as Seine from 'seine'
import type * as SeineNode from 'seine/node'
import type * as Sqlite from 'seine/sqlite'
import type * as Unstorage from 'seine/unstorage'
import type { Fetcher } from '../src/ports/fetcher.ts'
import { built } from './built.ts'
import { measure } from './measure.ts'
import { createRandom } from './random.ts'
import { commandLine, figure, machine, markdownTable, provenance, writeSection } from './report.ts'

// One crawl of many hosts that each want a delay between two requests, with the times that real
// sites take to answer. See README.md.
const { values } = parseArgs({
  options: {
    hosts: { type: 'string', default: '10000' },
    pages: { type: 'string', default: '12' },
    delay: { type: 'string', default: '15' },
    write: { type: 'boolean', default: false },
  },
})
const hosts = Number(values.hosts)
const pages = Number(values.pages)
const delayMs = Number(values.delay) * 1_000
const FINISHED = new Set(['succeeded', 'failed', 'cancelled', 'timed_out'])

const { createPlatform }: typeof Seine = await import(built('index.js'))
const { createPageThreads }: typeof SeineNode = await import(built('adapters/node/index.js'))
const { createSqliteStore }: typeof Sqlite = await import(built('adapters/sqlite/index.js'))
const { createFileBlobs }: typeof Unstorage = await import(built('adapters/unstorage/index.js'))

const CONCURRENCY = 256
/** Least and most time of an answer, in ms. */
const LATENCY = [50, 500] as const

/**
 * Between the moment that the platform has chosen and the one that is seen here, in ms: both are
 * on one thread, which has hundreds of pages to do each second.
 */
const JITTER = 100

/** When a host was last asked for a page, and its pages so far. */
interface Host {
  last: number
  readonly asked: Set<string>
}

/**
 * Sites in this process. Each has a robots.txt, a start page that links to all others, and takes 50
 * to 500 ms for an answer.
 */
function createSites() {
  const byHost = new Map<string, Host>()
  const random = createRandom('latency')
  const encoder = new TextEncoder()
  const problems: string[] = []
  const links = Array.from({ length: pages - 1 }, (_, page) => `<a href="/p/${page}">Page</a>`)
  const text = '<p>Some text of the page, as long as a short one.</p>'.repeat(40)
  const page = encoder.encode(
    `<html><head><title>A page</title></head><body><h1>Page</h1>${links.join('')}${text}</body></html>`,
  )
  const robots = encoder.encode('User-agent: *\nDisallow: /private/\n')
  const fetcher: Fetcher = {
    capabilities: { pinsAddresses: true },
    resolve: async () => ['93.184.216.34'],
    send: async ({ url }) => {
      const isPage = url.pathname !== '/robots.txt'
      if (isPage) see(url)
      await sleep(LATENCY[0] + random.below(LATENCY[1] - LATENCY[0] + 1))
      return {
        status: 200,
        headers: { 'content-type': isPage ? 'text/html; charset=utf-8' : 'text/plain' },
        body: Uint8Array.from(isPage ? page : robots),
        truncated: false,
      }
    },
    close: async () => {},
  }
  function see(url: URL): void {
    const now = performance.now()
    const host = byHost.get(url.host) ?? { last: -Infinity, asked: new Set() }
    byHost.set(url.host, host)
    if (now - host.last < delayMs - JITTER)
      problems.push(`${url.href} came ${now - host.last} ms after`)
    if (host.asked.has(url.pathname)) problems.push(`${url.href} came twice`)
    host.last = now
    host.asked.add(url.pathname)
  }
  return {
    fetcher,
    check() {
      for (const [host, { asked }] of byHost)
        if (asked.size !== pages) problems.push(`${host} was asked for ${asked.size} pages`)
      if (byHost.size !== hosts) problems.push(`${byHost.size} hosts were asked`)
      if (problems.length > 0)
        throw new Error(`${problems.length} problems: ${problems.slice(0, 3).join('; ')}`)
    },
  }
}

async function crawl(folder: string, fetcher: Fetcher): Promise<void> {
  const platform = createPlatform({
    fetcher,
    processor: createPageThreads(),
    store: createSqliteStore({ path: join(folder, 'seine.db') }),
    blobs: createFileBlobs({ dir: join(folder, 'blobs') }),
    rateLimits: false,
  })
  const principal = { account: 'bench', user: 'bench', scopes: ['*'] }
  const task = await platform.api.tasks.create(principal, {
    name: 'Many hosts',
    recipe: {
      start: { urls: [`https://site{1..${hosts}}.example.com/`] },
      follow: [{ links: 'a', as: 'page', on: 'start' }],
      crawl: { maxPages: 1_000_000, concurrency: CONCURRENCY, delayMs },
      extract: { fields: { title: 'h1' } },
    },
  })
  const { id } = await platform.api.executions.start(principal, task.id)
  const stop = new AbortController()
  const working = platform.worker.run({ signal: stop.signal })
  let execution = await platform.api.executions.get(principal, id)
  while (!FINISHED.has(execution.status)) {
    await Promise.race([sleep(250), working])
    execution = await platform.api.executions.get(principal, id)
    const { fetched } = execution.counters
    process.stderr.write(`\r${fetched.toLocaleString('en-US')} pages `)
  }
  stop.abort()
  await working
  await platform.close()
  if (execution.status !== 'succeeded')
    throw new Error(`The execution ended as ${JSON.stringify(execution)}`)
}

const computer = machine()
const work = fileURLToPath(new URL('./.work/', import.meta.url))
await mkdir(work, { recursive: true })
const folder = await mkdtemp(join(work, 'polite-'))
try {
  const sites = createSites()
  const { seconds, cpuSeconds, peakMiB } = await measure(() => crawl(folder, sites.fetcher))
  const least = ((pages - 1) * delayMs) / 1_000
  const all = hosts * pages
  // The last host gets its first page when all places have asked for robots.txt and a first page of
  // the others.
  const answer = (LATENCY[0] + LATENCY[1]) / 2_000
  const withPlaces = least + (2 * hosts * answer) / CONCURRENCY
  const table = markdownTable(
    [
      'hosts',
      'pages',
      'delays allow, s',
      's',
      'of what they allow',
      'with 256 places, s',
      'of that',
      'pages/s',
      'CPU-s',
      'peak MiB',
    ],
    [
      [
        hosts.toLocaleString('en-US'),
        all.toLocaleString('en-US'),
        figure(least),
        figure(seconds),
        `${((least / seconds) * 100).toFixed(1)} %`,
        figure(withPlaces),
        `${((withPlaces / seconds) * 100).toFixed(1)} %`,
        figure(all / seconds),
        figure(cpuSeconds),
        figure(peakMiB),
      ],
    ],
  )
  console.log(`\n${table}`)
  sites.check()
  if (values.write)
    await writeSection(
      'polite',
      `${provenance(commandLine('bench/polite.ts'), computer)}\n\n${table}`,
    )
} finally {
  await rm(folder, { recursive: true, force: true })
}
