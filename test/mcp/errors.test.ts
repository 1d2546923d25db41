import { describe, expect, test } from 'vitest'
import { createPlatform } from '../../src/platform/platform.ts'
import { OWNER, createWorld } from '../support/worlds/world.ts'
import type { World } from '../support/worlds/world.ts'
import { PAGES, callOf, keyOf, post } from './mcp-world.ts'

type Pages = Parameters<typeof createWorld>[0]
type Given = Parameters<typeof createWorld>[1]

/** The message for an agent, and the HTTP status. */
async function tell(
  world: World,
  tool: string,
  args: object,
  scopes?: readonly string[],
): Promise<{ status: number; text: string }> {
  const answering = world.platform.fetch(
    post(callOf(tool, args), { 'x-api-key': await keyOf(world, scopes) }),
  )
  const response = await world.clock.runUntil(answering)
  const { result }: { result: { isError?: boolean; content: { text: string }[] } } =
    await response.json()
  expect(result.isError).toBe(true)
  return { status: response.status, text: result.content[0]?.text ?? '' }
}
const textOf = async (tool: string, args: object, pages: Pages = PAGES, more: Given = {}) =>
  (await tell(createWorld(pages, more), tool, args)).text

describe('the error of a page that cannot be read', () => {
  test.each([
    [
      'https://closed.example.com/a',
      'robots.txt of the site forbids this page: use another page or source',
    ],
    [
      'https://pens.example.com/none',
      'The site answered 404 (http_404). Check the address, or search for the page',
    ],
    [
      'https://big.example.com/',
      'The page is larger than the limit of 10 MiB (too_large). Look for a shorter page',
    ],
    [
      'https://zip.example.com/',
      'Its type is application/zip (content_type). Fetch a page of text instead',
    ],
    ['https://down.example.com/', '(connection). Try again later, or use another source'],
  ])('%s', async (id, words) => {
    const text = await textOf(
      'fetch',
      { id },
      {
        ...PAGES,
        'https://big.example.com/': { body: 'x'.repeat(11_000_000) },
        'https://zip.example.com/': { headers: { 'content-type': 'application/zip' }, body: 'PK' },
        'https://down.example.com/': 'down',
      },
    )
    expect(text).toMatch(/^UNPROCESSABLE_CONTENT: The page could not be read: /)
    expect(text).toContain(words)
  })

  test('names the length of the pause that a site asks for', async () => {
    expect(
      await textOf(
        'fetch',
        { id: 'https://busy.example.com/' },
        { 'https://busy.example.com/': { status: 429, headers: { 'retry-after': '90' } } },
      ),
    ).toMatch(/http_429\)\. The site limits requests.* Try again in 90 seconds\.$/)
  })

  test('says that a site never answers', async () => {
    const world = createWorld(
      {},
      {
        fetcher: {
          capabilities: { pinsAddresses: true },
          resolve: async () => ['93.184.216.34'],
          send: ({ signal }) =>
            new Promise((_, reject) =>
              signal.addEventListener('abort', () => reject(signal.reason)),
            ),
          close: async () => {},
        },
      },
    )
    expect((await tell(world, 'fetch', { id: 'https://pens.example.com/' })).text).toMatch(
      /^UNPROCESSABLE_CONTENT: .*\((?:timeout|site_unreachable)\)\. .*[Tt]ry again later/,
    )
  })

  test.each(['http://127.0.0.1:8080/admin', 'http://metadata.internal/', 'http://[fd00::1]/'])(
    'names %s as the wrong argument',
    async (id) => {
      expect(await textOf('fetch', { id })).toBe(
        'BAD_REQUEST: The request is invalid: arguments.id: The host of this URL is not on ' +
          'the public internet. Correct the arguments and call again.',
      )
    },
  )
})

describe('arguments have the names of the tool in errors', () => {
  test.each([
    [
      'crawl',
      { url: 'http://127.0.0.1/' },
      /arguments\.url: The host of this URL is not on the public internet\. Correct/,
    ],
    ['crawl', { url: 'https://pens.example.com/', include: [''] }, /arguments\.include\.0: /],
    ['crawl', { url: 'https://pens.example.com/', maxPages: 0 }, /arguments\.maxPages: /],
    ['run_template', { id: 'article', params: { urls: 7 } }, /arguments\.params\.urls: /],
    [
      'run_template',
      { id: 'article', params: { urls: ['http://127.0.0.1/'] } },
      /arguments\.params\.urls.*: .*public internet/,
    ],
    ['search', {}, /arguments\.query: is required/],
    [
      'search',
      { qery: 'x' },
      /arguments\.query: is required; arguments\.qery: unknown field; did you mean query\? Correct/,
    ],
  ])('%s %j', async (tool, args, words) => {
    const text = await textOf(tool, args)
    expect(text).toMatch(/^BAD_REQUEST: /)
    expect(text).toMatch(words)
    expect(text).not.toMatch(/recipe\.|: \w+\.start/)
  })
})

