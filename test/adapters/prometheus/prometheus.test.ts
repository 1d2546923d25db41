import { readFile } from 'node:fs/promises'
import * as v from 'valibot'
import { expect, it } from 'vitest'
import { createPrometheus } from '../../../adapters/prometheus/index.ts'
import { createMemoryLimiter } from '../../../src/defaults/memory-limiter.ts'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { createStoreQueue } from '../../../src/defaults/store-queue.ts'
import { createRecords } from '../../../src/features/records.ts'
import { StoreFailure } from '../../../src/kernel/failures.ts'
import { createPlatform } from '../../../src/platform/platform.ts'
import type { Store } from '../../../src/ports/store.ts'
import { traceStore } from '../../../src/records/traced-store.ts'
import { createOutbox } from '../../../src/worker/outbox.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { seededRandom } from '../../support/fakes/seeded-random.ts'
import { createWebhookWorld } from '../../support/worlds/webhook-world.ts'
import { createWorld, OWNER } from '../../support/worlds/world.ts'

// Proves that metrics are written in the format of Prometheus.

const PAGES = { name: 'seine.pages', unit: '{page}', description: 'Pages by outcome.' }
const LATENCY = {
  name: 'http.server.request.duration',
  unit: 's',
  description: 'Time of requests.',
  boundaries: [0.1, 1],
}
/** The files in which the platform names its metrics. */
const METRIC_FILES = [
  'src/records/traced-store.ts',
  'src/engine/egress/traced-egress.ts',
  'src/http/traced.ts',
  'src/http/counted-limiter.ts',
  'src/worker/traced-jobs.ts',
  'src/crawl/run/prepare-run.ts',
  'src/features/executions/counted-records.ts',
  'src/features/webhooks/attempts.ts',
  'src/defaults/observe-queue.ts',
]
const none = { readProcess: () => null }

it('counters, histograms and gauges are written', async () => {
  const metrics = createPrometheus(none)
  metrics.count(PAGES, 2, { 'seine.page.outcome': 'fetched' })
  metrics.count(PAGES, 1, { 'seine.page.outcome': 'fetched' })
  metrics.count(PAGES, 1, { 'seine.page.outcome': 'a "quoted"\nline \\' })
  for (const value of [0.05, 0.1, 0.5, 7]) metrics.record(LATENCY, value, { 'http.route': '/x' })
  const stop = metrics.observe(
    { name: 'seine.queue.depth', unit: '{job}', description: 'Jobs that wait.' },
    async () => [{ value: 3, attributes: { 'seine.lane': 'long' } }],
  )
  metrics.observe({ name: 'broken', unit: '', description: 'x' }, async () => {
    throw new Error('away')
  })
  expect(await metrics.text()).toBe(`# HELP seine_pages_total Pages by outcome.
# TYPE seine_pages_total counter
seine_pages_total{seine_page_outcome="fetched"} 3
seine_pages_total{seine_page_outcome="a \\"quoted\\"\\nline \\\\"} 1
# HELP http_server_request_duration_seconds Time of requests.
# TYPE http_server_request_duration_seconds histogram
http_server_request_duration_seconds_bucket{http_route="/x",le="0.1"} 2
http_server_request_duration_seconds_bucket{http_route="/x",le="1"} 3
http_server_request_duration_seconds_bucket{http_route="/x",le="+Inf"} 4
http_server_request_duration_seconds_sum{http_route="/x"} 7.65
http_server_request_duration_seconds_count{http_route="/x"} 4
# HELP seine_queue_depth Jobs that wait.
# TYPE seine_queue_depth gauge
seine_queue_depth{seine_lane="long"} 3
# HELP broken x
# TYPE broken gauge
`)
  stop()
  expect(await metrics.text()).not.toContain('seine_queue_depth{')
})

it('the number of series is bounded, and no count is lost', async () => {
  const metrics = createPrometheus(none)
  for (let i = 0; i < 5_000; i++) metrics.count(PAGES, 1, { 'seine.page.outcome': `x${i}` })
  const lines = (await metrics.text()).split('\n').filter((line) => line.startsWith('seine_pages'))
  expect(lines.length).toBeLessThanOrEqual(1_001)
  const sum = lines.reduce((all, line) => all + Number(line.split(' ').at(-1)), 0)
  expect(sum).toBe(5_000)
})

