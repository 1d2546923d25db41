import { describe, expect, test } from 'vitest'
import { createMemoryStore } from '../../src/defaults/memory-store.ts'
import { StoreFailure } from '../../src/kernel/failures.ts'
import { createMcpHandler } from '../../src/mcp/handler.ts'
import { createPlatform } from '../../src/platform/platform.ts'
import { through } from '../support/stores/fault-store.ts'
import { OWNER } from '../support/worlds/world.ts'
import type { World } from '../support/worlds/world.ts'
import { callOf, createMcpWorld, keyOf, post } from './mcp-world.ts'

const silent = { debug() {}, info() {}, warn() {}, error() {} }
const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
const search = callOf('search', { query: 'x' })
const json = { accept: 'application/json' }
const stream = { accept: 'text/event-stream' }

describe('an unknown caller gets 401, whatever the request', () => {
  test.each([
    ['a list', list, json],
    ['a call', search, json],
    ['a list, as a stream', list, stream],
    ['a call, as a stream', search, stream],
    ['a list of lists', [list], json],
    ['a list of calls', [search, callOf('search', { query: 'y' }, 2)], json],
    ['a list of calls, as a stream', [search], stream],
    [
      'a list with a request that is not a call of a tool',
      [{ jsonrpc: '2.0', id: 2, method: 'ping' }, list],
      json,
    ],
  ])('%s', async (_, message, headers) => {
    const { platform } = createMcpWorld()
    const response = await platform.fetch(
      post(message, { 'x-api-key': 'svc_sk_unknown', ...headers }),
    )
    expect([
      response.status,
      response.headers.get('www-authenticate'),
      await response.json(),
    ]).toEqual([
      401,
      'Bearer',
      {
        jsonrpc: '2.0',
        id: null,
        error: { code: -32_000, message: 'A valid credential is required' },
      },
    ])
  })

  test('and a caller without the scope gets 403, also with a stream', async () => {
    const world = createMcpWorld()
    const key = await keyOf(world, ['mcp:fetch'])
    for (const headers of [json, stream]) {
      const response = await world.platform.fetch(post(search, { 'x-api-key': key, ...headers }))
      expect([response.status, response.headers.get('www-authenticate')]).toEqual([
        403,
        'Bearer error="insufficient_scope", scope="mcp:search"',
      ])
      expect(await response.text()).toContain('ask its owner for a key with the scope')
    }
  })
})

describe('a list of tools that cannot be read is an error, not an empty list', () => {
  test('after too many requests', async () => {
    const platform = createPlatform({
      logger: silent,
      rateLimits: { mcp: { limit: 1, periodMs: 60_000, burst: 0 } },
    })
    const { secret } = await platform.api.keys.create(OWNER, { name: 'agent', scopes: ['mcp:*'] })
    const ask = async (message: object) =>
      (await platform.fetch(post(message, { 'x-api-key': secret }))).json()
    expect(await ask(list)).toMatchObject({ id: 1, result: { tools: expect.any(Array) } })
    for (const message of [
      list,
      { ...list, params: { _meta: { 'io.modelcontextprotocol/x': 1 } } },
    ]) {
      expect(await ask(message)).toMatchObject({
        error: { code: -32_000, message: expect.stringMatching(/^Too many requests/) },
      })
    }
    await platform.close()
  })

  test.each([500, 404, 200])('from a service that answers %i without one', async (status) => {
    const handle = createMcpHandler({
      baseUrl: 'http://localhost',
      fetch: async () => Response.json({ success: status === 200, data: {} }, { status }),
    })
    const answer = await (await handle(post(list, { 'x-api-key': 'k' }))).json()
    expect(answer).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32_603, message: 'The service could not be reached. Try again later.' },
    })
  })
})

test.each([
  ['tools/list', {}],
  ['ping', {}],
  ['tools/list', { _meta: { 'io.modelcontextprotocol/x': 1 } }],
])(
  'while the store is away %s %j is 503 with Retry-After, and not an internal error',
  async (method, params) => {
    const logged: string[] = []
    const base = createMemoryStore()
    let isAway = false
    const platform = createPlatform({
      store: {
        ...through(base, (change) => base.commit(change)),
        get: async (keys) => {
          if (isAway) throw new StoreFailure('unreachable')
          return base.get(keys)
        },
      },
      logger: { ...silent, error: (message) => void logged.push(message) },
    })
    const { secret } = await platform.api.keys.create(OWNER, { name: 'agent', scopes: ['mcp:*'] })
    isAway = true
    const answer = await platform.fetch(post({ ...list, method, params }, { 'x-api-key': secret }))
    expect([answer.status, answer.headers.get('retry-after'), await answer.json()]).toEqual([
      503,
      '5',
      {
        jsonrpc: '2.0',
        id: 1,
        error: {
          code: -32_000,
          message: 'The store cannot be reached. Try again later',
        },
      },
    ])
    expect(logged).toEqual([])
    await platform.close()
  },
)

