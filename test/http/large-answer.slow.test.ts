import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { createShares } from '../../src/features/limits/shares.ts'
import { createHttp } from '../../src/http/handler.ts'
import { createIds } from '../../src/kernel/id.ts'
import { defineRoute, ENVELOPES } from '../../src/kernel/http/route.ts'
import { createFakeClock } from '../support/fakes/fake-clock.ts'
import { seededRandom } from '../support/fakes/seeded-random.ts'
import { createServiceHost } from '../support/worlds/service-host.ts'
import type { Json } from '../../src/kernel/json.ts'
import { Pace, SliceScheduler } from '../../src/kernel/pace.ts'
import { largeSuccess } from '../../src/http/large-answer.ts'
import { success } from '../../src/http/respond.ts'

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')
const shown = { status: 200, bodies: ENVELOPES, tagged: digest, publicForSeconds: null }
const large = (): { readonly [key: string]: Json } => ({
  items: Array.from({ length: 60 }, (_, index) => ({ text: `é"\n${index}`.repeat(10_000) })),
  nextCursor: null,
})

test('a large answer has the same form as a small one, also its ETag', async () => {
  const answer = await largeSuccess(large(), shown)
  const whole = success(large(), shown)
  expect(answer?.headers).toEqual(whole.headers)
  expect(new TextDecoder().decode(answer?.body)).toBe(whole.body)
  expect(await largeSuccess({ items: [] }, shown)).toBeNull()
})

test('a large answer is written in slices of at most some hundred thousand characters', async () => {
  let pauses = 0
  let now = 0
  const pace = new Pace({
    now: () => (now += 10),
    scheduler: new SliceScheduler(async () => void pauses++),
  })
  const text = success(large(), shown).body
  await largeSuccess(large(), shown, pace)
  // Each piece of 64 Ki characters is written in a step of its own.
  expect(pauses).toBeGreaterThan((0.9 * text.length) / 65_536)
})

test('rows of megabytes are answered whole, with their length and a valid ETag', async () => {
  const host = await createServiceHost()
  const recipe = {
    start: { urls: ['https://shop.example.com/'] },
    extract: { fields: { text: 'p' } },
  }
  const task = (await host.call('POST', '/api/v1/tasks', { body: { recipe } })).body.data.id
  const execution = (await host.call('POST', `/api/v1/tasks/${task}/executions`)).body.data.id
  const text = 'ü😀"x'.repeat(700_000)
  await host.addSegment(execution, [{ text }])
  const path = `/api/v1/executions/${execution}/results`
  const response = await host.send('GET', path)
  const body = await response.text()
  expect([response.status, JSON.parse(body).data.items]).toEqual([200, [{ text }]])
  expect(Number(response.headers.get('content-length'))).toBe(new TextEncoder().encode(body).length)
  const head = await host.send('HEAD', path)
  expect([head.status, head.headers.get('content-length'), head.headers.get('etag')]).toEqual([
    200,
    response.headers.get('content-length'),
    response.headers.get('etag'),
  ])
  const cached = await host.send('GET', path, {
    headers: { 'if-none-match': response.headers.get('etag') ?? '' },
  })
  expect([cached.status, await cached.text()]).toEqual([304, ''])
})

test('a large answer that is not read uses its place for a bounded time; a small one uses none', async () => {
  const clock = createFakeClock()
  const logger = {
    debug() {},
    info() {},
    warn() {},
    error: (message: string) => expect.fail(message),
  }
  const route = (path: string, length: number) =>
    defineRoute({
      method: 'GET',
      path,
      operation: path,
      summary: '',
      scope: null,
      limit: null,
      large: true,
      handler: async () => ({ text: 'x'.repeat(length) }),
    })
  const http = createHttp({
    routes: [route('/api/v1/large', 3_000_000), route('/api/v1/small', 3)],
    authenticators: [],
    limiter: null,
    logger,
    ids: createIds({ now: clock.now, random: seededRandom() }),
    clock,
    shares: createShares(clock, { answers: { places: 2, each: 1, waiting: 0 } }),
  })
  const ask = (path: string, method = 'GET', headers: Record<string, string> = {}) =>
    http(new Request(`http://host.test/api/v1/${path}`, { method, headers }))
  for (let time = 0; time < 3; time++) {
    expect((await ask('small')).status).toBe(200)
    expect((await ask('large', 'HEAD')).status).toBe(200)
    expect((await ask('large', 'GET', { 'If-Match': '"other"' })).status).toBe(412)
    const whole = await ask('large')
    expect(
      (await ask('large', 'GET', { 'If-None-Match': whole.headers.get('etag') ?? '' })).status,
    ).toBe(429)
    expect((await whole.text()).length).toBeGreaterThan(3_000_000)
    expect(
      (await ask('large', 'GET', { 'If-None-Match': whole.headers.get('etag') ?? '' })).status,
    ).toBe(304)
  }
  const stalled = (await ask('large')).body?.getReader()
  expect((await stalled?.read())?.value?.length).toBeGreaterThan(0)
  expect((await ask('large')).status).toBe(429)
  // 256 KiB were read, for which the reader gets 32 more seconds.
  await clock.advance(100_000)
  await expect(stalled?.read()).rejects.toThrow('The response ended early')
  expect((await ask('large')).status).toBe(200)
})
