import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Progress } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, test } from 'vitest'
import { createMcpHandler } from '../../src/mcp/handler.ts'
import { OWNER } from '../support/worlds/world.ts'
import type { World } from '../support/worlds/world.ts'
import { callOf, connect, createMcpWorld, keyOf, post, until } from './mcp-world.ts'

const CRAWL = { url: 'https://pens.example.com/', waitSeconds: 50 }

/** The endpoint in the process of the platform, and a separate one. */
const PLACES: readonly [string, (world: World) => (request: Request) => Promise<Response>][] = [
  [
    'in process',
    ({ platform }) =>
      async (request) =>
        platform.fetch(request),
  ],
  [
    'apart',
    ({ platform, clock }) =>
      createMcpHandler({
        baseUrl: 'http://api.example',
        fetch: async (request) => platform.fetch(request),
        clock,
      }),
  ],
]

/** Resolves with the id of the run when the account has one. */
async function begun(world: World): Promise<string> {
  let id = ''
  await until(world, async () => {
    id = (await world.platform.api.executions.list(OWNER)).items[0]?.id ?? ''
    return id !== ''
  })
  return id
}

/** Resolves when something waits for the clock. */
function waitedFor(world: World): Promise<void> {
  return until(world, () => world.clock.sleeping > 0)
}

/** Resolves when nothing waits for the clock any more, without any time having passed. */
function leftAlone(world: World): Promise<void> {
  return until(world, () => world.clock.sleeping === 0)
}

function withProgress(message: object): object {
  const { params, ...rest } = message as { params: object }
  return { ...rest, params: { ...params, _meta: { progressToken: 'p1' } } }
}

