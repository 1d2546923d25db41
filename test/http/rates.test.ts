import { createServer } from 'node:http'
import { expect, it } from 'vitest'
import { toNodeHandler } from '../../adapters/node/index.ts'
import { createMemoryLimiter } from '../../src/defaults/memory-limiter.ts'
import { createStoreLimiter } from '../../src/defaults/store-limiter.ts'
import { createMemoryStore } from '../../src/defaults/memory-store.ts'
import { createRecords } from '../../src/features/records.ts'
import { callersOf } from '../../src/http/rate-limit.ts'
import { createFakeClock } from '../support/fakes/fake-clock.ts'
import { createServiceHost } from '../support/worlds/service-host.ts'

const clock = createFakeClock(Date.UTC(2026, 0, 1) + 137)
const limiters = [
  ['memory', () => createMemoryLimiter({ clock })],
  [
    'store',
    () => createStoreLimiter({ records: createRecords(createMemoryStore({ clock })), clock }),
  ],
] as const
const rates = { tasks: { limit: 7, periodMs: 60_000, burst: 2 } }

it.each(limiters)(
  'on %s, a rejected call names the second in which it will be allowed',
  async (_, make) => {
    const { call } = await createServiceHost({ limiter: make(), rates, clock })
    const ask = () => call('GET', '/api/v1/tasks')
    const seen = []
    for (let i = 0; i < 4; i++) seen.push(await ask())
    expect(seen.map(({ status }) => status)).toEqual([200, 200, 200, 429])
    expect(seen.map(({ headers }) => headers.get('x-ratelimit-remaining'))).toEqual([
      '2',
      '1',
      '0',
      '0',
    ])
    expect(seen.map(({ headers }) => headers.get('x-ratelimit-reset') !== null)).toEqual([
      false,
      false,
      false,
      true,
    ])
    const { headers, body } = seen[3] ?? expect.fail()
    expect(body).toEqual({
      success: false,
      error: { code: 'RATE_LIMIT_EXCEEDED', message: 'Too many requests' },
    })
    // 60 s / 7 is 8.571… s.
    expect([headers.get('retry-after'), headers.get('x-ratelimit-reset')]).toEqual([
      '9',
      String(Math.ceil((clock.now() + 8_572) / 1000)),
    ])
    await clock.advance(8_571)
    expect((await ask()).status).toBe(429)
    await clock.advance(1)
    expect((await ask()).status).toBe(200)
  },
)

const guesses = { authentication: { limit: 7, periodMs: 60_000, burst: 2 } }

it('all addresses of an IPv6 client share one bucket', async () => {
  const { call } = await createServiceHost({
    limiter: createMemoryLimiter({ clock }),
    rates: guesses,
    clock,
  })
  const guess = async (clientIp: string) =>
    (await call('GET', '/api/v1/tasks', { key: 'svc_sk_wrong', context: { clientIp } })).status
  const statuses = []
  for (let i = 0; i < 4; i++) statuses.push(await guess(`2001:db8:0:1::${i}`))
  expect(statuses).toEqual([401, 401, 401, 429])
  expect([
    await guess('2001:db8:0:2::1'),
    await guess('203.0.113.1'),
    await guess('::ffff:203.0.113.1'),
  ]).toEqual([401, 401, 401])
})

it.each(limiters)(
  'on %s, all 65,536 subscribers of an IPv6 site together have 16 times the rate of one',
  async (_, make) => {
    const { call } = await createServiceHost({ limiter: make(), rates: guesses, clock })
    const guess = async (clientIp: string) =>
      (await call('GET', '/api/v1/tasks', { key: 'svc_sk_wrong', context: { clientIp } })).status
    const statuses = []
    for (let i = 0; i < 49; i++) statuses.push(await guess(`2001:db8:0:${(i + 1).toString(16)}::1`))
    expect(statuses.filter((status) => status === 401)).toHaveLength(48)
    expect(statuses.at(-1)).toBe(429)
    expect(await guess('2001:db8:1:1::1')).toBe(401)
  },
)

it.each(limiters)(
  'on %s, refused credentials are counted once, whichever services they are sent to',
  async (_, make) => {
    const { call } = await createServiceHost({ limiter: make(), rates: guesses, clock })
    const guess = (path: string) =>
      call('GET', path, { key: 'svc_sk_wrong', context: { clientIp: '203.0.113.9' } })
    const seen = []
    for (const path of [
      '/api/v1/tasks',
      '/api/v1/billing/balance',
      '/api/v1/analytics/tasks',
      '/api/v1/mcp/tools',
      '/api/v1/tasks',
    ])
      seen.push(await guess(path))
    expect(seen.map(({ status }) => status)).toEqual([401, 401, 401, 429, 429])
    expect(seen.map(({ headers }) => headers.get('x-ratelimit-remaining'))).toEqual([
      '2',
      '1',
      '0',
      '0',
      '0',
    ])
    expect(seen[3]?.headers.get('retry-after')).toBe('9')
  },
)

