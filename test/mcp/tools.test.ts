import { expect, test } from 'vitest'
import { OWNER, createWorld } from '../support/worlds/world.ts'
import type { World } from '../support/worlds/world.ts'
import { connect, createMcpWorld, keyOf } from './mcp-world.ts'

type Content = Record<string, unknown>

/** A caller of tools. Answers have data, and a text that does not repeat the data. */
async function agentOf(world: World, scopes?: readonly string[]) {
  const client = await connect(world.platform.fetch, await keyOf(world, scopes))
  const call = async (name: string, args: Content) =>
    world.clock.runUntil(client.callTool({ name, arguments: args }))
  const ok = async (name: string, args: Content): Promise<Content> => {
    const answer = await call(name, args)
    expect(answer.isError).not.toBe(true)
    const [{ text } = { text: '' }, ...others] = answer.content as { type: string; text: string }[]
    expect(others.filter(({ type }) => type !== 'resource_link')).toEqual([])
    expect(text === JSON.stringify(answer.structuredContent)).toBe(name === 'search')
    return answer.structuredContent as Content
  }
  const refused = async (name: string, args: Content): Promise<string> => {
    const answer = await call(name, args)
    expect(answer.isError).toBe(true)
    return (answer.content as { text: string }[])[0]?.text ?? ''
  }
  return { client, ok, refused }
}

test('there are six tools, each with a complete description for clients', async () => {
  const { client } = await agentOf(createMcpWorld())
  const { tools } = await client.listTools()
  // The dialect is that of the protocol. A model would read its name with each tool.
  expect(JSON.stringify(tools)).not.toContain('$schema')
  expect(tools.map(({ name }) => name)).toEqual([
    'search',
    'fetch',
    'crawl',
    'search_templates',
    'run_template',
    'get_run',
  ])
  for (const tool of tools) {
    expect(tool).toMatchObject({
      title: expect.any(String),
      description: expect.any(String),
      inputSchema: { type: 'object' },
      outputSchema: { type: 'object' },
      annotations: {
        destructiveHint: false,
        readOnlyHint: !['crawl', 'run_template'].includes(tool.name),
      },
    })
  }
  // Some connectors know only the names of these two tools.
  expect(tools.find(({ name }) => name === 'search')?.inputSchema).toMatchObject({
    properties: { query: { type: 'string' } },
    required: ['query'],
  })
  expect(
    Object.keys(tools.find(({ name }) => name === 'fetch')?.inputSchema.properties ?? {}),
  ).toEqual(['id', 'url'])
})

test('a page is fetched as Markdown, and found again', async () => {
  const { ok } = await agentOf(createMcpWorld())
  const page = await ok('fetch', { id: 'https://pens.example.com/' })
  expect(page).toMatchObject({
    title: 'Fountain pens',
    url: 'https://pens.example.com/',
    metadata: {
      language: 'en',
      fetchedAt: '2026-01-01T00:00:00.000Z',
      sha256: expect.stringMatching(/^[\da-f]{64}$/),
      part: 1,
      parts: 1,
    },
    notice: expect.stringContaining('untrusted'),
  })
  expect(page['text']).toContain('holds its ink in the barrel')
  // Connectors expect exactly these keys.
  expect(await ok('search', { query: 'fountain barrel' })).toEqual({
    results: [
      {
        id: page['id'],
        title: 'Fountain pens',
        url: 'https://pens.example.com/',
        text: expect.stringContaining('barrel'),
      },
    ],
  })
  expect(await ok('fetch', { id: page['id'] })).toEqual(page)
  expect((await ok('search', { query: 'submarine' }))['results']).toEqual([])
})

test.each([
  [null, 'pages that this account has fetched'],
  [{ name: 'Handbook', search: async () => [] }, 'Results come from Handbook.'],
])('the list of tools says where searches are made: %#', async (search, text) => {
  const world = createWorld({}, search ? { search } : {})
  const { items } = await world.platform.api.agentic.tools(OWNER)
  expect(items.find(({ name }) => name === 'search')?.description).toContain(text)
})

test('a long page comes in parts, which together are the whole page', async () => {
  const paragraphs = Array.from(
    { length: 900 },
    (_, index) => `Paragraph ${index} says something about the making of nibs, and no more.`,
  )
  const { ok } = await agentOf(
    createMcpWorld({
      'https://pens.example.com/long.txt': {
        headers: { 'content-type': 'text/plain' },
        body: paragraphs.join('\n\n'),
      },
    }),
  )
  let text = ''
  let parts = 0
  for (let id: unknown = 'https://pens.example.com/long.txt'; typeof id === 'string'; parts++) {
    const part = await ok('fetch', { id })
    expect(String(part['text']).length).toBeLessThanOrEqual(24_000)
    text += part['text']
    id = (part['metadata'] as Content)['nextId']
  }
  expect([parts, text]).toEqual([3, paragraphs.join('\n\n')])
})

