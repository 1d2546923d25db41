import { describe, expect, it } from 'vitest'
import { OPEN_TARIFF } from '../../../src/features/ledger/plans.ts'
import type { Caps } from '../../../src/features/ledger/plans.ts'
import type { Fetcher } from '../../../src/ports/fetcher.ts'
import { createPlatform } from '../../../src/platform/platform.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { addMedia } from '../../support/fakes/add-media.ts'
import { loadAhead } from '../../support/worlds/load-ahead.ts'
import { createServiceHost } from '../../support/worlds/service-host.ts'

await loadAhead()

const settle = async () => {
  for (let i = 0; i < 300; i++) await new Promise<void>((resolve) => setImmediate(resolve))
}
/** Waits for work in other threads, such as digests. */
const until = async (holds: () => boolean) => {
  for (let i = 0; i < 100_000 && !holds(); i++)
    await new Promise<void>((resolve) => setImmediate(resolve))
  await settle()
}
const tariff = (caps: Partial<Caps>) => ({
  ...OPEN_TARIFF,
  plans: [{ id: 'small', name: 'Small', creditsPerMonth: 0, overdraft: null, caps }] as const,
})

/** A platform on a web whose pages come when the test releases them. */
function heldWeb() {
  const held: { host: string; answer: () => void }[] = []
  const fetcher: Fetcher = {
    capabilities: { pinsAddresses: true },
    resolve: async () => ['93.184.216.34'],
    send: ({ url }) =>
      url.pathname === '/robots.txt'
        ? Promise.resolve({ status: 404, headers: {}, body: new Uint8Array(), truncated: false })
        : new Promise((resolve) =>
            held.push({
              host: url.hostname,
              answer: () =>
                resolve({
                  status: 200,
                  headers: { 'content-type': 'text/html' },
                  body: new TextEncoder().encode('<title>x</title><h1>x</h1>'),
                  truncated: false,
                }),
            }),
          ),
    close: async () => undefined,
  }
  const silent = { debug() {}, info() {}, warn() {}, error() {} }
  const platform = createPlatform({
    fetcher,
    logger: silent,
    clock: createFakeClock(),
    rateLimits: false,
    previews: false,
    shares: { inspections: { places: 4, each: 3, waiting: 5 } },
  })
  const keyOf = async (account: string) =>
    (
      await platform.api.keys.create(
        { account, user: 'ann', scopes: ['*'] },
        { name: 'k', scopes: ['*'] },
      )
    ).secret
  const post = (key: string, path: string, body: object, signal?: AbortSignal) =>
    platform.fetch(
      new Request(`http://host.test${path}`, {
        method: 'POST',
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        ...(signal && { signal }),
      }),
    )
  return { held, platform, keyOf, post }
}

it('searches of agents share the places of previews and fetches', async () => {
  const { held, keyOf, post } = heldWeb()
  const [many, one] = [await keyOf('many'), await keyOf('one')]
  const path = '/api/v1/mcp/agentic-executions'
  const pending = Array.from({ length: 8 }, (_, i) =>
    post(many, path, { tool: 'fetch', arguments: { id: `https://h${i}.example.com/` } }),
  )
  await until(() => held.length === 3)
  const search = { tool: 'search', arguments: { query: 'pens' } }
  expect([(await post(many, path, search)).status, (await post(one, path, search)).status]).toEqual(
    [429, 201],
  )
  for (let i = 0; i < 8; i++) {
    await until(() => held.length > i)
    held[i]?.answer()
  }
  await Promise.all(pending)
  expect((await post(many, path, search)).status).toBe(201)
})

describe.each([
  [
    'previews',
    '/api/v1/tasks/preview',
    (host: string) => ({
      recipe: { start: { urls: [`https://${host}/`] }, extract: { fields: { title: 'h1' } } },
    }),
  ],
  [
    'fetches of agents',
    '/api/v1/mcp/agentic-executions',
    (host: string) => ({ tool: 'fetch', arguments: { id: `https://${host}/` } }),
  ],
])('%s', (_name, path, bodyOf) => {
  it('of one account leave places for others, wait in turns, and are refused above a number', async () => {
    const { held, keyOf, post } = heldWeb()
    const [many, one] = [await keyOf('many'), await keyOf('one')]
    const pending = Array.from({ length: 9 }, (_, i) =>
      post(many, path, bodyOf(`many-${i}.example.com`)),
    )
    await until(() => held.length === 3)
    expect(held.map(({ host }) => host)).toEqual([
      'many-0.example.com',
      'many-1.example.com',
      'many-2.example.com',
    ])
    const ones = [
      post(one, path, bodyOf('one-0.example.com')),
      post(one, path, bodyOf('one-1.example.com')),
    ]
    await until(() => held.length === 4)
    expect(held.at(-1)?.host).toBe('one-0.example.com')
    const refused = await Promise.race(pending)
    expect([
      refused.status,
      (await refused.json()).error.code,
      refused.headers.get('retry-after'),
    ]).toEqual([429, 'TOO_MANY_REQUESTS', '5'])
    // Of two that wait, the one comes first whose account has not just had a turn.
    held[3]?.answer()
    await until(() => held.length === 5)
    expect(held.at(-1)?.host).toBe('one-1.example.com')
    for (let i = 0; i < 10; i++) {
      await until(() => held.length > i)
      held[i]?.answer()
    }
    expect(
      (await Promise.all([...pending, ...ones])).filter(({ status }) => status < 300),
    ).toHaveLength(10)
  })

  it('leave the line if their caller has gone', async () => {
    const { held, keyOf, post } = heldWeb()
    const key = await keyOf('many')
    const hangUp = new AbortController()
    const pending = Array.from({ length: 8 }, (_, i) =>
      post(key, path, bodyOf(`h${i}.example.com`), i > 2 ? hangUp.signal : undefined),
    )
    await until(() => held.length === 3)
    hangUp.abort()
    await settle()
    const later = post(key, path, bodyOf('later.example.com'))
    await settle()
    held[0]?.answer()
    await until(() => held.length === 4)
    expect(held.at(-1)?.host).toBe('later.example.com')
    for (const { answer } of held) answer()
    expect((await later).status).toBeLessThan(300)
    await Promise.allSettled(pending)
  })
})