test.each([
  ['in process', (world: World) => world.platform.fetch],
  [
    'apart',
    (world: World) =>
      createMcpHandler({
        baseUrl: 'http://in.test',
        fetch: (request) => world.platform.fetch(request),
      }),
  ],
])('an unknown tool is an error of the request, %s', async (_, handlerOf) => {
  const world = createMcpWorld()
  const ask = handlerOf(world)
  const headers = { 'x-api-key': await keyOf(world) }
  const error = {
    code: -32_602,
    message: expect.stringMatching(/^Unknown tool: extract\. .*\?tools=.* --tools of seine mcp/),
  }
  for (const message of [
    callOf('extract', { url: 'https://x.test' }, 5),
    // The SDK reads this request.
    {
      ...callOf('extract', {}, 5),
      params: { name: 'extract', _meta: { 'io.modelcontextprotocol/x': 1 } },
    },
  ]) {
    const answer = await ask(post(message, headers))
    expect([answer.status, await answer.json()]).toMatchObject([200, { id: 5, error }])
  }
  const other = await ask(post(callOf('scrape', {}, 6), headers))
  expect(await other.json()).toMatchObject({
    id: 6,
    error: { code: -32_602, message: 'Unknown tool: scrape' },
  })
  // Wrong arguments of a known tool are an error that the agent can correct.
  const wrong = await ask(post(callOf('search', { tool: 'x' }), headers))
  expect(await wrong.json()).toMatchObject({ result: { isError: true } })
})

test('every answer of a separate endpoint has a request id, which the service gets as well', async () => {
  const world = createMcpWorld()
  const seen: (string | null)[] = []
  const handle = createMcpHandler({
    baseUrl: 'http://in.test',
    authorizationServers: ['https://auth.test'],
    fetch: (request) => {
      seen.push(request.headers.get('x-request-id'))
      return world.platform.fetch(request)
    },
  })
  const key = { 'x-api-key': await keyOf(world) }
  const url = 'https://mcp.test/.well-known/oauth-protected-resource/mcp'
  const answers = [
    await handle(post(search, key)),
    await handle(post(list, { ...key, ...stream })),
    await handle(post(list)),
    await handle(post('{', key)),
    await handle(post(list, { ...key, origin: 'https://evil.test' })),
    await handle(new Request('https://mcp.test/mcp')),
    await handle(new Request(url)),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 401, 400, 403, 405, 200])
  const ids = answers.map(({ headers }) => headers.get('x-request-id'))
  for (const id of ids) expect(id).toMatch(/^req_\w{26}$/)
  expect(new Set(ids).size).toBe(ids.length)
  // A faulty item is counted at the service.
  expect(seen).toEqual([ids[0], ids[1], ids[3]])
})

test.each([
  ['initialize', {}],
  ['initialize', { protocolVersion: 5, capabilities: {}, clientInfo: { name: 'x', version: '1' } }],
  ['initialize', undefined],
  ['tools/list', { cursor: 5 }],
  ['tools/call', { name: 5 }],
  ['tools/call', { name: 'search', arguments: null }],
  ['ping', { _meta: 5 }],
])('%s with %j is refused as invalid params, with a readable message', async (method, params) => {
  const world = createMcpWorld()
  const response = await world.platform.fetch(
    post({ jsonrpc: '2.0', id: 7, method, params }, { 'x-api-key': await keyOf(world) }),
  )
  const { id, error }: { id: unknown; error: { code: number; message: string } } =
    await response.json()
  expect(response.status === 400 ? error.code : [id, error.code]).toEqual(
    response.status === 400 ? -32_600 : [7, -32_602],
  )
  expect(error.message).toMatch(/^Invalid (?:params: [a-z/]+ |request: )[^{[]+$/)
})