it('attributes are read each time, but for those that cannot change', async () => {
  const metrics = createPrometheus(none)
  const attributes = { 'seine.page.outcome': 'fetched' }
  metrics.count(PAGES, 1, attributes)
  attributes['seine.page.outcome'] = 'failed'
  metrics.count(PAGES, 2, attributes)
  const constant = Object.freeze({ 'seine.page.outcome': 'failed' })
  for (let i = 0; i < 2; i++) metrics.count(PAGES, 1, constant)
  const text = await metrics.text()
  expect(text).toContain('seine_pages_total{seine_page_outcome="fetched"} 1\n')
  expect(text).toContain('seine_pages_total{seine_page_outcome="failed"} 4\n')
})

it('pages, commits and requests of a platform are counted', async () => {
  const metrics = createPrometheus(none)
  const clock = createFakeClock()
  const site = 'https://shop.example.com/'
  const world = createWorld(
    { [site]: '<h1>x</h1>' },
    { clock, store: createMemoryStore({ clock }), telemetry: metrics },
  )
  await world.start({ start: { urls: [site] }, extract: { fields: { title: 'h1' } } })
  await world.work()
  await world.platform.fetch(new Request('http://host.test/api/v1/templates'))
  const text = await metrics.text()
  expect(text).toContain('seine_pages_total{seine_page_outcome="fetched"} 1')
  expect(text).toContain('seine_rows_total 1')
  for (const status of ['queued', 'running', 'succeeded'])
    expect(text).toContain(`seine_executions_total{seine_execution_status="${status}"} 1\n`)
  expect(text).toMatch(/seine_store_commits_total\{seine_commit_outcome="applied"\} \d+/)
  expect(text).toMatch(/http_server_request_duration_seconds_count\{.*\} 1/)
  expect(text).toContain('seine_queue_depth{')
})

/** The sum of a counter whose labels have all of `labels`; 0: it has none. */
const sumOf = (text: string, name: string, ...labels: string[]): number =>
  text
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) && labels.every((label) => line.includes(label)))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)

it('calls of the store are measured by operation, and failures by their error', async () => {
  const metrics = createPrometheus(none)
  const clock = createFakeClock()
  const inner = createMemoryStore({ clock })
  const store: Store = {
    async get(keys) {
      await clock.advance(30)
      if (keys.length === 2) throw new StoreFailure('unreachable')
      return inner.get(keys)
    },
    list: (range) => inner.list(range),
    commit: (change) => inner.commit(change),
    close: () => inner.close(),
  }
  const traced = traceStore(store, metrics, clock)
  await traced.get([['a']])
  await traced.list({ prefix: ['a'], limit: 1 })
  await traced.commit({ set: [{ key: ['a'], value: 1 }] })
  await expect(traced.get([['a'], ['b']])).rejects.toThrow(StoreFailure)
  const text = await metrics.text()
  for (const [labels, count] of [
    ['seine_store_operation="get"', 1],
    ['seine_store_operation="list"', 1],
    ['seine_store_operation="commit"', 1],
    ['error_type="StoreFailure",seine_store_operation="get"', 1],
  ] as const)
    expect(text).toContain(`seine_store_duration_seconds_count{${labels}} ${count}\n`)
  expect(text).toContain('seine_store_duration_seconds_sum{seine_store_operation="get"} 0.03\n')
  expect(text).toContain('seine_store_duration_seconds_sum{seine_store_operation="list"} 0\n')
})

it('calls that a rate counts are counted by bucket, and by what the limiter said', async () => {
  const metrics = createPrometheus(none)
  const clock = createFakeClock()
  const memory = createMemoryLimiter({ clock })
  let isAway = false
  const platform = createPlatform({
    store: createMemoryStore({ clock }),
    clock,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    telemetry: metrics,
    rateLimits: { tasks: { limit: 1, periodMs: 60_000, burst: 0 } },
    limiter: {
      async take(...call) {
        if (isAway) throw new Error('away')
        return memory.take(...call)
      },
      close: () => memory.close(),
    },
  })
  const { secret } = await platform.api.keys.create(OWNER, { name: 'k', scopes: ['*'] })
  const call = async (key: string) =>
    (
      await platform.fetch(
        new Request('http://host.test/api/v1/tasks', { headers: { 'x-api-key': key } }),
      )
    ).status
  const calls = async (bucket: string, outcome: string) =>
    sumOf(
      await metrics.text(),
      'seine_limiter_calls_total',
      `bucket="${bucket}"`,
      `outcome="${outcome}"`,
    )
  expect([await call(secret), await call(secret), await call('wrong')]).toEqual([200, 429, 401])
  isAway = true
  expect(await call(secret)).toBe(200)
  expect(await calls('tasks', 'allowed')).toBe(1)
  expect(await calls('tasks', 'refused')).toBe(1)
  expect(await calls('tasks', 'failed')).toBe(1)
  expect(await calls('authentication', 'allowed')).toBe(1)
  await platform.close()
})

