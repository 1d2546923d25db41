import fc from 'fast-check'
import {
  CallToolRequestSchema,
  JSONRPCRequestSchema,
  ListToolsRequestSchema,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, test } from 'vitest'
import { createMcpHandler } from '../../src/mcp/handler.ts'
import { PROTOCOL_VERSIONS, toolRequestOf } from '../../src/mcp/read-message.ts'
import { createPlatform } from '../../src/platform/platform.ts'
import type { PlatformOptions } from '../../src/platform/options.ts'
import { callOf, createMcpWorld, keyOf, modernCallOf, post } from './mcp-world.ts'

const silent = { debug() {}, info() {}, warn() {}, error() {} }
const PAGE = 'https://app.example.com'

test('messages that the endpoint answers without the SDK are valid for the SDK', () => {
  const id = fc.constantFrom<unknown>(1, 'a', '', 0, -1, 1.5, null, undefined, {}, true, 2 ** 60)
  const meta = fc.constantFrom<unknown>(
    undefined,
    {},
    { progressToken: 1 },
    { progressToken: 'p' },
    { progressToken: 1.5 },
    { progressToken: null },
    { other: 1 },
    { 'io.modelcontextprotocol/related-task': { taskId: 't' } },
    { 'io.modelcontextprotocol/related-task': 1 },
    [],
    'x',
  )
  const params = fc.oneof(
    fc.constantFrom<unknown>(undefined, null, [], 'x', 1),
    fc.record(
      {
        _meta: meta,
        name: fc.constantFrom<unknown>('search', 1, null, undefined),
        arguments: fc.constantFrom<unknown>({}, { query: 'x' }, [], 'x', null, undefined),
        cursor: fc.constantFrom<unknown>(undefined, 'c', 1),
        task: fc.constantFrom<unknown>(undefined, {}, 1),
      },
      { requiredKeys: [] },
    ),
  )
  const message = fc.record(
    {
      jsonrpc: fc.constantFrom<unknown>('2.0', '1.0', undefined),
      id,
      method: fc.constantFrom<unknown>('tools/call', 'tools/list', 'ping', 1),
      params,
      more: fc.constant(1),
    },
    { requiredKeys: ['jsonrpc', 'id', 'method'] },
  )
  let requests = 0
  fc.assert(
    fc.property(message, (sent) => {
      const value: unknown = JSON.parse(JSON.stringify(sent))
      const request = toolRequestOf(value)
      if (!request) return
      requests++
      expect(JSONRPCRequestSchema.safeParse(value).error).toBeUndefined()
      const read = request.call
        ? CallToolRequestSchema.safeParse(value)
        : ListToolsRequestSchema.safeParse(value)
      expect(read.error).toBeUndefined()
      if (!request.call || read.data?.method !== 'tools/call') return
      const { name, arguments: args, _meta: own } = read.data.params
      expect({ name, args, progressToken: own?.progressToken ?? null }).toEqual(request.call)
    }),
    { numRuns: 20_000 },
  )
  expect(requests).toBeGreaterThan(20)
})

test('the protocol versions equal those of the SDK', () => {
  expect(PROTOCOL_VERSIONS).toEqual(SUPPORTED_PROTOCOL_VERSIONS)
})