describe('the error of an absent resource', () => {
  test.each([
    ['fetch', { id: 'page_unknown' }, 'fetched pages are kept for 7 days. Fetch its URL again'],
    ['get_run', { runId: 'exec_unknown' }, 'crawl and run_template return the runId'],
    ['run_template', { id: 'unknown', params: {} }, 'search_templates returns the ids of all'],
    [
      'run_template',
      { id: 'unknown', params: {}, validateOnly: true },
      'search_templates returns the ids of all',
    ],
  ])('%s %j', async (tool, args, words) => {
    const text = await textOf(tool, args)
    expect(text).toMatch(/^NOT_FOUND: This (page|run|template)\b.* was not found/)
    expect(text).toContain(words)
  })
})

test('the error of missing credits has both figures', async () => {
  const text = await textOf('crawl', { url: 'https://pens.example.com/', maxPages: 40 }, PAGES, {
    billing: { plans: [{ id: 'small', name: 'Small', creditsPerMonth: 0 }] },
  })
  expect(text).toMatch(
    /^PAYMENT_REQUIRED: The first page may cost 1 credit, but only 0 can be spent\..* The owner of the account can add credits\.$/,
  )
})

test('the error of too many runs at the same time names the limit of the plan', async () => {
  const world = createWorld(PAGES, {
    billing: {
      plans: [{ id: 'one', name: 'One', creditsPerMonth: 1_000, concurrentExecutions: 1 }],
    },
  })
  await world.platform.api.executions.run(OWNER, {
    recipe: { start: { urls: ['https://pens.example.com/'] }, budget: { pages: 5 } },
  })
  expect((await tell(world, 'crawl', { url: 'https://pens.example.com/' })).text).toMatch(
    /^TOO_MANY_REQUESTS: The account has 1 unfinished executions, and its plan allows 1 .* or cancel one\. Try again in 5 seconds\.$/,
  )
})

test('a state that refuses a call for good gives no advice to repeat it', async () => {
  const world = createWorld(PAGES, { mount: { mcp: { tools: 'extended' } } })
  const { id } = await world.platform.api.executions.run(OWNER, {
    recipe: { start: { urls: ['https://pens.example.com/'] } },
  })
  await world.work()
  expect((await tell(world, 'cancel_run', { runId: id }, ['*'])).text).toBe(
    'CONFLICT: The execution has already ended: it is succeeded.',
  )
})

test('the error of a full account says when the call works again', async () => {
  const world = createWorld(PAGES, {
    mount: { mcp: { tools: 'extended' } },
    billing: { plans: [{ id: 'one', name: 'One', creditsPerMonth: 1_000, caps: { tasks: 1 } }] },
  })
  const recipe = { start: { urls: ['https://pens.example.com/'] } }
  await world.platform.api.tasks.create(OWNER, { recipe })
  expect((await tell(world, 'save_task', { name: 'Pens', recipe }, ['*'])).text).toMatch(
    /^CONFLICT: The account has 1 tasks and may have 1: .*\. The same call works once the account is below this limit\.$/,
  )
})

test('the error of too many calls has the time of the next one', async () => {
  const platform = createPlatform({
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    rateLimits: { mcp: { limit: 1, periodMs: 60_000, burst: 1 } },
  })
  const { secret } = await platform.api.keys.create(OWNER, { name: 'agent', scopes: ['mcp:*'] })
  const ask = (message: object, accept = 'application/json') =>
    platform.fetch(post(message, { 'x-api-key': secret, accept }))
  const search = callOf('search', { query: 'x' }, 7)
  expect([(await ask(search)).status, (await ask(search)).status]).toEqual([200, 200])
  const list = { jsonrpc: '2.0', id: 7, method: 'tools/list' }
  for (const message of [search, list, { ...list, method: 'ping' }]) {
    for (const accept of ['application/json', 'text/event-stream']) {
      const blocked = await ask(message, accept)
      expect([blocked.status, await blocked.json()]).toEqual([
        429,
        {
          jsonrpc: '2.0',
          id: 7,
          error: {
            code: -32_000,
            message: expect.stringMatching(/^Too many requests\. Try again in \d+ seconds\.$/),
          },
        },
      ])
      expect(blocked.headers.get('retry-after')).toMatch(/^\d+$/)
    }
  }
  await platform.close()
})

test('the error of a missing scope names it', async () => {
  const { status, text } = await tell(
    createWorld(PAGES),
    'crawl',
    { url: 'https://pens.example.com/' },
    ['mcp:fetch'],
  )
  expect([status, text]).toEqual([
    403,
    'FORBIDDEN: This needs the scope mcp:crawl. This API key may not do that; ask its owner for a key with the scope.',
  ])
})

test('an error of a search provider is not shown to the agent', async () => {
  const text = await textOf(
    'search',
    { query: 'pens' },
    {},
    {
      search: {
        name: 'Handbook',
        search: async () =>
          Promise.reject(new Error('secret-7731 at https://handbook.internal/?key=7731')),
      },
    },
  )
  expect(text).toBe(
    'SERVICE_UNAVAILABLE: Handbook could not be searched; a page can still be fetched by its URL. Try again later.',
  )
})