test('a crawl goes on without a waiting client, and can be read later', async () => {
  const world = createMcpWorld()
  const { ok } = await agentOf(world)
  const run = await ok('crawl', { url: 'https://pens.example.com/', waitSeconds: 0 })
  expect(run).toMatchObject({
    status: 'queued',
    done: false,
    rows: [],
    next: expect.stringContaining(String(run['runId'])),
  })
  await world.work()
  const first = await ok('get_run', { runId: run['runId'], limit: 1 })
  expect(first).toMatchObject({
    status: 'succeeded',
    done: true,
    rowsFound: 2,
    columns: ['url', 'title', 'markdown'],
    rows: [{ title: 'Fountain pens', markdown: expect.stringContaining('barrel') }],
    exportUrl: `http://localhost/api/v1/executions/${run['runId']}/results/export?format=csv`,
  })
  expect(await ok('get_run', { runId: run['runId'], cursor: first['nextCursor'] })).toMatchObject({
    rows: [{ title: 'Ink' }],
    nextCursor: null,
  })
})

test('a crawl with a waiting client is answered when it ends', async () => {
  const world = createMcpWorld()
  const { client } = await agentOf(world)
  const began = world.clock.now()
  const answer = client.callTool({
    name: 'crawl',
    arguments: { url: 'https://pens.example.com/', waitSeconds: 50 },
  })
  const work = (async () => {
    while (
      (await world.platform.api.executions.list({ account: 'acme', user: 'ann', scopes: ['*'] }))
        .items.length === 0
    )
      await new Promise((resolve) => setImmediate(resolve))
    await world.platform.worker.tick()
  })()
  const [done] = await world.clock.runUntil(Promise.all([answer, work]))
  expect(done.structuredContent).toMatchObject({ status: 'succeeded', done: true, rowsFound: 2 })
  expect(world.clock.now() - began).toBeLessThan(50_000)
})

test('a crawl without a worker is answered when the time is over, and can be read later', async () => {
  const world = createMcpWorld()
  const { ok } = await agentOf(world)
  const began = world.clock.now()
  const run = await ok('crawl', { url: 'https://pens.example.com/', waitSeconds: 7 })
  expect([
    run['status'],
    world.clock.now() - began >= 7_000,
    world.clock.now() - began < 10_000,
  ]).toEqual(['queued', true, true])
  expect(await ok('get_run', { runId: run['runId'] })).toMatchObject({
    status: 'queued',
    done: false,
    next: expect.stringContaining('waitSeconds'),
  })
})

test('a template is found, checked and run', async () => {
  const world = createMcpWorld()
  const { ok, refused } = await agentOf(world)
  const { templates } = (await ok('search_templates', { query: 'article' })) as {
    templates: Content[]
  }
  expect(templates[0]).toMatchObject({ id: 'article', parameters: { type: 'object' } })
  expect(
    await ok('run_template', {
      id: 'article',
      params: { urls: ['https://pens.example.com/'] },
      validateOnly: true,
    }),
  ).toEqual({ valid: true, run: null })
  expect(await refused('run_template', { id: 'article', params: {}, validateOnly: true })).toMatch(
    /^BAD_REQUEST: .*urls.*Correct the arguments/s,
  )
  expect(
    await refused('run_template', {
      id: 'article',
      params: { urls: ['https://a.example/'], url: 1 },
    }),
  ).toMatch(/arguments\.params\.url: unknown field; did you mean urls\?/)
  const owner = { account: 'acme', user: 'ann', scopes: ['*'] } as const
  const { executions } = world.platform.api
  expect(await executions.list(owner)).toMatchObject({ items: [] })
  const { run } = (await ok('run_template', {
    id: 'article',
    params: { urls: ['https://pens.example.com/'] },
    waitSeconds: 0,
  })) as { run: Content }
  expect((await executions.list(owner)).items).toMatchObject([
    { templateId: 'article', params: { urls: ['https://pens.example.com/'] } },
  ])
  await world.work()
  expect(await ok('get_run', { runId: run['runId'] })).toMatchObject({
    status: 'succeeded',
    rowsFound: 1,
  })
})

test.each([
  [
    'fetch',
    { id: 'https://closed.example.com/a' },
    /^UNPROCESSABLE_CONTENT: .*robots.*use another page/s,
  ],
  ['fetch', { id: 'https://pens.example.com/none' }, /answered 404/],
  ['fetch', { id: 'ftp://pens.example.com/' }, /^BAD_REQUEST: .*arguments\.id/],
  ['fetch', { url: 'ftp://pens.example.com/' }, /^BAD_REQUEST: .*arguments\.url/],
  ['fetch', {}, /needs either url or id/],
  ['fetch', { id: 'https://a.example/', url: 'https://a.example/' }, /needs either url or id/],
  ['get_run', { runId: 'exec_1', cancel: true }, /arguments\.cancel: unknown field/],
  ['fetch', { id: 'page_unknown' }, /^NOT_FOUND: .*Fetch its URL again/],
  ['search', {}, /arguments\.query: is required/],
  ['search', { query: 'x', more: 1 }, /arguments\.more: unknown field/],
  ['crawl', { url: 'nowhere' }, /arguments\.url/],
  ['get_run', { runId: 'exec_unknown' }, /^NOT_FOUND/],
])('the error of %s %j says what to do', async (name, args, text) => {
  const { refused } = await agentOf(createMcpWorld())
  expect(await refused(name, args)).toMatch(text)
})