describe('messages', () => {
  const ask = async (message: unknown, headers: Record<string, string> = {}) => {
    const world = createMcpWorld()
    return world.platform.fetch(post(message, { 'x-api-key': await keyOf(world), ...headers }))
  }
  test.each([
    [
      'an unknown method',
      { jsonrpc: '2.0', id: 1, method: 'tools/burn' },
      200,
      { id: 1, error: { code: -32_601 } },
    ],
    [
      'a call without a name',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: {} },
      200,
      { id: 1, error: { code: -32_602 } },
    ],
    [
      'a call as a task, which is answered as if it were none: no tasks are offered',
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'search', arguments: { query: 'x' }, task: { ttl: 60_000 } },
      },
      200,
      { id: 1, result: { structuredContent: { results: [] } } },
    ],
    [
      'another message as a task, which is answered as if it were none too',
      { jsonrpc: '2.0', id: 1, method: 'ping', params: { task: { ttl: 60_000 } } },
      200,
      { id: 1, result: {} },
    ],
    [
      'a list of messages of the era that has no lists',
      [modernCallOf('search', { query: 'x' })],
      400,
      { error: { code: -32_600, message: expect.stringContaining('2026-07-28 has no lists') } },
    ],
    [
      'a list with the same id twice',
      [callOf('search', { query: 'x' }), callOf('search', { query: 'y' })],
      400,
      { error: { code: -32_600 } },
    ],
    ['an empty list', [], 400, { error: { code: -32_600 } }],
    [
      'a list of too many',
      Array.from({ length: 6 }, (_, id) => callOf('search', { query: 'x' }, id)),
      400,
      {
        error: {
          code: -32_600,
          message:
            'Invalid request: a batch holds 1 to 5 messages, and this one has 6: ' +
            'send each message in its own request',
        },
      },
    ],
    [
      'a list of too many bytes',
      [callOf('search', { query: 'x'.repeat(16_384) }), callOf('search', { query: 'y' }, 2)],
      400,
      {
        error: {
          code: -32_600,
          message: expect.stringMatching(
            /a batch has at most 16384 bytes, and this one has 16\d{3}: send each/,
          ),
        },
      },
    ],
    [
      'a list of one large message',
      [callOf('search', { query: 'x'.repeat(16_384) })],
      200,
      [{ id: 1 }],
    ],
    [
      'initialize among others',
      [
        {
          jsonrpc: '2.0',
          id: 1,
          method: 'initialize',
          params: {
            protocolVersion: '2025-03-26',
            capabilities: {},
            clientInfo: { name: 'x', version: '1' },
          },
        },
        { jsonrpc: '2.0', id: 2, method: 'ping' },
      ],
      400,
      { error: { code: -32_600 } },
    ],
    ['no message', { jsonrpc: '2.0' }, 400, { error: { code: -32_600 } }],
    [
      'a list of tools by hand',
      { jsonrpc: '2.0', id: 'x', method: 'tools/list' },
      200,
      { id: 'x', result: { tools: expect.any(Array) } },
    ],
  ])('%s', async (_, message, status, body) => {
    const response = await ask(message)
    expect([response.status, await response.json()]).toMatchObject([status, body])
  })

  test('notifications and answers are accepted with an empty body', async () => {
    for (const message of [
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 1, result: {} },
    ]) {
      const response = await ask(message)
      expect([response.status, await response.text()]).toEqual([202, ''])
    }
  })

  test.each([
    ['a response to a request that was never sent', { jsonrpc: '2.0', id: 1, result: {} }],
    ['an error response', { jsonrpc: '2.0', id: 'x', error: { code: -32_603, message: 'Failed' } }],
    [
      'progress of an unknown call',
      {
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: 9, progress: 1 },
      },
    ],
    ['an unknown notification', { jsonrpc: '2.0', method: 'notifications/whatever' }],
    [
      'several of them',
      [
        { jsonrpc: '2.0', id: 1, result: {} },
        { jsonrpc: '2.0', method: 'notifications/roots/list_changed' },
      ],
    ],
  ])('%s is accepted, and is not an internal error', async (_, message) => {
    const failures: unknown[] = []
    const fail = (...args: unknown[]): void => void failures.push(args)
    const platform = createPlatform({ logger: { ...silent, error: fail } })
    const owner = { account: 'a', user: 'a', scopes: ['*'] }
    const { secret } = await platform.api.keys.create(owner, { name: 'agent', scopes: ['mcp:*'] })
    const response = await platform.fetch(post(message, { 'x-api-key': secret }))
    await platform.close()
    expect([response.status, await response.text(), failures]).toEqual([202, '', []])
  })

  test.each([
    ['mcp-protocol-version', '2099-01-01', 400],
    ['mcp-protocol-version', '2025-06-18', 200],
    ['content-type', 'text/plain', 415],
    ['accept', 'text/html', 406],
    ['accept', '*/*', 200],
  ])('%s: %s is %i', async (name, value, status) => {
    expect((await ask(callOf('search', { query: 'x' }), { [name]: value })).status).toBe(status)
  })
})

describe('pages of other origins', () => {
  const preflight = {
    method: 'OPTIONS',
    headers: {
      origin: PAGE,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,mcp-protocol-version',
    },
  }
  const withMcp = async (mcp: PlatformOptions['mcp'], request: Request) => {
    const platform = createPlatform({ logger: silent, ...(mcp !== undefined && { mcp }) })
    const response = await platform.fetch(request)
    await response.text()
    await platform.close()
    return response
  }

  test('may call the endpoint and read the answer if their origin is listed', async () => {
    const allowed = await withMcp(
      { origins: [PAGE] },
      new Request('http://mcp.example/mcp', preflight),
    )
    expect([
      allowed.status,
      allowed.headers.get('access-control-allow-origin'),
      allowed.headers.get('access-control-allow-methods'),
    ]).toEqual([204, PAGE, 'POST'])
    expect(allowed.headers.get('access-control-allow-headers')?.toLowerCase()).toMatch(
      /authorization.*content-type.*mcp-protocol-version/,
    )
    const response = await withMcp(
      { origins: [PAGE] },
      post(callOf('search', {}), { origin: PAGE }, 'http://mcp.example/mcp'),
    )
    expect([
      response.status,
      response.headers.get('access-control-allow-origin'),
      response.headers.get('access-control-expose-headers'),
    ]).toEqual([401, PAGE, expect.stringContaining('WWW-Authenticate')])
  })

  test('are refused and can read nothing if their origin is not listed', async () => {
    const refused = await withMcp({}, new Request('http://mcp.example/mcp', preflight))
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([
      403,
      null,
    ])
  })
})