it('a valid key passes from an address whose guesses are refused; that limit can be switched off', async () => {
  const context = { clientIp: '203.0.113.9' }
  const { call } = await createServiceHost({
    limiter: createMemoryLimiter({ clock }),
    rates: guesses,
    clock,
  })
  for (let i = 0; i < 4; i++) await call('GET', '/api/v1/tasks', { key: 'svc_sk_wrong', context })
  expect((await call('GET', '/api/v1/tasks', { key: 'svc_sk_wrong', context })).status).toBe(429)
  expect((await call('GET', '/api/v1/tasks', { context })).status).toBe(200)
  const open = await createServiceHost({
    limiter: createMemoryLimiter({ clock }),
    rates: { authentication: false },
    clock,
  })
  const statuses = []
  for (let i = 0; i < 130; i++)
    statuses.push(
      (await open.call('GET', '/api/v1/tasks', { key: 'svc_sk_wrong', context })).status,
    )
  expect(new Set(statuses)).toEqual(new Set([401]))
})

it('node:http names the client by the header of proxies that the host trusts', async () => {
  const seen: (string | undefined)[] = []
  const fetch = (_: Request, { clientIp }: { clientIp?: string }) => {
    seen.push(clientIp)
    return new Response('ok')
  }
  for (const options of [
    {},
    { trustProxy: ['127.0.0.0/8', '::1'] },
    { trustProxy: 1, proxyHeader: 'forwarded' as const },
    { trustProxy: ['10.0.0.1'] },
  ]) {
    const server = createServer(toNodeHandler(fetch, options))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' && address ? address.port : 0
    await (
      await globalThis.fetch(`http://127.0.0.1:${port}/`, {
        headers: { 'X-Forwarded-For': '1.1.1.1, 203.0.113.1', Forwarded: 'for=203.0.113.2' },
      })
    ).text()
    await new Promise((resolve) => server.close(resolve))
  }
  expect(seen).toEqual(['127.0.0.1', '203.0.113.1', '203.0.113.2', '127.0.0.1'])
})

it.each([
  ['is down', new Error('ECONNREFUSED'), 200],
  ['is given a wrong rate', new RangeError('no rate'), 500],
] as const)('a call to a limiter that %s: %o: %i', async (_, error, status) => {
  const limiter = {
    take: async () => {
      throw error
    },
    close: async () => {},
  }
  const { call } = await createServiceHost({ limiter, rates, clock })
  expect((await call('GET', '/api/v1/tasks')).status).toBe(status)
})

it('an invalid rate is refused, and does not count as a failure of the limiter', async () => {
  for (const wrong of [
    { limit: 0, periodMs: 60_000, burst: 0 },
    { limit: 1, periodMs: 60_000, burst: 0.5 },
    { limit: 1, periodMs: 60_000, burst: Number.NaN },
  ])
    await expect(
      createServiceHost({
        limiter: createMemoryLimiter({ clock }),
        rates: { tasks: wrong },
        clock,
      }),
    ).rejects.toThrow(RangeError)
})

it('a call that is refused for its scope counts, and its answer has the rate headers', async () => {
  const { call, keyOf } = await createServiceHost({
    limiter: createMemoryLimiter({ clock }),
    rates,
    clock,
  })
  const key = await keyOf('globex', ['tasks:read'])
  const seen = []
  for (let i = 0; i < 4; i++) seen.push(await call('POST', '/api/v1/tasks', { key, body: {} }))
  expect(seen.map(({ status }) => status)).toEqual([403, 403, 403, 429])
  expect(seen.map(({ headers }) => headers.get('x-ratelimit-remaining'))).toEqual([
    '2',
    '1',
    '0',
    '0',
  ])
})

it.each([
  { limit: 10, periodMs: 60_000, burst: 20 },
  { limit: 5, periodMs: 60_000, burst: 2 },
])(
  'the limit in the header is the number of calls that pass at once: burst $burst',
  async (tasks) => {
    const { call } = await createServiceHost({
      limiter: createMemoryLimiter({ clock }),
      rates: { tasks },
      clock,
    })
    const seen = []
    do seen.push(await call('GET', '/api/v1/tasks'))
    while (seen.at(-1)?.status === 200)
    expect(seen.length - 1).toBe(tasks.burst + 1)
    expect(new Set(seen.map(({ headers }) => headers.get('x-ratelimit-limit')))).toEqual(
      new Set([String(tasks.burst + 1)]),
    )
  },
)