it('a lost lease is counted when its job is delivered again', async () => {
  const metrics = createPrometheus(none)
  const clock = createFakeClock()
  const store = createMemoryStore({ clock })
  const site = 'https://shop.example.com/'
  const lost = async () => sumOf(await metrics.text(), 'seine_queue_leases_lost_total')
  const world = createWorld({ [site]: '<h1>x</h1>' }, { clock, store, telemetry: metrics })
  const recipe = { start: { urls: [site] }, extract: { fields: { title: 'h1' } } }
  const execution = await world.start(recipe)
  // A worker whose clock stands still: it takes the job, and its lease runs out for all others.
  const stopped = createFakeClock(clock.now())
  const records = createRecords(store, null)
  const dead = createStoreQueue({ records, clock: stopped, random: seededRandom(9) })
  await createOutbox(records, dead, stopped).drain()
  const job = Promise.withResolvers<string>()
  void dead.consume(
    async ({ kind }) => {
      job.resolve(kind)
      return new Promise(() => {})
    },
    { concurrency: 1, signal: new AbortController().signal },
  )
  expect(await job.promise).toBe('execution')
  await world.work()
  expect(await lost()).toBe(0)
  await clock.advance(31_000)
  await world.work()
  expect((await world.read(execution)).status).toBe('succeeded')
  expect(await lost()).toBe(1)
  expect(await metrics.text()).toContain(
    'seine_queue_leases_lost_total{messaging_destination_name="execution"} 1\n',
  )
})

it('each attempt at a delivery is counted by the status after it', async () => {
  const metrics = createPrometheus(none)
  const statuses = [500, 204, 410]
  const world = createWebhookWorld({
    telemetry: metrics,
    answer: (_, nth) => ({ status: statuses[nth - 1] ?? 204 }),
  })
  const { id } = await world.add()
  await world.emit()
  await world.work()
  await world.playOn(id, 1)
  await world.emit({ id: 'evt_2' })
  await world.work()
  const text = await metrics.text()
  expect(world.got.length).toBe(3)
  for (const status of ['pending', 'succeeded', 'failed'])
    expect(text).toContain(`seine_delivery_attempts_total{seine_delivery_status="${status}"} 1\n`)
})

it('only GET is answered, and figures of the process are read', async () => {
  const metrics = createPrometheus()
  const response = await metrics.fetch(new Request('http://host.test/metrics'))
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  expect(await response.text()).toMatch(/process_resident_memory_bytes \d+/)
  const refused = await metrics.fetch(new Request('http://host.test/', { method: 'POST' }))
  expect(refused.status).toBe(405)
})

it('the error of a wrong option names it', () => {
  expect(() => createPrometheus(JSON.parse('{"readProces": 1}'))).toThrow('readProcess')
})

it('every metric that the dashboard shows exists, and it and the docs have all of them', async () => {
  const dashboard: unknown = JSON.parse(
    await readFile(new URL('../../../docs/grafana.json', import.meta.url), 'utf8'),
  )
  const { panels } = v.parse(
    v.object({
      panels: v.array(v.object({ targets: v.array(v.object({ expr: v.string() })) })),
    }),
    dashboard,
  )
  const sources = (
    await Promise.all(
      METRIC_FILES.map((path) => readFile(new URL(`../../../${path}`, import.meta.url), 'utf8')),
    )
  ).join('\n')
  const listed = [
    ...sources.matchAll(/name: '((?:seine|http|messaging)\.[\w.]+)',\s+unit: '([^']*)'/g),
  ]
  const names = listed.map(([, name = '']) => name)
  const metrics = listed.map(
    ([, name = '', unit = '']) => `${name.replaceAll('.', '_')}${unit === 's' ? '_seconds' : ''}`,
  )
  const isListed = (name: string): boolean =>
    metrics.some((metric) => name.startsWith(metric)) || name.startsWith('process_')
  const shown = panels
    .flatMap(({ targets }) => targets)
    .flatMap(
      ({ expr }) =>
        expr.replaceAll(/by \([^)]*\)/g, '').match(/\b(?:seine|http|messaging|process)_\w+/g) ?? [],
    )
  expect(shown.length).toBeGreaterThanOrEqual(panels.length)
  expect(shown.filter((name) => !isListed(name))).toEqual([])
  expect(metrics.filter((metric) => !shown.some((name) => name.startsWith(metric)))).toEqual([])
  const page = await readFile(new URL('../../../docs/telemetry.md', import.meta.url), 'utf8')
  expect(names.filter((name) => !page.includes(`| \`${name}\``))).toEqual([])
})