describe.each(PLACES)('%s', (_, endpointOf) => {
  const meet = async (): Promise<{
    world: World
    fetch: (request: Request) => Promise<Response>
    key: string
    client: Client
  }> => {
    const world = createMcpWorld()
    const fetch = endpointOf(world)
    const key = await keyOf(world)
    return { world, fetch, key, client: await connect(fetch, key) }
  }

  test('the client gets the progress of a crawl, and then its rows', async () => {
    const { world, client } = await meet()
    const messages: Progress[] = []
    const answer = client.callTool({ name: 'crawl', arguments: CRAWL }, undefined, {
      onprogress: (progress) => messages.push(progress),
    })
    const work = begun(world).then(async (id) => {
      await until(world, () => messages.length > 0)
      await world.platform.worker.tick()
      return id
    })
    const [done, id] = await world.clock.runUntil(Promise.all([answer, work]))
    expect(done.structuredContent).toMatchObject({ runId: id, status: 'succeeded', rowsFound: 2 })
    expect(messages[0]).toMatchObject({
      progress: 0,
      message: expect.stringContaining(`${id} is queued`),
    })
    expect(messages.length).toBeGreaterThan(1)
    for (const [index, { progress, total = 0 }] of messages.entries()) {
      expect(progress).toBeGreaterThan(messages[index - 1]?.progress ?? -1)
      expect(total).toBeGreaterThanOrEqual(progress)
    }
  })

  test('a run without a worker is reported at once and answered in time, and its stream stays alive', async () => {
    const { world, fetch, key } = await meet()
    const response = await fetch(
      post(withProgress(callOf('crawl', { ...CRAWL, waitSeconds: 40 })), { 'x-api-key': key }),
    )
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/event-stream',
    ])
    const text = await world.clock.runUntil(response.text())
    expect(text.match(/^event: message\ndata: .*$/gm)).toHaveLength(2)
    expect(text.match(/^:$/gm)).toHaveLength(2)
    expect(text).toMatch(/"progressToken":"p1","progress":0,.*"status":\\?"queued/s)
  })

  test('a client that accepts only JSON, and no stream, gets no progress', async () => {
    const { world, fetch, key } = await meet()
    const response = await world.clock.runUntil(
      fetch(
        post(withProgress(callOf('crawl', { ...CRAWL, waitSeconds: 3 })), {
          'x-api-key': key,
          accept: 'application/json',
        }),
      ),
    )
    expect([response.headers.get('content-type'), await response.json()]).toMatchObject([
      'application/json',
      { result: { structuredContent: { status: 'queued' } } },
    ])
  })

  test('a client that accepts only streams gets one', async () => {
    const { world, fetch, key } = await meet()
    const response = await world.clock.runUntil(
      fetch(
        post(callOf('crawl', { ...CRAWL, waitSeconds: 3 }), {
          'x-api-key': key,
          accept: 'text/event-stream',
        }),
      ),
    )
    expect([
      response.headers.get('content-type'),
      await world.clock.runUntil(response.text()),
    ]).toEqual(['text/event-stream', expect.stringContaining('"status":"queued"')])
  })

  test.each([
    ['continue', 'queued'],
    ['cancel', 'cancelled'],
    [undefined, 'queued'],
  ])(
    'a client that disconnects ends the wait at once; with %s its run is %s',
    async (ifAbandoned, status) => {
      for (const message of [
        callOf('crawl', { ...CRAWL, ifAbandoned }),
        withProgress(callOf('crawl', { ...CRAWL, ifAbandoned })),
      ]) {
        const { world, fetch, key } = await meet()
        const began = world.clock.now()
        const hangUp = new AbortController()
        const answer = fetch(
          new Request(post(message, { 'x-api-key': key }), { signal: hangUp.signal }),
        )
        const id = await begun(world)
        await waitedFor(world)
        hangUp.abort()
        await answer
        await leftAlone(world)
        await until(world, async () => (await world.read(id)).status === status)
        expect(world.clock.now()).toBe(began)
      }
    },
  )

  test('a stream that is no longer read ends the wait at once', async () => {
    const { world, fetch, key } = await meet()
    const response = await fetch(
      post(withProgress(callOf('crawl', { ...CRAWL, ifAbandoned: 'cancel' })), {
        'x-api-key': key,
      }),
    )
    const id = await begun(world)
    const began = world.clock.now()
    await response.body?.cancel()
    await leftAlone(world)
    await until(world, async () => (await world.read(id)).status === 'cancelled')
    expect(world.clock.now()).toBe(began)
  })

  test('a cancel of the official client ends the wait at once', async () => {
    const { world, client } = await meet()
    const began = world.clock.now()
    const stop = new AbortController()
    const answer = client.callTool(
      { name: 'crawl', arguments: { ...CRAWL, ifAbandoned: 'cancel' } },
      undefined,
      { signal: stop.signal },
    )
    const id = await begun(world)
    await waitedFor(world)
    stop.abort('no longer wanted')
    await expect(answer).rejects.toThrow('no longer wanted')
    await leftAlone(world)
    await until(world, async () => (await world.read(id)).status === 'cancelled')
    expect(world.clock.now()).toBe(began)
  })

  test('a cancellation ends only the call with that id, of the same credential', async () => {
    const { world, fetch, key } = await meet()
    const other = await keyOf(world)
    const cancel = (id: number, by: string) =>
      fetch(
        post(
          { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } },
          { 'x-api-key': by },
        ),
      )
    const first = fetch(post(callOf('crawl', CRAWL, 7), { 'x-api-key': key }))
    await begun(world)
    await waitedFor(world)
    expect((await cancel(7, other)).status).toBe(202)
    expect((await cancel(8, key)).status).toBe(202)
    const twin = fetch(
      post(callOf('crawl', { ...CRAWL, waitSeconds: 49 }, 7), { 'x-api-key': key }),
    )
    await until(
      world,
      async () => (await world.platform.api.executions.list(OWNER)).items.length >= 2,
    )
    expect((await cancel(7, key)).status).toBe(202)
    const texts = await world.clock.runUntil(
      Promise.all([first, twin].map(async (answer) => (await answer).text())),
    )
    for (const text of texts) expect(text).toContain('"status":"queued"')
  })
})

test('a call of a service that never answers ends after the longest time, with that reason', async () => {
  const world = createMcpWorld()
  const requests: Request[] = []
  const began = world.clock.now()
  const handle = createMcpHandler({
    baseUrl: 'http://api.example',
    fetch(request) {
      requests.push(request)
      return new Promise(() => {})
    },
    clock: world.clock,
    timeoutSeconds: 60,
  })
  const response = await world.clock.runUntil(
    handle(post(callOf('crawl', CRAWL), { 'x-api-key': 'k' })),
  )
  expect(await response.json()).toMatchObject({
    result: {
      isError: true,
      content: [{ text: 'The service could not be reached. Try again later.' }],
    },
  })
  expect(world.clock.now() - began).toBe(60_000)
  expect(requests.map(({ signal }) => signal.aborted)).toEqual([true])
})

test('a call whose cancellation is in the same list is still answered', async () => {
  const world = createMcpWorld()
  const key = await keyOf(world)
  const response = await world.clock.runUntil(
    world.platform.fetch(
      post(
        [
          callOf('search', { query: 'x' }, 3),
          { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 3 } },
        ],
        { 'x-api-key': key },
      ),
    ),
  )
  expect(await response.json()).toMatchObject([{ id: 3 }])
})