it('the public catalog counts a caller by its user, and has no rate headers that a cache could pass on', async () => {
  const { call, key, keyOf } = await createServiceHost({
    limiter: createMemoryLimiter({ clock }),
    rates,
    clock,
  })
  const other = await keyOf('globex')
  const read = (credential: string | null) =>
    call('GET', '/api/v1/templates', { key: credential, context: { clientIp: '203.0.113.5' } })
  const seen = []
  for (let i = 0; i < 4; i++) seen.push(await read(key))
  expect(seen.map(({ status }) => status)).toEqual([200, 200, 200, 429])
  expect(seen.map(({ headers }) => headers.get('x-ratelimit-remaining'))).toEqual([
    null,
    null,
    null,
    '0',
  ])
  expect([(await read(other)).status, (await read(null)).status]).toEqual([200, 200])
  // A wrong key counts like no key, for the address.
  expect([(await read('svc_sk_wrong')).status, (await read(null)).status]).toEqual([200, 200])
  expect((await read(null)).status).toBe(429)
})

it('the public catalog also counts callers by sessions of the host, which may be cookies', async () => {
  const { call } = await createServiceHost({
    limiter: createMemoryLimiter({ clock }),
    rates,
    clock,
    authenticators: [
      async ({ headers }) => {
        const user = headers.get('cookie')
        return user === null ? null : { account: 'acme', user, scopes: ['*'] }
      },
    ],
  })
  const read = async (session: Record<string, string>) =>
    (
      await call('GET', '/api/v1/templates', {
        key: null,
        headers: session,
        context: { clientIp: '203.0.113.5' },
      })
    ).status
  const statuses = []
  for (let i = 0; i < 4; i++) statuses.push(await read({}))
  expect(statuses).toEqual([200, 200, 200, 429])
  expect([await read({ cookie: 'ann' }), await read({ cookie: 'bob' })]).toEqual([200, 200])
})

it('on a host that passes no address on, callers without a user share one limit', async () => {
  const { call } = await createServiceHost({
    limiter: createMemoryLimiter({ clock }),
    rates: { ...rates, ...guesses },
    clock,
  })
  const statusesOf = async (count: number, path: string, key: string | null) => {
    const statuses = []
    for (let i = 0; i < count; i++) statuses.push((await call('GET', path, { key })).status)
    return statuses
  }
  const reads = await statusesOf(49, '/api/v1/templates', null)
  expect([reads.filter((status) => status === 200).length, reads.at(-1)]).toEqual([48, 429])
  const tries = await statusesOf(49, '/api/v1/tasks', 'svc_sk_wrong')
  expect([tries.filter((status) => status === 401).length, tries.at(-1)]).toEqual([48, 429])
})

it('keys count for the user who made them: two keys of one user share a limit, keys of others do not', async () => {
  const { call, keys } = await createServiceHost({
    limiter: createMemoryLimiter({ clock }),
    rates,
    clock,
  })
  const remaining = async (user: string) => {
    const { secret } = await keys.create(
      { account: 'globex', user, scopes: ['*'] },
      { name: user, scopes: ['tasks:read'] },
    )
    const { headers } = await call('GET', '/api/v1/tasks', { key: secret })
    return headers.get('x-ratelimit-remaining')
  }
  expect([await remaining('ann'), await remaining('ann'), await remaining('bob')]).toEqual([
    '2',
    '1',
    '2',
  ])
})

it.each(limiters)(
  'on %s, a call of a route counts whatever its answer, and a call of no route does not',
  async (_, make) => {
    const { call } = await createServiceHost({ limiter: make(), rates, clock })
    const remaining = async (method: string, path: string) => {
      const { status, headers } = await call(method, path)
      return [status, headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')]
    }
    for (let i = 0; i < 5; i++) {
      expect(await remaining('GET', '/api/v1/tasks/a/b/c')).toEqual([404, null, null])
      expect(await remaining('PUT', '/api/v1/tasks')).toEqual([405, null, null])
    }
    expect([
      await remaining('GET', '/api/v1/tasks/none'),
      await remaining('GET', '/api/v1/tasks?limit=x'),
      await remaining('GET', '/api/v1/tasks'),
      await remaining('GET', '/api/v1/tasks'),
    ]).toEqual([
      [404, '3', '2'],
      [400, '3', '1'],
      [200, '3', '0'],
      [429, '3', '0'],
    ])
  },
)

it('are counted by the JSON of account and user, so that no two users share a name', () => {
  const texts = ['acme', 'a b', 'a"', 'a\\', 'a","b', 'ü', '\n', '\ud800', 'ann@acme.example', '']
  const failures = texts.flatMap((user) => {
    const [caller] = callersOf({ account: 'acme', user, scopes: [] }, undefined)
    return caller?.name === `user:${JSON.stringify(['acme', user])}` ? [] : [user]
  })
  expect(failures).toEqual([])
})
