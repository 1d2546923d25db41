import { expect, test } from 'vitest'
import { OWNER, createWorld } from '../../support/worlds/world.ts'
import type { World } from '../../support/worlds/world.ts'

const PATH = 'http://host.test/api/v1/mcp/agentic-executions'
const SITE = {
  'https://pens.example.com/':
    '<title>Pens</title><main><p>Fountain pens and their ink, and what holds them together.</p></main>',
}

async function asker(
  world: World,
): Promise<(body: object, headers?: Record<string, string>) => Promise<Response>> {
  const { secret } = await world.platform.api.keys.create(OWNER, {
    name: 'agent',
    scopes: ['mcp:*'],
  })
  return (body, headers = {}) =>
    world.platform.fetch(
      new Request(PATH, {
        method: 'POST',
        headers: {
          'x-api-key': secret,
          'content-type': 'application/json',
          accept: 'text/event-stream',
          ...headers,
        },
        body: JSON.stringify(body),
      }),
    )
}

const crawl = (waitSeconds: number) => ({
  tool: 'crawl',
  arguments: { url: 'https://pens.example.com/', waitSeconds },
})

test('a call that waits streams its progress and its result if the client accepts a stream', async () => {
  const world = createWorld(SITE)
  const ask = await asker(world)
  const response = await ask(crawl(5))
  expect([
    response.status,
    response.headers.get('content-type'),
    response.headers.get('x-accel-buffering'),
  ]).toEqual([201, 'text/event-stream', 'no'])
  const [first, last, ...more] = (await world.clock.runUntil(response.text())).trim().split('\n\n')
  expect(first).toMatch(
    /^event: progress\ndata: \{"progress":0,"total":\d,"message":"exec_\w+ is queued: /,
  )
  expect(last).toMatch(
    /^event: result\ndata: \{"id":"agx_\w+","tool":"crawl",.*"executionId":"exec_\w+"/,
  )
  expect(more).toEqual([])
})

test.each([
  ['JSON is the default', crawl(3), { accept: '*/*' }, 201],
  [
    'a client that accepts both gets JSON',
    crawl(3),
    { accept: 'application/json, text/event-stream' },
    201,
  ],
  ['an answer that is stored for a key is JSON', crawl(3), { 'idempotency-key': 'a' }, 201],
  ['what does not wait is JSON', crawl(0), {}, 201],
  ['a refusal is JSON', { tool: 'crawl', arguments: {} }, {}, 400],
  [
    'an unknown run is JSON',
    { tool: 'get_run', arguments: { runId: 'exec_none', waitSeconds: 5 } },
    {},
    404,
  ],
  [
    'a type that is neither is refused before the call runs',
    crawl(3),
    { accept: 'text/html' },
    406,
  ],
])('%s', async (_, body, headers, status) => {
  const world = createWorld(SITE)
  const response = await world.clock.runUntil((await asker(world))(body, headers))
  expect([response.status, response.headers.get('content-type')]).toEqual([
    status,
    'application/json; charset=utf-8',
  ])
  expect((await world.platform.api.executions.list(OWNER)).items).toHaveLength(
    status === 201 ? 1 : 0,
  )
})

test('an error after the begin of the stream breaks it off, without the reason', async () => {
  const world = createWorld(SITE)
  const response = await (await asker(world))(crawl(5))
  world.store.get = async () => Promise.reject(new Error('secret-7731'))
  const broken = await world.clock.runUntil(
    response.text().then(
      () => 'whole',
      (error: unknown) => String(error),
    ),
  )
  expect(broken).toMatch(/ended early \(request req_\w+\)/)
})
