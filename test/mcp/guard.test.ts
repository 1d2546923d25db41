import { describe, expect, test } from 'vitest'
import { createMcpHandler } from '../../src/mcp/handler.ts'
import { createPlatform } from '../../src/platform/platform.ts'
import type { PlatformOptions } from '../../src/platform/options.ts'
import { OWNER } from '../support/worlds/world.ts'
import { callOf, connect, createMcpWorld, keyOf, post } from './mcp-world.ts'

const silent = { debug() {}, info() {}, warn() {}, error() {} }
const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

/** The status of a request without a credential: 401 where its Host and Origin were admitted. */
async function knock(
  url: string,
  headers: Record<string, string>,
  mcp: PlatformOptions['mcp'] = {},
) {
  const platform = createPlatform({ logger: silent, mcp })
  const response = await platform.fetch(post(list, headers, url))
  const text = await response.text()
  await platform.close()
  return { status: response.status, text }
}

describe('Host and Origin are checked before the credential', () => {
  test('Host: evil.example on /mcp, Origin: https://evil.example', async () => {
    const { status, text } = await knock('http://api.example/mcp', {
      host: 'evil.example',
      origin: 'https://evil.example',
    })
    expect([status, JSON.parse(text)]).toMatchObject([
      403,
      {
        jsonrpc: '2.0',
        id: null,
        error: { code: -32_000, message: 'This endpoint does not serve the Host of this request' },
      },
    ])
    // A server that makes the URL of a request from Host sees the same name in both.
    expect(
      (
        await knock('http://evil.example/mcp', {
          host: 'evil.example',
          origin: 'http://evil.example',
        })
      ).status,
    ).toBe(403)
  })

  test.each([
    ['http://api.example/mcp', {}, {}, 401],
    ['http://api.example/mcp', { host: 'api.example' }, {}, 401],
    ['http://localhost:8080/mcp', { origin: 'http://localhost:8080' }, {}, 401],
    ['http://127.0.0.1/mcp', { origin: 'http://127.0.0.1' }, {}, 401],
    ['http://localhost:8080/mcp', { origin: 'http://localhost:9090' }, {}, 403],
    ['http://localhost/mcp', { origin: 'null' }, {}, 403],
    ['http://localhost/mcp', { host: 'localhost.evil.example' }, {}, 403],
    ['http://api.example/mcp', { origin: 'http://api.example' }, {}, 403],
    ['http://api.example/mcp', { origin: 'http://api.example' }, { hosts: ['api.example'] }, 401],
    [
      'http://api.example/mcp',
      { origin: 'https://app.example' },
      { origins: ['https://app.example'] },
      401,
    ],
    [
      'http://api.example/mcp',
      { origin: 'https://app.example.evil.example' },
      { origins: ['https://app.example'] },
      403,
    ],
    ['http://other.example/mcp', {}, { hosts: ['api.example'] }, 403],
  ])('a request to %s with %j and %j is answered %i', async (url, headers, mcp, status) => {
    expect((await knock(url, headers, mcp)).status).toBe(status)
  })

  test('a slash after the path makes no difference', async () => {
    expect((await knock('http://localhost/mcp/', {})).status).toBe(401)
    expect((await knock('http://localhost/mcp//', {})).status).toBe(404)
  })

  test('without the endpoint its path is 404', async () => {
    expect((await knock('http://localhost/mcp', {}, false)).status).toBe(404)
  })
})

