import { describe, expect, test } from 'vitest'
import { responseOf } from '../../src/kernel/http/message.ts'
import { createEndpoint } from '../../src/mcp/endpoint.ts'
import type { ToolService } from '../../src/mcp/tool-service.ts'
import { createWorld } from '../support/worlds/world.ts'
import type { World } from '../support/worlds/world.ts'
import { PAGES, createMcpWorld, keyOf, post } from './mcp-world.ts'

const VERSION = '2026-07-28'

/** A request of the era without a handshake, with the headers that it needs. */
function modern(
  method: string,
  params: object = {},
  {
    headers = {},
    capabilities = {},
    version = VERSION,
    meta = {},
  }: {
    readonly headers?: Record<string, string>
    readonly capabilities?: object
    readonly version?: string
    readonly meta?: object
  } = {},
): Request {
  const name = new Map(Object.entries(params)).get('name')
  return post(
    {
      jsonrpc: '2.0',
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          ...meta,
          'io.modelcontextprotocol/protocolVersion': version,
          'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': capabilities,
        },
      },
    },
    {
      'mcp-protocol-version': version,
      'mcp-method': method,
      ...(name !== undefined && { 'mcp-name': name }),
      ...headers,
    },
  )
}

async function askOf(world: World, scopes?: readonly string[]) {
  const key = await keyOf(world, scopes)
  return async (request: Request) => {
    request.headers.set('x-api-key', key)
    const response = await world.clock.runUntil(world.platform.fetch(request))
    return { status: response.status, headers: response.headers, body: await response.json() }
  }
}
const url = 'https://pens.example.com/ink'