describe('resource metadata (RFC 9728)', () => {
  const AUTH = { authorizationServers: ['https://auth.example.com'] }
  const ask = async (options: PlatformOptions, path: string) => {
    const platform = createPlatform({ logger: silent, ...options })
    const response = await platform.fetch(
      new Request(`https://api.example.com${path}`, {
        method: path.endsWith('/mcp') && !path.includes('well-known') ? 'POST' : 'GET',
      }),
    )
    const text = await response.text()
    await platform.close()
    return { status: response.status, challenge: response.headers.get('www-authenticate'), text }
  }

  test.each([
    [{}, '/.well-known/oauth-protected-resource', 'https://api.example.com/mcp'],
    [{}, '/.well-known/oauth-protected-resource/mcp', 'https://api.example.com/mcp'],
    [
      { basePath: '/data' },
      '/.well-known/oauth-protected-resource/data/mcp',
      'https://api.example.com/data/mcp',
    ],
  ])('%j %s names the authorization server', async (options, path, resource) => {
    const { status, text } = await ask({ ...options, mcp: AUTH }, path)
    expect([status, JSON.parse(text)]).toMatchObject([
      200,
      {
        resource,
        authorization_servers: ['https://auth.example.com'],
        bearer_methods_supported: ['header'],
      },
    ])
  })

  test('is named in the challenge', async () => {
    expect((await ask({ mcp: AUTH }, '/mcp')).challenge).toBe(
      'Bearer resource_metadata="https://api.example.com/.well-known/oauth-protected-resource/mcp"',
    )
    expect(
      (await ask({ mcp: { ...AUTH, resource: 'https://mcp.example.com/mcp' } }, '/mcp')).challenge,
    ).toContain('https://mcp.example.com/.well-known/oauth-protected-resource/mcp')
  })

  test('is the same at a separate endpoint', async () => {
    const handle = createMcpHandler({
      ...AUTH,
      baseUrl: 'https://api.example.com',
      fetch: async () => Promise.reject(new Error('nobody is asked')),
    })
    const response = await handle(
      new Request('https://mcp.example.com/.well-known/oauth-protected-resource/mcp'),
    )
    expect(await response.json()).toMatchObject({
      resource: 'https://mcp.example.com/mcp',
      authorization_servers: AUTH.authorizationServers,
    })
  })

  test('is named in the challenge together with a missing scope', async () => {
    const platform = createPlatform({ logger: silent, mcp: AUTH })
    const { secret } = await platform.api.keys.create(
      { account: 'acme', user: 'ann', scopes: ['*'] },
      { name: 'k', scopes: ['mcp:search'] },
    )
    const response = await platform.fetch(
      post(
        callOf('fetch', { id: 'https://pens.example.com/' }),
        { 'x-api-key': secret },
        'https://api.example.com/mcp',
      ),
    )
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([
      403,
      'Bearer error="insufficient_scope", scope="mcp:fetch", ' +
        'resource_metadata="https://api.example.com/.well-known/oauth-protected-resource/mcp"',
    ])
    await platform.close()
  })

  test('is absent without an authorization server', async () => {
    expect((await ask({}, '/.well-known/oauth-protected-resource')).status).toBe(404)
    expect((await ask({}, '/.well-known/oauth-protected-resource/mcp')).status).toBe(404)
    expect((await ask({}, '/mcp')).challenge).toBe('Bearer')
  })
})

test('a separate endpoint has only its own paths', async () => {
  const world = createMcpWorld()
  const headers = { 'x-api-key': await keyOf(world) }
  const { mcp } = world.platform.handlers
  expect((await mcp(post(callOf('search', { query: 'x' }), headers))).status).toBe(200)
  expect((await mcp(new Request('http://localhost/api/v1/tasks', { headers }))).status).toBe(404)
  expect(
    (await world.platform.handlers.tasks(post(callOf('search', { query: 'x' }), headers))).status,
  ).toBe(404)
})

test('no text of an error of a store, a host or a stream is sent to the client', async () => {
  for (const [fail, message] of [
    ['list', callOf('search', { query: 'x' })],
    ['get', callOf('get_run', { runId: 'exec_1' })],
    ['get', { jsonrpc: '2.0', id: 1, method: 'ping' }],
  ] as const) {
    const world = createMcpWorld()
    const key = await keyOf(world)
    world.store[fail] = async () => Promise.reject(new Error('secret-7731'))
    const response = await world.platform.fetch(post(message, { 'x-api-key': key }))
    expect(JSON.stringify([await response.text(), ...response.headers])).not.toContain('7731')
  }
})

test('the calls of a list begin one by one, each in a turn of the event loop of its own', async () => {
  const order: string[] = []
  const service = async (request: Request): Promise<Response> => {
    const { tool } = await request.json()
    order.push(`${tool} begins`)
    // The synchronous part of a call is done before the next call.
    for (let step = 0; step < 100; step++) await Promise.resolve()
    order.push(`${tool} ends`)
    return Response.json({ success: true, data: { result: {} } })
  }
  const handler = createMcpHandler({ baseUrl: 'https://api.example', fetch: service })
  const response = await handler(
    post([callOf('search', {}, 1), callOf('fetch', {}, 2)], { 'x-api-key': 'k' }),
  )
  await response.text()
  expect(order).toEqual(['search begins', 'search ends', 'fetch begins', 'fetch ends'])
})