describe('over HTTP', () => {
  test.each(['GET', 'HEAD', 'DELETE', 'PUT'])(
    '%s neither begins a stream nor ends a session',
    async (method) => {
      const { platform } = createMcpWorld()
      const response = await platform.fetch(new Request('http://localhost/mcp', { method }))
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
    },
  )

  test('a body that is not a message is refused', async () => {
    const world = createMcpWorld()
    const headers = { 'x-api-key': await keyOf(world) }
    const status = async (request: Request) => (await world.platform.fetch(request)).status
    expect(await status(post('{', headers))).toBe(400)
    expect(await status(post('{}', headers))).toBe(400)
    expect(await status(post(`"${'x'.repeat(1_100_000)}"`, headers))).toBe(413)
    expect(await status(post(list, { ...headers, accept: 'text/html' }))).toBe(406)
    expect(await status(post(list, headers))).toBe(200)
  })

  test.each([
    [
      'initialize',
      { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    ],
    ['tools/list', {}],
    ['tools/call', { name: 'search', arguments: { query: 'x' } }],
    ['ping', {}],
  ])('%s needs a credential', async (method, params) => {
    const { platform } = createMcpWorld()
    for (const key of [null, 'svc_sk_unknown']) {
      const response = await platform.fetch(
        post({ jsonrpc: '2.0', id: 1, method, params }, key === null ? {} : { 'x-api-key': key }),
      )
      expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    }
  })
})

describe('scopes', () => {
  test.each([
    [['mcp:search'], ['search']],
    [['mcp:crawl'], ['crawl', 'get_run']],
    [
      ['mcp:templates', 'mcp:fetch'],
      ['fetch', 'search_templates', 'run_template', 'get_run'],
    ],
  ])('%j give the tools %j', async (scopes, names) => {
    const world = createMcpWorld()
    const client = await connect(world.platform.fetch, await keyOf(world, scopes))
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(names)
  })

  test.each([
    ['search', 'mcp:search'],
    ['fetch', 'mcp:fetch'],
    ['crawl', 'mcp:crawl'],
    ['search_templates', 'mcp:templates'],
    ['run_template', 'mcp:templates'],
    ['get_run', 'mcp:crawl'],
  ])('for %s are %s, in the message and in the challenge', async (name, scope) => {
    const world = createMcpWorld()
    const others = ['mcp:search', 'mcp:fetch', 'mcp:crawl', 'mcp:templates', 'tasks:*'].filter(
      (one) => one !== scope && !(name === 'get_run' && one === 'mcp:templates'),
    )
    const response = await world.platform.fetch(
      post(callOf(name, {}), { 'x-api-key': await keyOf(world, others) }),
    )
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([
      403,
      `Bearer error="insufficient_scope", scope="${scope}"`,
    ])
    expect(await response.text()).toContain(scope)
  })

  test('for a run are those of the tool that began it', async () => {
    const world = createMcpWorld()
    const run = await world.platform.api.executions.run(OWNER, {
      recipe: { start: { urls: ['https://pens.example.com/'] } },
    })
    const status = async (scope: string) =>
      (
        await world.platform.fetch(
          post(callOf('get_run', { runId: run.id }), { 'x-api-key': await keyOf(world, [scope]) }),
        )
      ).status
    expect([await status('mcp:crawl'), await status('mcp:templates')]).toEqual([200, 403])
  })
})

test('no text of an exception is sent to the client', async () => {
  const handle = createMcpHandler({
    baseUrl: 'http://localhost',
    fetch: async () => Promise.reject(new Error('secret-7731')),
  })
  for (const message of [
    callOf('search', { query: 'x' }),
    list,
    { jsonrpc: '2.0', id: 1, method: 'ping' },
  ]) {
    expect(await (await handle(post(message, { 'x-api-key': 'k' }))).text()).not.toContain('7731')
  }
  const world = createMcpWorld()
  const key = await keyOf(world)
  world.store.list = async () => Promise.reject(new Error('secret-7731'))
  const text = await (
    await world.platform.fetch(post(callOf('search', { query: 'x' }), { 'x-api-key': key }))
  ).text()
  expect(text).toContain('could not do this now')
  expect(text).not.toContain('7731')
})

test('each call of a batch counts for the rate', async () => {
  const platform = createPlatform({
    logger: silent,
    rateLimits: { mcp: { limit: 3, periodMs: 60_000, burst: 2 } },
  })
  const { secret } = await platform.api.keys.create(OWNER, { name: 'agent', scopes: ['mcp:*'] })
  const batch = [1, 2, 3, 4, 5].map((id) => callOf('search', { query: 'x' }, id))
  const answers: { id: number; result: { isError?: boolean } }[] = await (
    await platform.fetch(post(batch, { 'x-api-key': secret }))
  ).json()
  expect(answers.map(({ result }) => result.isError === true).toSorted()).toEqual([
    false,
    false,
    false,
    true,
    true,
  ])
  await platform.close()
})

test('callers at the same time never see each other', async () => {
  const canaries = ['acme', 'umbra']
  const world = createMcpWorld(
    Object.fromEntries(
      canaries.map((name) => [
        `https://${name}.example.com/`,
        `<title>Of ${name}</title><main><p>The canary of ${name} sings a song that is long enough to count.</p></main>`,
      ]),
    ),
  )
  const callers = await Promise.all(
    canaries.map(async (name) => ({
      name,
      key: await keyOf(world, ['mcp:*'], { account: name, user: name, scopes: ['*'] }),
    })),
  )
  const ask = async (name: string, key: string, tool: string, args: object) => ({
    name,
    text: await (await world.platform.fetch(post(callOf(tool, args), { 'x-api-key': key }))).text(),
  })
  await world.clock.runUntil(
    Promise.all(
      callers.map(({ name, key }) =>
        ask(name, key, 'fetch', { id: `https://${name}.example.com/` }),
      ),
    ),
  )
  const answers = await world.clock.runUntil(
    Promise.all(
      Array.from({ length: 15 }, () =>
        callers.map(({ name, key }) => ask(name, key, 'search', { query: 'canary' })),
      ).flat(),
    ),
  )
  for (const { name, text } of answers) {
    expect(text).toContain(`canary of ${name}`)
    for (const other of canaries) if (other !== name) expect(text).not.toContain(other)
  }
})