describe('protocol 2026-07-28', () => {
  test('is discovered without a handshake', async () => {
    const ask = await askOf(createMcpWorld())
    const { status, body } = await ask(modern('server/discover'))
    expect([status, body.result]).toMatchObject([
      200,
      {
        resultType: 'complete',
        supportedVersions: [VERSION],
        capabilities: { tools: {} },
        instructions: expect.stringContaining('untrusted'),
        ttlMs: 300_000,
        cacheScope: 'private',
        _meta: {
          'io.modelcontextprotocol/serverInfo': {
            name: 'seine',
            icons: [{ src: expect.stringMatching(/^data:image\/svg\+xml,[^\s<>"]+$/) }],
          },
        },
      },
    ])
  })

  test('lists and calls the same tools, with the rate headers of the service', async () => {
    const world = createMcpWorld()
    const ask = await askOf(world)
    const { body: list } = await ask(modern('tools/list'))
    expect(list.result).toMatchObject({ resultType: 'complete', ttlMs: 300_000 })
    expect(list.result.tools.map(({ name }: { name: string }) => name)).toEqual([
      'search',
      'fetch',
      'crawl',
      'search_templates',
      'run_template',
      'get_run',
    ])
    const called = await ask(modern('tools/call', { name: 'fetch', arguments: { url } }))
    expect([called.status, called.body.result]).toMatchObject([
      200,
      {
        resultType: 'complete',
        structuredContent: { title: 'Ink' },
        content: [
          {
            type: 'text',
            text: expect.stringMatching(
              /instructions\.\n\nhttps:\/\/pens\.example\.com\/ink\n\nInk\n\n# Ink/,
            ),
          },
        ],
      },
    ])
    expect(called.headers.get('x-request-id')).toMatch(/^req_/)
  })

  test.each([
    ['mcp-method', 'tools/list', -32_020],
    ['mcp-name', 'search', -32_020],
    ['mcp-protocol-version', '2025-06-18', -32_020],
  ])('a header %s that differs from the body is refused', async (header, value, code) => {
    const ask = await askOf(createMcpWorld())
    const call = modern(
      'tools/call',
      { name: 'fetch', arguments: { url } },
      { headers: { [header]: value } },
    )
    const { status, body } = await ask(call)
    expect([status, body.error.code]).toEqual([400, code])
  })

  test('messages of the other era, or of no era, are refused with a readable message', async () => {
    const ask = await askOf(createMcpWorld())
    const later = await ask(modern('tools/list', {}, { version: '2099-01-01' }))
    expect([later.status, later.body.error.code, later.body.error.data.supported]).toEqual([
      400,
      -32_022,
      [VERSION],
    ])
    const bare = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
    const without = await ask(post(bare, { 'mcp-protocol-version': VERSION }))
    expect([without.status, without.body.error.code]).toEqual([400, -32_602])
    const answer = await ask(modern('ping'))
    expect([answer.status, answer.body.error.code]).toEqual([404, -32_601])
    const mixed = await ask(post(bare, { 'mcp-protocol-version': '2025-11-25' }))
    expect([mixed.status, mixed.body.result.tools.length, mixed.body.result.ttlMs]).toEqual([
      200,
      6,
      undefined,
    ])
  })

  test('a caller is checked like in the other era', async () => {
    const world = createMcpWorld()
    const bad = modern('server/discover', {}, { headers: { authorization: 'Bearer no' } })
    const refused = await world.platform.fetch(bad)
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringContaining('Bearer'),
    ])
    expect((await world.platform.fetch(modern('server/discover'))).status).toBe(401)
    const ask = await askOf(world, ['mcp:search'])
    const call = await ask(modern('tools/call', { name: 'fetch', arguments: { url } }))
    expect([call.status, call.headers.get('www-authenticate')]).toEqual([
      403,
      expect.stringContaining('insufficient_scope'),
    ])
  })

  test('a stranger is refused, however wrong the request is', async () => {
    const world = createWorld(PAGES, { mount: { mcp: { confirmAbove: 0 } } })
    const ask = await askOf(world)
    const call = { name: 'crawl', arguments: { url, maxPages: 5 } }
    const requests = [
      [404, () => modern('tools/burn')],
      [400, () => modern('tools/call', call, { headers: { 'mcp-name': 'fetch' } })],
      [200, () => modern('tools/call', call, { capabilities: { elicitation: { form: {} } } })],
      [400, () => modern('tasks/get', { taskId: 'x' }, { headers: { 'mcp-name': 'x' } })],
    ] as const
    for (const [own, request] of requests) {
      const stranger = request()
      stranger.headers.set('x-api-key', 'svc_sk_unknown')
      const { status } = await world.platform.fetch(stranger)
      expect([(await ask(request())).status, status]).toEqual([own, 401])
    }
  })

  test('progress and a picture pass as the tool gives them', async () => {
    const picture = { type: 'image' as const, data: 'iVBORw0KGgo=', mimeType: 'image/png' }
    const service: ToolService = {
      list: async () => ({ refusal: null, tools: [] }),
      async call({ notify, progressToken }) {
        for (const progress of [0, 50, 100])
          if (progressToken !== null)
            notify({
              method: 'notifications/progress',
              params: { progressToken, progress, total: 100, message: `${progress} of 100` },
            })
        return { refusal: null, result: { content: [picture] } }
      },
    }
    const endpoint = createEndpoint({})
    const streamed = async (progressToken: string | null) => {
      const meta = progressToken === null ? {} : { progressToken }
      const request = modern(
        'tools/call',
        { name: 'draw', arguments: {} },
        { headers: { 'x-api-key': 'key' }, meta },
      )
      const answer = responseOf(
        await endpoint.reply(
          request,
          () => service,
          () => '',
        ),
      )
      const text = await answer.text()
      return text.startsWith('{')
        ? [JSON.parse(text)]
        : text
            .split('\n')
            .flatMap((line) => (/^data: ?\{/.test(line) ? [JSON.parse(line.slice(5))] : []))
    }
    const messages = await streamed('p1')
    expect(messages.slice(0, -1).map(({ method, params }) => [method, params])).toEqual(
      [0, 50, 100].map((progress) => [
        'notifications/progress',
        { progressToken: 'p1', progress, total: 100, message: `${progress} of 100` },
      ]),
    )
    expect(messages.at(-1)).toMatchObject({ id: 1, result: { content: [picture] } })
    expect(await streamed(null)).toHaveLength(1)
  })

  test('a schedule is confirmed by what each of its runs may fetch', async () => {
    const mount = { mcp: { confirmAbove: 3, tools: 'extended' } } as const
    const world = createWorld(PAGES, { mount })
    const ask = await askOf(world, ['*'])
    const capabilities = { elicitation: { form: {} } }
    const asks = async (name: string, args: object) => {
      const reply = await ask(modern('tools/call', { name, arguments: args }, { capabilities }))
      return reply.body.result.inputRequests?.confirm.params.message ?? null
    }
    const extract = { fields: { title: 'h1' } }
    const page = { start: { urls: [url] }, extract }
    const site = { ...page, crawl: { scope: 'host' } }
    const list = { start: { urls: ['https://pens.example.com/{1..9}'] }, extract }
    expect(await asks('watch', { name: 'a', recipe: page, key: ['title'] })).toBe(null)
    expect(await asks('watch', { name: 'b', recipe: site, key: ['title'] })).toMatch(
      'as many credits as the recipe allows each time by the schedule @daily; a page costs at most 1',
    )
    const bounded = { ...site, budget: { pages: 40 } }
    expect(await asks('watch', { name: 'c', recipe: bounded, key: ['title'] })).toMatch(
      'up to 40 credits for up to 40 pages',
    )
    const cheap = { ...site, budget: { credits: 7 } }
    expect(await asks('watch', { name: 'g', recipe: cheap, key: ['title'] })).toMatch(
      'may cost up to 7 credits each time',
    )
    const few = { ...site, budget: { credits: 3 } }
    expect(await asks('watch', { name: 'h', recipe: few, key: ['title'] })).toBe(null)
    const read = {
      start: { urls: [url, `${url}ink`] },
      extract: { fields: { a: { model: 'Ink' } } },
    }
    expect(await asks('save_task', { name: 'i', recipe: read, cron: '@hourly' })).toMatch(
      'up to 4 credits for up to 2 pages each time by the schedule @hourly; a page costs at most 2',
    )
    expect(await asks('save_task', { name: 'd', recipe: list, cron: '@hourly' })).toMatch('@hourly')
    expect(await asks('save_task', { name: 'e', recipe: list })).toBe(null)
    const near = { ...page, crawl: { scope: 'page', maxDepth: 2 } }
    expect(await asks('save_task', { name: 'f', recipe: near, cron: '@hourly' })).toBe(null)
  })

  test('a call without maxPages is confirmed by what it may fetch', async () => {
    const world = createWorld(PAGES, { mount: { mcp: { confirmAbove: 19 } } })
    const ask = await askOf(world)
    const capabilities = { elicitation: { form: {} } }
    const asks = async (name: string, args: object) => {
      const reply = await ask(modern('tools/call', { name, arguments: args }, { capabilities }))
      return reply.body.result.inputRequests?.confirm.params.message ?? null
    }
    const site = { url: 'https://pens.example.com/' }
    expect(await asks('crawl', { ...site, waitSeconds: 0 })).toMatch(
      '20 credits for up to 20 pages',
    )
    const run = { templateId: 'none', params: {} }
    expect(await asks('run_template', run)).toMatch('as many credits as the template allows')
    expect(await asks('run_template', { ...run, validateOnly: true })).toBe(null)
    expect(await asks('fetch', site)).toBe(null)
  })

  test('the question and the bound are in credits, by the prices of the platform', async () => {
    const asks = async (billing: { prices: object }, confirmAbove: number) => {
      const world = createWorld(PAGES, { billing, mount: { mcp: { confirmAbove } } })
      const ask = await askOf(world)
      const crawl = { url: 'https://pens.example.com/', maxPages: 4, waitSeconds: 0 }
      const { body } = await ask(
        modern(
          'tools/call',
          { name: 'crawl', arguments: crawl },
          { capabilities: { elicitation: { form: {} } } },
        ),
      )
      return body.result.inputRequests?.confirm.params.message ?? null
    }
    const prices = { fetched: 2, rendered: 25 }
    expect(await asks({ prices }, 99)).toBe(
      'This may cost up to 100 credits for up to 4 pages; a page costs at most 25. ' +
        'You are asked above 99 credits. Go on?',
    )
    expect(await asks({ prices }, 100)).toBe(null)
    expect(await asks({ prices: { fetched: 0 } }, 0)).toBe(null)
  })

  test('a tool that costs nothing asks nothing, whatever a page costs', async () => {
    const mount = { mcp: { confirmAbove: 5, tools: 'extended' } } as const
    const world = createWorld(PAGES, { billing: { prices: { rendered: 10 } }, mount })
    const ask = await askOf(world, ['*'])
    const asks = async (name: string, args: object) => {
      const capabilities = { elicitation: { form: {} } }
      const reply = await ask(modern('tools/call', { name, arguments: args }, { capabilities }))
      return reply.body.result.inputRequests?.confirm.params.message ?? null
    }
    expect(await asks('fetch', { url })).toMatch('up to 10 credits for up to 1 page')
    for (const [name, args] of [
      ['search', { query: 'pens' }],
      ['get_run', { runId: 'none' }],
      ['search_templates', { query: 'shop' }],
      ['extract', { url, fields: { title: 'h1' } }],
      ['map', { url, maxPages: 5 }],
    ] as const)
      expect([name, await asks(name, args)]).toEqual([name, null])
  })

  test('a call that the user declines can be made in another way that the tool allows', async () => {
    const mount = { mcp: { confirmAbove: 0, tools: 'extended' } } as const
    const ask = await askOf(createWorld(PAGES, { mount }), ['*'])
    const declined = async (name: string, args: object) => {
      const params = { name, arguments: args, inputResponses: { confirm: { action: 'decline' } } }
      const capabilities = { elicitation: { form: {} } }
      const reply = await ask(modern('tools/call', params, { capabilities }))
      return reply.body.result.content[0].text
    }
    const why = 'The user declined to spend so many credits. '
    expect(await declined('fetch', { id: url })).toBe(
      `${why}One page has this price: do without it.`,
    )
    expect(await declined('crawl', { url })).toBe(`${why}Call again with a smaller maxPages.`)
    expect(await declined('watch', { name: 'Pens', recipe: { start: { urls: [url] } } })).toBe(
      `${why}Lower the recipe's budget.credits or budget.pages, or leave this out.`,
    )
  })

  test('the user must confirm many pages, if the host says so and the client can ask', async () => {
    const world = createWorld(PAGES, { mount: { mcp: { confirmAbove: 50 } } })
    const ask = await askOf(world)
    const params = {
      name: 'crawl',
      arguments: { url: 'https://pens.example.com/', maxPages: 51, waitSeconds: 0 },
    }
    const capabilities = { elicitation: { form: {} } }
    const runs = async () =>
      (await world.platform.api.executions.list({ account: 'acme', user: 'ann', scopes: ['*'] }))
        .items.length
    const reply = await ask(modern('tools/call', params, { capabilities }))
    expect(reply.body.result).toMatchObject({
      resultType: 'input_required',
      inputRequests: { confirm: { method: 'elicitation/create' } },
    })
    const answered = (answer: object) =>
      ask(
        modern('tools/call', { ...params, inputResponses: { confirm: answer } }, { capabilities }),
      )
    const declined = await answered({ action: 'decline' })
    expect([declined.body.result.isError, await runs()]).toEqual([true, 0])
    const confirmed = await answered({ action: 'accept', content: { confirm: true } })
    expect([confirmed.body.result.structuredContent.status, await runs()]).toEqual(['queued', 1])
    // A client that cannot ask decides by itself, and a small call needs no confirmation.
    await ask(modern('tools/call', params))
    const small = { ...params, arguments: { ...params.arguments, maxPages: 50 } }
    await ask(modern('tools/call', small, { capabilities }))
    expect(await runs()).toBe(3)
  })
})