describe('downloads', () => {
  it('of one account have a cap, and end when their reader leaves', async () => {
    const host = await createServiceHost({ shares: { downloads: { places: 3, each: 2 } } })
    const { id } = await host.executionWith([[{ title: 'a', price: '1' }]])
    const open = (key = host.key) =>
      host.send('GET', `/api/v1/executions/${id}/results/export?format=csv`, { key })
    const [first, second] = [await open(), await open()]
    const refused = await open()
    expect([refused.status, (await refused.json()).error.message]).toEqual([
      429,
      expect.stringMatching(/2 downloads .* wait until some of them have ended/),
    ])
    const other = await host.send('GET', '/api/v1/billing/statements/2026-01?format=csv', {
      key: await host.keyOf('globex'),
    })
    expect(other.status).not.toBe(429)
    await first.text()
    const third = await open()
    expect(third.status).toBe(200)
    for (const { body } of [second, third, other]) await body?.cancel()
    const again = [await open(), await open()]
    expect(again.map(({ status }) => status)).toEqual([200, 200])
  })

  it('that fail or are refused use no place', async () => {
    const host = await createServiceHost({ shares: { downloads: { places: 1, each: 1 } } })
    const { id } = await host.executionWith([[{ title: 'a', price: '1' }]])
    const path = `/api/v1/executions/${id}/results/export`
    expect((await host.send('GET', `${path}?format=nonsense`)).status).toBe(400)
    expect((await host.send('HEAD', path)).status).toBe(200)
    await host.blobs.put(`rows/${id}/0.jsonl`, new TextEncoder().encode('broken'))
    expect((await host.send('GET', path)).status).toBe(500)
    await host.blobs.put(
      `rows/${id}/0.jsonl`,
      new TextEncoder().encode('[0,{"title":"a","price":"1"}]'),
    )
    expect((await host.send('GET', path)).status).toBe(200)
  })
})

describe('media files', () => {
  it('that are being sent have a cap for each account; further ones wait until one ends', async () => {
    const host = await createServiceHost({ shares: { media: { places: 2, each: 1, waiting: 1 } } })
    const bytes = new Uint8Array(200_000).fill(7)
    const id = await addMedia(host, 'acme', {
      bytes,
      declared: 'application/octet-stream',
      sourceUrl: 'https://shop.example.com/a.bin',
    })
    const { pathname, search } = new URL(
      (await host.call('GET', `/api/v1/media/${id}`)).body.data.url,
    )
    const open = () => host.send('GET', pathname + search, { key: null })
    const first = await open()
    // Of two at the same time one waits, and one is refused.
    const others = [open(), open()]
    expect((await Promise.race(others)).status).toBe(429)
    expect(new Uint8Array(await first.arrayBuffer())).toEqual(bytes)
    const answers = await Promise.all(others)
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 429])
    await Promise.all(answers.map(({ body }) => body?.cancel()))
    expect((await open()).status).toBe(200)
  })
})

describe('event streams', () => {
  it('have a cap by the plan, and one for all accounts', async () => {
    const host = await createServiceHost({
      tariff: tariff({ streams: 2 }),
      shares: { streams: { places: 3 } },
    })
    const { id } = await host.executionWith([])
    const hangUp = new AbortController()
    const open = () =>
      host.http(
        new Request(`http://host.test/api/v1/executions/${id}/events`, {
          headers: { 'x-api-key': host.key },
          signal: hangUp.signal,
        }),
      )
    const [first, second] = [await open(), await open()]
    expect([first.status, second.status]).toEqual([200, 200])
    const refused = await open()
    expect([refused.status, (await refused.json()).error.message]).toEqual([
      429,
      expect.stringMatching(/2 event streams/),
    ])
    await first.body?.cancel()
    expect((await open()).status).toBe(200)
    hangUp.abort()
    expect((await host.send('GET', `/api/v1/executions/${id}/events`)).status).toBe(200)
  })

  it('above the cap get the present state of the run', async () => {
    const host = await createServiceHost({ tariff: tariff({ streams: 0 }) })
    const run = await host.call('POST', '/api/v1/mcp/agentic-executions', {
      body: { tool: 'crawl', arguments: { url: 'https://shop.example.com/', waitSeconds: 50 } },
    })
    expect([run.status, run.body.data.result.done]).toEqual([201, false])
  })
})
