import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SeineError } from 'seine/client'
import { retryDelay } from '../../src/client/retry-delay.ts'
import { createScripted, done, failed, type Turn } from './scripted.ts'

const START = Date.UTC(2026, 0, 1)
const away = failed(503, 'SERVICE_UNAVAILABLE')
const limited = (headers: Record<string, string> = {}) =>
  failed(429, 'RATE_LIMIT_EXCEEDED', headers)

/** Reads a task; returns when each try was made, and how the call ended. */
async function read(turns: readonly Turn[], options = {}) {
  const { client, clock, tries } = createScripted(turns, options)
  const outcome = await clock.runUntil(client.tasks.get('task_1')).catch((error: unknown) => error)
  return { at: tries.map((one) => one.at), tries, outcome }
}

test.for([502, 503, 504])(
  'a service that answers %i is asked again after waits that double',
  async (status) => {
    const { at, outcome } = await read([
      new Response('<h1>proxy</h1>', { status }),
      new Response('', { status }),
      new Response('', { status }),
      done(),
    ])
    expect(at).toEqual([0, 125, 375, 875])
    expect(outcome).toEqual({ id: 'task_1' })
  },
)

test('a call is tried again after a network error and after a broken answer', async () => {
  const cut = () =>
    new Response(
      new ReadableStream({ start: (stream) => stream.error(new TypeError('terminated')) }),
    )
  const { at, outcome } = await read(['broken', cut, done()])
  expect(at).toEqual([0, 125, 375])
  expect(outcome).toEqual({ id: 'task_1' })
})

test('the number of tries is bounded, and the last failure is thrown', async () => {
  const { at, outcome } = await read(['broken'])
  expect(at).toHaveLength(4)
  expect(outcome).toBeInstanceOf(SeineError)
  expect(outcome).toMatchObject({
    code: 'NETWORK_ERROR',
    status: 0,
    cause: new TypeError('fetch failed'),
  })
  expect((await read([away], { retries: 0 })).at).toEqual([0])
  expect((await read([away], { retries: 1 })).outcome).toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    status: 503,
  })
})

test.for<readonly [string, Record<string, string>, number]>([
  ['Retry-After in seconds', { 'Retry-After': '7' }, 7_125],
  ['Retry-After as a date', { 'Retry-After': new Date(START + 9_000).toUTCString() }, 9_125],
  ['X-RateLimit-Reset', { 'X-RateLimit-Reset': String(START / 1000 + 5) }, 5_125],
  [
    'X-RateLimit-Reset by a clock that is an hour ahead',
    {
      'X-RateLimit-Reset': String(START / 1000 + 3605),
      Date: new Date(START + 3_600_000).toUTCString(),
    },
    5_125,
  ],
  [
    'Retry-After before X-RateLimit-Reset',
    { 'Retry-After': '2', 'X-RateLimit-Reset': String(START / 1000 + 50) },
    2_125,
  ],
  [
    'X-RateLimit-Reset if Retry-After is not a time',
    { 'Retry-After': 'soon', 'X-RateLimit-Reset': String(START / 1000 + 5) },
    5_125,
  ],
  ['a time that has passed', { 'X-RateLimit-Reset': '1' }, 125],
  ['neither', {}, 125],
])('after a 429 the client waits as %s says', async ([, headers, second]) => {
  expect((await read([limited(headers), done()])).at).toEqual([0, second])
})

test('a wait of more than two minutes is left to the caller', async () => {
  const { at, outcome } = await read([limited({ 'Retry-After': '121' })])
  expect(at).toEqual([0])
  expect(outcome).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', retryAfter: 121 })
  expect((await read([limited({ 'Retry-After': '120' }), done()])).at).toEqual([0, 120_125])
})

test.for([
  [400, 'BAD_REQUEST'],
  [401, 'UNAUTHORIZED'],
  [403, 'FORBIDDEN'],
  [404, 'NOT_FOUND'],
  [409, 'CONFLICT'],
  [412, 'PRECONDITION_FAILED'],
  [422, 'UNPROCESSABLE_CONTENT'],
  [500, 'INTERNAL_SERVER_ERROR'],
  [501, 'NOT_IMPLEMENTED'],
] as const)('a call with the answer %i is not tried again', async ([status, code]) => {
  const { at, outcome } = await read([failed(status, code)])
  expect(at).toEqual([0])
  expect(outcome).toMatchObject({ status, code })
})