test('agents cannot read a run of a task', async () => {
  const world = createMcpWorld()
  const { refused } = await agentOf(world)
  expect(
    await refused('get_run', {
      runId: await world.start({ start: { urls: ['https://pens.example.com/'] } }),
    }),
  ).toMatch(/^NOT_FOUND/)
})

test('a page is fetched by its URL, and its text is unchanged Markdown', async () => {
  const { client } = await agentOf(createMcpWorld())
  const answer = await client.callTool({
    name: 'fetch',
    arguments: { url: 'https://pens.example.com/ink' },
  })
  const text = (answer.content as { text: string }[])[0]?.text ?? ''
  expect(text).toMatch(
    /^id: page_\w+\n\n.*instructions\.\n\nhttps:\/\/pens\.example\.com\/ink\n\nInk\n\n# Ink\n/s,
  )
  expect(text).toContain('mostly water with dyes')
  expect(text).toContain('untrusted')
  expect(text).not.toContain('\\n')
})

test('a page without a title has the name of its first heading', async () => {
  const { ok } = await agentOf(
    createMcpWorld({
      'https://pens.example.com/': '<main><h2>All pens</h2><p>These pens are for sale.</p></main>',
      'https://pens.example.com/notes.md': {
        headers: { 'content-type': 'text/markdown' },
        body: 'Of 2026\n\n# Notes on nibs\n\nSome are of steel.',
      },
    }),
  )
  expect([
    (await ok('fetch', { url: 'https://pens.example.com/' }))['title'],
    (await ok('fetch', { url: 'https://pens.example.com/notes.md' }))['title'],
  ]).toEqual(['All pens', 'Notes on nibs'])
})

test('pages that failed are named with their reason', async () => {
  const world = createMcpWorld({
    'https://pens.example.com/':
      '<title>Pens</title><p>Pens of all kinds.</p><a href="/gone">Gone</a><a href="/ink">Ink</a>',
    'https://pens.example.com/ink': '<title>Ink</title><p>Ink is wet.</p>',
  })
  const { client, ok } = await agentOf(world)
  const run = await ok('crawl', { url: 'https://pens.example.com/', waitSeconds: 0 })
  await world.work()
  expect(await ok('get_run', { runId: run['runId'] })).toMatchObject({
    pages: { fetched: 2, failed: 1 },
    failedPages: [
      {
        url: 'https://pens.example.com/gone',
        code: 'http_404',
        message: expect.stringContaining('404'),
      },
    ],
  })
  const read = await client.callTool({ name: 'get_run', arguments: { runId: run['runId'] } })
  const text = (read.content as { text: string }[])[0]?.text ?? ''
  expect(text).toContain('- https://pens.example.com/gone: The site answered 404 (http_404)')
  expect(text).toContain('## Row 1\nurl: https://pens.example.com/\ntitle: Pens')
})

const APP =
  '<html><head><title>App</title><script src="/a.js"></script></head><body><div id="root"></div></body></html>'

test('a page that is written by scripts is reported as such', async () => {
  const world = createMcpWorld({ 'https://pens.example.com/app': APP })
  const { ok, refused } = await agentOf(world)
  expect(await refused('fetch', { url: 'https://pens.example.com/app' })).toContain(
    'It is written by scripts, and no browser ran them (needs_scripts)',
  )
  const run = await ok('crawl', { url: 'https://pens.example.com/app', waitSeconds: 0 })
  await world.work()
  expect((await ok('get_run', { runId: run['runId'] }))['next']).toContain('written by scripts')
})

test('a run can be stopped over HTTP by the key that started it, and not by a key for other tools', async () => {
  const world = createMcpWorld()
  const key = await keyOf(world, ['mcp:crawl'])
  const client = await connect(world.platform.fetch, key)
  const started = await client.callTool({
    name: 'crawl',
    arguments: { url: 'https://pens.example.com/', waitSeconds: 0 },
  })
  const { runId } = started.structuredContent as { runId: string }
  const cancel = async (secret: string, id: string) =>
    world.platform.fetch(
      new Request(`http://localhost/api/v1/executions/${id}/cancel`, {
        method: 'POST',
        headers: { 'x-api-key': secret },
      }),
    )
  const task = await world.start({ start: { urls: ['https://pens.example.com/'] } })
  expect([
    (await cancel(await keyOf(world, ['mcp:templates']), runId)).status,
    (await cancel(await keyOf(world, ['mcp:search']), runId)).status,
    (await cancel(key, task)).status,
    (await cancel(key, runId)).status,
  ]).toEqual([403, 403, 403, 200])
  expect((await world.read(runId)).status).toBe('cancelled')
})
