import { describe, expect, it } from 'vitest'
import { createMemoryStore } from '../../src/defaults/memory-store.ts'
import { createMemoryBlobs } from '../../src/defaults/memory-blobs.ts'
import { createPlatform } from '../../src/platform/platform.ts'
import type { PlatformOptions } from '../../src/platform/options.ts'
import type { HopRequest } from '../../src/ports/fetcher.ts'
import { createFakeClock } from '../support/fakes/fake-clock.ts'
import { createFakeFetcher } from '../support/fakes/fake-fetcher.ts'
import { createFakeOpenTelemetry } from '../support/fakes/fake-opentelemetry.ts'
import { seededRandom } from '../support/fakes/seeded-random.ts'
import { OWNER } from '../support/worlds/world.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const TRACEPARENT = `00-${TRACE}-00f067aa0ba902b7-01`
const PAGE = 'https://shop.example.com/list?token=sesame'
const HOOK = 'https://hooks.example.com/services/sesame'
const silent = { debug() {}, info() {}, warn() {}, error() {} }
const recipe = {
  start: { urls: [PAGE] },
  extract: { fields: { title: 'h1' } },
} as const

/** A platform with a task and a webhook, which records its requests and spans. */
async function createTracedWorld(more: PlatformOptions = {}, isTraced = true) {
  const sent: HopRequest[] = []
  const clock = createFakeClock()
  const backend = createFakeOpenTelemetry()
  const options = {
    store: createMemoryStore({ clock }),
    blobs: createMemoryBlobs(),
    clock,
    logger: silent,
    random: seededRandom(),
    rateLimits: false,
  } as const
  const fetcher = createFakeFetcher({
    answer(hop) {
      sent.push(hop)
      if (hop.url.hostname === 'hooks.example.com') return { status: 204 }
      return hop.url.pathname === '/list'
        ? { status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>sesame page</h1>' }
        : { status: 404 }
    },
  })
  const platform = createPlatform({
    ...options,
    fetcher,
    ...(isTraced && { telemetry: backend.telemetry }),
    ...more,
  })
  const { secret } = await platform.api.keys.create(OWNER, { name: 'k', scopes: ['*'] })
  await platform.api.webhooks.create(OWNER, { url: HOOK, events: ['execution.succeeded'] })
  const start = async () => {
    const answer = await platform.fetch(
      new Request('https://api.example/api/v1/tasks', {
        method: 'POST',
        headers: {
          'x-api-key': secret,
          'content-type': 'application/json',
          traceparent: TRACEPARENT,
        },
        body: JSON.stringify({ name: 't', recipe }),
      }),
    )
    if (answer.status !== 201) throw new Error(await answer.text())
    const { data } = await answer.json()
    const started = await platform.fetch(
      new Request(`https://api.example/api/v1/tasks/${data.id}/executions`, {
        method: 'POST',
        headers: { 'x-api-key': secret, traceparent: TRACEPARENT },
      }),
    )
    expect([201, 202]).toContain(started.status)
  }
  return { platform, backend, sent, secret, clock, options, fetcher, start }
}

describe('with telemetry', () => {
  it('one trace goes from the request by job, visit and commit to the webhook', async () => {
    const { platform, backend, sent, start } = await createTracedWorld()
    await start()
    await platform.worker.tick()
    const spans = backend.ended.filter(({ traceId }) => traceId === TRACE)
    const names = new Set(spans.map(({ name, kind }) => `${kind} ${name}`))
    expect([...names]).toEqual(
      expect.arrayContaining([
        'server POST /api/v1/tasks',
        'consumer process execution',
        'internal visit',
        'internal commit',
        'client GET',
        'consumer process event',
        'consumer process webhook',
        'client POST',
      ]),
    )
    const ids = new Set(['00f067aa0ba902b7', ...spans.map(({ spanId }) => spanId)])
    expect(spans.filter(({ parentId }) => parentId === null || !ids.has(parentId))).toEqual([])
    const visit = spans.find(({ name }) => name === 'visit')
    expect(visit?.attributes).toMatchObject({
      'url.full': 'https://shop.example.com/list',
      'seine.page.outcome': 'fetched',
      'seine.page.rows': 1,
      'http.response.status_code': 200,
    })
    const delivered = spans.find(({ name, kind }) => kind === 'client' && name === 'POST')
    const hook = sent.find(({ url }) => url.href === HOOK)
    expect(hook?.headers['traceparent']).toBe(`00-${TRACE}-${delivered?.spanId}-01`)
    await platform.close()
  })

  it('no attribute has a secret, a query, the path of a webhook or a text of a page', async () => {
    const { platform, backend, secret, start } = await createTracedWorld()
    await start()
    await platform.worker.tick()
    await platform.fetch(new Request('https://api.example/api/v1/tasks?search=sesame'))
    const traces = JSON.stringify([backend.ended, backend.measured])
    for (const text of ['sesame', 'token', secret]) expect(traces).not.toContain(text)
    await platform.close()
  })

  it('sites get no traceparent, unless the host says so', async () => {
    for (const traceparentToSites of [false, true]) {
      const { platform, sent, start } = await createTracedWorld({ traceparentToSites })
      await start()
      await platform.worker.tick()
      const pages = sent.filter(({ url }) => url.hostname === 'shop.example.com')
      expect(pages.length).toBeGreaterThan(1)
      for (const { headers } of pages)
        expect(headers['traceparent']?.includes(TRACE) ?? false).toBe(traceparentToSites)
      await platform.close()
    }
  })

  it('incoming and outgoing requests, jobs, commits and pages are measured, each once', async () => {
    const { platform, backend, start } = await createTracedWorld()
    await start()
    await platform.worker.tick()
    const of = (name: string) => backend.measured.filter((one) => one.name === name)
    expect(of('seine.pages')).toEqual([
      { name: 'seine.pages', value: 1, attributes: { 'seine.page.outcome': 'fetched' } },
    ])
    expect(of('seine.rows').map(({ value }) => value)).toEqual([1])
    expect(of('http.server.request.duration')[0]?.attributes).toEqual({
      'http.request.method': 'POST',
      'url.scheme': 'https',
      'http.route': '/api/v1/tasks',
      'http.response.status_code': 201,
    })
    expect(
      of('http.client.request.duration').map(({ attributes }) => attributes['seine.purpose']),
    ).toEqual(expect.arrayContaining(['robots', 'page', 'webhook']))
    expect(of('messaging.process.duration').length).toBeGreaterThan(2)
    expect(of('seine.store.commits').length).toBeGreaterThan(5)
    await platform.close()
  })

  it('the number of waiting jobs and their wait are shown until the platform is closed', async () => {
    const { platform, backend, clock, start } = await createTracedWorld()
    await start()
    await clock.advance(90_000)
    const waiting = async (lane: string) =>
      (await backend.collect())
        .filter(({ attributes }) => attributes['seine.lane'] === lane)
        .map(({ name, value }) => [name, value])
    expect(await waiting('long')).toEqual([
      ['seine.queue.depth', 1],
      ['seine.queue.age', 90],
    ])
    await platform.worker.tick()
    expect(await waiting('long')).toEqual([
      ['seine.queue.depth', 0],
      ['seine.queue.age', 0],
    ])
    await platform.close()
    expect(await waiting('long')).toEqual([])
  })

  it('neither an unknown path nor an unknown method names a span', async () => {
    const { platform, backend } = await createTracedWorld()
    await platform.fetch(new Request('https://api.example/sesame/1'))
    await platform.fetch(new Request('https://api.example/api/v1/tasks', { method: 'SESAME' }))
    const [unknown, strange] = backend.ended.filter(({ kind }) => kind === 'server')
    expect([unknown?.name, strange?.name]).toEqual(['GET', 'HTTP /api/v1/tasks'])
    await platform.close()
  })
})

it('a platform without telemetry runs a job that was pushed with a trace', async () => {
  const { platform, options, fetcher, sent, start } = await createTracedWorld()
  await start()
  const plain = createPlatform({ ...options, fetcher })
  await plain.worker.tick()
  expect(sent.map(({ url }) => url.href)).toEqual(expect.arrayContaining([PAGE, HOOK]))
  expect(sent.every(({ headers }) => headers['traceparent'] === undefined)).toBe(true)
  await platform.close()
})