test('a spent quota, an answer of another server and a redirect are not tried again', async () => {
  const quota = await read([
    Response.json(
      { error: 'preview_limit_exceeded', message: 'Come back tomorrow' },
      { status: 429 },
    ),
  ])
  expect(quota).toMatchObject({
    at: [0],
    outcome: { code: 'preview_limit_exceeded', status: 429, message: 'Come back tomorrow' },
  })
  const page = await read([new Response('<h1>Welcome</h1>')])
  expect(page).toMatchObject({ at: [0], outcome: { code: 'UNEXPECTED_RESPONSE', status: 200 } })
  const moved = await read([
    new Response(null, { status: 308, headers: { Location: 'https://elsewhere.example/' } }),
  ])
  expect(moved).toMatchObject({ at: [0], outcome: { code: 'UNEXPECTED_RESPONSE', status: 308 } })
  expect(moved.tries[0]?.request.redirect).toBe('manual')
})

test('a 409 with Retry-After means that the request still runs, and is tried again', async () => {
  expect((await read([failed(409, 'CONFLICT', { 'Retry-After': '1' }), done()])).at).toEqual([
    0, 1_125,
  ])
})

test('all tries of a write have the same body and idempotency key; another write has another key', async () => {
  const { client, clock, tries } = createScripted(['broken', away, done()])
  await clock.runUntil(client.tasks.create({ name: 'A', recipe: { start: {} } }))
  await client.tasks.delete('task_1')
  await client.tasks.get('task_1')
  await client.tasks.update('task_1', { name: 'B' }, { idempotencyKey: 'mine' })
  const keys = tries.map(({ request }) => request.headers.get('idempotency-key'))
  expect(keys[0]).toMatch(/^[\da-f]{32}$/)
  expect(keys.slice(1, 3)).toEqual([keys[0], keys[0]])
  expect(tries.slice(0, 3).map(({ body }) => body)).toEqual(
    Array(3).fill('{"name":"A","recipe":{"start":{}}}'),
  )
  expect(keys[3]).toMatch(/^[\da-f]{32}$/)
  expect(keys[3]).not.toBe(keys[0])
  expect(keys.slice(4)).toEqual([null, 'mine'])
})

test('the credential is asked for anew at each try', async () => {
  let nth = 0
  const { tries } = await read([away, done()], { token: async () => `t${++nth}` })
  expect(tries.map(({ request }) => request.headers.get('authorization'))).toEqual([
    'Bearer t1',
    'Bearer t2',
  ])
  const byKey = await read([done()], { apiKey: () => 'svc_sk_a' })
  expect(byKey.tries[0]?.request.headers.get('x-api-key')).toBe('svc_sk_a')
  expect(byKey.tries[0]?.request.headers.has('authorization')).toBe(false)
})

test('an error in the arguments of the caller is not treated as a network error', async () => {
  const broken = new Error('no token today')
  expect(await read([done()], { token: () => Promise.reject(broken) })).toMatchObject({
    at: [],
    outcome: broken,
  })
  expect((await read([done()], { apiKey: 'a\nb' })).outcome).toBeInstanceOf(TypeError)
  expect(() => createScripted([], { apiKey: 'a', token: 'b' })).toThrow('not both')
})

test.for<readonly [string, readonly Turn[], number]>([
  ['before the call', [done()], 0],
  ['during a request that ignores its signal', ['silent'], 1],
  ['during a wait', ['broken', done()], 1],
])('an abort %s ends the call with its reason', async ([moment, turns, tries]) => {
  const scripted = createScripted(turns)
  const controller = new AbortController()
  const reason = new Error('enough')
  if (tries === 0) controller.abort(reason)
  const outcome = scripted.client.tasks
    .get('task_1', { signal: controller.signal })
    .catch((error: unknown) => error)
  await scripted.clock.advance(10)
  expect(scripted.tries, moment).toHaveLength(tries)
  controller.abort(reason)
  expect(await outcome).toBe(reason)
  await scripted.clock.advance(60_000)
  expect(scripted.tries).toHaveLength(tries)
  expect(scripted.clock.sleeping).toBe(0)
})

test('a wait is at least the time that the service names, and at most that time plus the bound', () => {
  fc.assert(
    fc.property(
      fc.nat(40),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      fc.option(fc.nat(200)),
      fc.constantFrom(429, 502, 503, 504),
      (tried, chance, retryAfter, status) => {
        const delay = retryDelay(
          new SeineError('SERVICE_UNAVAILABLE', '', { status, retryAfter: retryAfter }),
          tried,
          chance,
        )
        if (delay === null) return (retryAfter ?? 0) > 120
        const least = (retryAfter ?? 0) * 1000
        return delay >= least && delay <= least + Math.min(10_000, 250 * 2 ** tried)
      },
    ),
  )
})
