import { inspect } from 'node:util'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { createHttp } from '../../src/http/handler.ts'
import type { HttpOptions } from '../../src/http/handler.ts'
import { createIds } from '../../src/kernel/id.ts'
import { defineRoute } from '../../src/kernel/http/route.ts'
import type { Taken } from '../../src/ports/limiter.ts'
import { createFakeClock } from '../support/fakes/fake-clock.ts'
import { seededRandom } from '../support/fakes/seeded-random.ts'

const clock = createFakeClock()
const params = v.strictObject({ id: v.string() })
const routes = [
  defineRoute({
    method: 'GET',
    path: '/api/v1/things',
    operation: 'list',
    summary: '',
    scope: null,
    limit: null,
    handler: async () => ({ all: true }),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/v1/things/special',
    operation: 'special',
    summary: '',
    scope: null,
    limit: null,
    handler: async () => ({ special: true }),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/v1/things/:id',
    operation: 'read',
    summary: '',
    scope: null,
    limit: null,
    params,
    handler: async (call) => call.params,
  }),
  defineRoute({
    method: 'POST',
    path: '/api/v1/fail',
    operation: 'fail',
    summary: '',
    scope: null,
    limit: null,
    handler: () => Promise.reject(new Error('password=hunter2')),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/v1/wait',
    operation: 'wait',
    summary: '',
    scope: null,
    limit: null,
    handler: async ({ signal }) => {
      await clock.sleep(1_000, signal).catch((cause: unknown) => {
        throw new Error('The work was stopped', { cause })
      })
      return {}
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/v1/mine',
    operation: 'mine',
    summary: '',
    scope: 'tasks:read',
    limit: 'tasks',
    handler: async ({ principal }) => ({ user: principal.user }),
  }),
]

function open(options: Partial<HttpOptions> = {}) {
  const logged: unknown[] = []
  const log = (...entry: unknown[]) => void logged.push(entry)
  const http = createHttp({
    routes,
    authenticators: [
      async (request) =>
        request.headers.get('authorization') === 'Bearer ann'
          ? { account: 'acme', user: 'ann', scopes: ['tasks:*'] }
          : null,
    ],
    limiter: null,
    logger: { debug: log, info: log, warn: log, error: log },
    ids: createIds({ now: clock.now, random: seededRandom() }),
    clock,
    ...options,
  })
  const get = (
    path: string,
    headers: Record<string, string> = {},
    method = 'GET',
    clientIp?: string,
  ) =>
    http(
      new Request(`http://host.test${path}`, { method, headers }),
      clientIp === undefined ? {} : { clientIp },
    )
  return { http, get, logged }
}

/** A bucket of `size` calls that never fills again. */
function bucketLimiter(size: number) {
  const counts = new Map<string, number>()
  const limiter: HttpOptions['limiter'] = {
    async take(key, rate): Promise<Taken> {
      const count = (counts.get(key) ?? 0) + 1
      counts.set(key, count)
      return {
        allowed: count <= size,
        limit: rate.limit,
        remaining: Math.max(0, size - count),
        resetAt: clock.now() + 1_500,
      }
    },
    close: async () => undefined,
  }
  return { limiter, taken: counts }
}

describe('a request', () => {
  const { get, logged } = open()

  it('goes to its route, and fixed segments come first', async () => {
    expect(await (await get('/api/v1/things')).json()).toEqual({
      success: true,
      data: { all: true },
    })
    expect(await (await get('/api/v1/things/special')).json()).toEqual({
      success: true,
      data: { special: true },
    })
    expect(await (await get('/api/v1/things/a%2Fb%20%C3%A9')).json()).toEqual({
      success: true,
      data: { id: 'a/b é' },
    })
  })

  it.each([
    '/',
    '/api/v1',
    '/api/v1/thingsx',
    '/api/v1/things/a/b',
    '/api/v1/%74hings',
    '/API/v1/things',
    '//api/v1/things',
  ])('for %s is 404 in the envelope', async (path) => {
    const response = await get(path)
    expect(response.status).toBe(404)
    expect(await response.json()).toEqual({
      success: false,
      error: { code: 'NOT_FOUND', message: 'Path not found' },
    })
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  })

  it.each(['/api/v1/things/%', '/api/v1/things/%zz', '/api/v1/things/%ff'])(
    'with the broken encoding %s is 400',
    async (path) => {
      expect((await get(path)).status).toBe(400)
    },
  )

  it('keeps a valid request id, and any other id is replaced', async () => {
    expect(
      (await get('/api/v1/things', { 'x-request-id': 'trace_12345678' })).headers.get(
        'x-request-id',
      ),
    ).toBe('trace_12345678')
    for (const id of ['short', 'x'.repeat(65), 'has space in it'])
      expect(
        (await get('/api/v1/things', { 'x-request-id': id })).headers.get('x-request-id'),
      ).toMatch(/^req_/)
  })

  it('that fails unexpectedly shows only its id to the caller, and the cause to the logger', async () => {
    const response = await get('/api/v1/fail', { 'x-request-id': 'trace_12345678' }, 'POST')
    expect(response.status).toBe(500)
    expect(await response.json()).toEqual({
      success: false,
      error: {
        code: 'INTERNAL_SERVER_ERROR',
        message: 'Something went wrong on our side (request trace_12345678)',
      },
    })
    expect(logged).toEqual([
      [
        'A request failed unexpectedly',
        { requestId: 'trace_12345678', error: new Error('password=hunter2') },
      ],
    ])
  })

  it('whose caller leaves is not a failure, but what fails then for another reason is', async () => {
    const host = open()
    const gone = new AbortController()
    const ask = (path: string, method = 'GET') =>
      host.http(new Request(`http://host.test${path}`, { method, signal: gone.signal }))
    const answer = ask('/api/v1/wait')
    gone.abort(new DOMException('The client disconnected', 'AbortError'))
    expect((await answer).status).toBe(400)
    expect(host.logged).toEqual([])
    expect((await ask('/api/v1/fail', 'POST')).status).toBe(500)
    expect(host.logged).toHaveLength(1)
  })
})

describe('a prefix', () => {
  it.each(['/data', 'data/', '/a/b'])('of %s is removed, and may be absent', async (basePath) => {
    const { get } = open({ basePath })
    const prefix = `/${basePath.replace(/^\/|\/$/g, '')}`
    expect((await get(`${prefix}/api/v1/things`)).status).toBe(200)
    expect((await get('/api/v1/things')).status).toBe(200)
    expect((await get(`${prefix}x/api/v1/things`)).status).toBe(404)
  })
})

describe('a credential', () => {
  const { get } = open()
  const statusOf = async (headers: Record<string, string>) =>
    (await get('/api/v1/mine', headers)).status

  it('is accepted once', async () => {
    expect(await statusOf({ authorization: 'Bearer ann' })).toBe(200)
    expect(await statusOf({ authorization: 'Bearer ann', 'x-api-key': 'ann' })).toBe(200)
  })

  it.each([
    [{}],
    [{ authorization: 'Bearer bob' }],
    [{ authorization: 'Bearer ann', 'x-api-key': 'bob' }],
    [{ authorization: 'Bearer ann, Bearer ann' }],
    [{ authorization: 'Bearer ann', 'x-api-key': 'ann, bob' }],
  ])('is refused in %o', async (headers) => {
    expect(await statusOf(headers as Record<string, string>)).toBe(401)
  })

  it('of a reserved account is an internal error of the host', async () => {
    const { get: ask } = open({
      authenticators: [async () => ({ account: '~', user: 'x', scopes: ['*'] })],
    })
    expect((await ask('/api/v1/mine')).status).toBe(500)
  })

  it.each([
    '{"account":5,"user":"x","scopes":["*"]}',
    '{"user":"x","scopes":["*"]}',
    '{"account":"acme","scopes":["*"]}',
    '{"account":"acme","user":"x","scopes":"*"}',
    '{"account":"acme","user":"x"}',
    'true',
  ])('for which the host gives %s is an internal error, which is logged', async (principal) => {
    const { get: ask, logged } = open({ authenticators: [async () => JSON.parse(principal)] })
    expect((await ask('/api/v1/mine')).status).toBe(500)
    expect(String(logged.map((entry) => inspect(entry)))).toContain('must return a principal')
  })
})

describe('rates', () => {
  const ann = { authorization: 'Bearer ann' }

  it('are in the headers of every answer, and end in 429', async () => {
    const { get } = open({ limiter: bucketLimiter(1).limiter })
    const first = await get('/api/v1/mine', ann)
    expect([
      first.status,
      first.headers.get('x-ratelimit-limit'),
      first.headers.get('x-ratelimit-remaining'),
      first.headers.get('x-ratelimit-reset'),
    ]).toEqual([200, '120', '0', null])
    const second = await get('/api/v1/mine', ann)
    expect(second.status).toBe(429)
    expect(await second.json()).toEqual({
      success: false,
      error: { code: 'RATE_LIMIT_EXCEEDED', message: 'Too many requests' },
    })
    expect(second.headers.get('x-ratelimit-reset')).toBe(
      String(Math.ceil((clock.now() + 1_500) / 1000)),
    )
    expect(second.headers.get('retry-after')).toBe('2')
    expect((await get('/api/v1/things', ann)).headers.get('x-ratelimit-limit')).toBeNull()
  })

  it('count failed credentials against their address', async () => {
    const { limiter, taken } = bucketLimiter(2)
    const { get } = open({ limiter })
    const statuses = []
    for (let i = 0; i < 3; i++)
      statuses.push((await get('/api/v1/mine', {}, 'GET', '203.0.113.9')).status)
    expect(statuses).toEqual([401, 401, 429])
    expect((await get('/api/v1/mine', ann, 'GET', '203.0.113.9')).status).toBe(200)
    expect([...taken.keys()]).toEqual([
      'authentication:ip:203.0.113.9',
      'tasks:user:["acme","ann"]',
    ])
  })

  it('can be switched off for a service', async () => {
    const { limiter, taken } = bucketLimiter(0)
    const { get } = open({ limiter, rates: { tasks: false } })
    expect((await get('/api/v1/mine', ann)).status).toBe(200)
    expect(taken.size).toBe(0)
  })

  it('do not stop calls when the limiter fails', async () => {
    const { get, logged } = open({
      limiter: { take: () => Promise.reject(new Error('down')), close: async () => undefined },
    })
    expect((await get('/api/v1/mine', ann)).status).toBe(200)
    expect(logged).toHaveLength(1)
  })
})

describe('pages of other origins', () => {
  const preflight = { origin: 'https://app.example', 'access-control-request-method': 'GET' }

  it('may read nothing by default', async () => {
    const { get } = open()
    expect(
      (await get('/api/v1/things', preflight)).headers.get('access-control-allow-origin'),
    ).toBeNull()
  })

  it('may read if the host says so', async () => {
    const { get } = open({ cors: { origins: ['https://app.example'] } })
    const answer = await get('/api/v1/nothing', preflight)
    expect([
      answer.status,
      answer.headers.get('access-control-allow-origin'),
      answer.headers.get('vary'),
    ]).toEqual([404, 'https://app.example', 'Origin'])
    const allowed = await get('/api/v1/things', preflight, 'OPTIONS')
    expect([allowed.status, allowed.headers.get('access-control-allow-methods')]).toEqual([
      204,
      'GET, HEAD, OPTIONS',
    ])
    expect(allowed.headers.get('access-control-allow-headers')).toContain('X-API-Key')
    const other = await get('/api/v1/things', { origin: 'https://evil.example' })
    expect([other.headers.get('access-control-allow-origin'), other.headers.get('vary')]).toEqual([
      null,
      'Origin',
    ])
  })
})

it('a table with two routes of one method and path is refused', () => {
  const route = defineRoute({
    method: 'GET',
    path: '/x',
    operation: 'a',
    summary: '',
    scope: null,
    limit: null,
    handler: async () => ({}),
  })
  expect(() => open({ routes: [route, { ...route, operation: 'b' }] })).toThrow('Two routes')
})
