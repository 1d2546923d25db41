import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPlatform, type Platform } from 'seine'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ProxiedCall } from './key-proxy.ts'
import { runAgainst } from './run-against.ts'
import { runScenario } from './run-suite.ts'

// The scenarios of the Tasks extension, on the tasks that the platform has: a run of `crawl`. The
// suite prescribes names of tools, which a proxy exchanges for it.

const logger = { debug() {}, info() {}, warn() {}, error: console.error }
const stop = new AbortController()
let platform: Platform
let site: Server
let folder: string
let working: Promise<void>

beforeAll(async () => {
  // A page of a task that takes a minute never comes: such a task is cancelled.
  site = createServer((req, res) => {
    if (req.url?.startsWith('/robots')) return void res.writeHead(404).end()
    if (req.url !== '/60') res.setHeader('content-type', 'text/html').end('<h1>Done</h1>')
  }).listen(0, '127.0.0.1')
  await once(site, 'listening')
  platform = createPlatform({ logger, rateLimits: false, allowPrivateNetwork: true })
  working = platform.worker.run({ signal: stop.signal })
  folder = await mkdtemp(join(tmpdir(), 'seine-tasks-'))
})

afterAll(async () => {
  stop.abort()
  await working
  await platform.close()
  site.close()
  site.closeAllConnections()
  await rm(folder, { recursive: true })
})

/** Tools of the suite that are answered with a task. */
const TASKS: readonly string[] = ['slow_compute', 'failing_job', 'confirm_delete']

/** The calls of the suite as calls of tools that are there. */
function renamed({ name, arguments: args }: ProxiedCall): ProxiedCall | null {
  const address = site.address()
  const port = typeof address === 'object' ? address?.port : undefined
  if (name === 'greet') return { name: 'search_templates', arguments: { query: 'page' } }
  if (!TASKS.includes(name)) return null
  const page = `http://127.0.0.1:${port}/${String(args['seconds'] ?? 1)}`
  return { name: 'crawl', arguments: { url: page, scope: 'page', maxPages: 1 } }
}

test.each([
  'tasks-lifecycle',
  'tasks-capability-negotiation',
  'tasks-wire-fields',
  'tasks-request-state-removal',
  'tasks-request-headers',
  'tasks-dispatch-and-envelope',
  'tasks-status-notifications',
  'tasks-mrtr-input',
  'tasks-mrtr-composition',
  'tasks-required-task-error',
])('the official suite finds only the known failures: %s', async (scenario) => {
  const run = (url: string) => runScenario(url, scenario, 'tasks.yml', folder)
  const { code, output } = await runAgainst(platform, run, { renamed })
  expect(code, output.slice(-6_000)).toBe(0)
})
