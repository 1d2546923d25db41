import { beforeAll, expect, it } from 'vitest'
import { cpuFactor, cpuMs } from '../support/cpu-ms.ts'
import { HOSTILE_RECIPES } from '../support/fakes/hostile-recipes.ts'
import type { HostileRecipe } from '../support/fakes/hostile-recipes.ts'
import { OWNER, createWorld } from '../support/worlds/world.ts'
import type { World } from '../support/worlds/world.ts'

/** CPU that the check of one body may take on the machine where the limits were set, in ms. */
const MOST_MS = 200

/** Made once, and stored as texts, which take less memory than their values. */
const TEXTS = Object.entries(HOSTILE_RECIPES).map(([name, make]): readonly [string, string] => [
  name,
  JSON.stringify(make()),
])

const HONEST = {
  start: { urls: ['https://shop.example.com/'] },
  extract: { fields: { title: 'h1', price: { css: '.price', regex: '\\d+' } } },
}

const PARAMS = { x: {} }

let world: World
let key: string
let task: string
let finished: string

beforeAll(async () => {
  world = createWorld(
    { 'https://shop.example.com/': '<h1>A pen</h1><p class="price">12</p>' },
    { mount: { mcp: { tools: 'extended' } } },
  )
  key = (await world.platform.api.keys.create(OWNER, { name: 'all', scopes: ['*'] })).secret
  task = (await world.platform.api.tasks.create(OWNER, { name: 'honest', recipe: HONEST })).id
  finished = await world.start({ ...HONEST, page: { keep: true } })
  await world.work()
})

const startOf = (recipe: HostileRecipe): Record<string, unknown> =>
  typeof recipe['start'] === 'object' && recipe['start'] !== null ? { ...recipe['start'] } : {}
const crawlOf = (recipe: HostileRecipe): object =>
  typeof recipe['crawl'] === 'object' && recipe['crawl'] !== null ? recipe['crawl'] : recipe
const fieldsOf = (recipe: HostileRecipe): unknown =>
  typeof recipe['extract'] === 'object' &&
  recipe['extract'] !== null &&
  'fields' in recipe['extract']
    ? recipe['extract'].fields
    : recipe

const callByMcp = (name: string, args: object): readonly [string, string, object] => [
  'POST',
  '/mcp',
  { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
]

/**
 * Every way in for a recipe, or a part of one, and some for what only looks like one. Other bodies
 * are tried in `bodies/any-field.proof.test.ts`.
 */
const ROUTES: Readonly<
  Record<string, (recipe: HostileRecipe) => readonly [method: string, path: string, body: object]>
> = {
  'a new task': (recipe) => ['POST', '/api/v1/tasks', { recipe }],
  'tasks from a file': (recipe) => [
    'POST',
    '/api/v1/tasks/import',
    {
      version: 1,
      tasks: [
        { name: 'a', recipe },
        { name: 'b', recipe },
      ],
    },
  ],
  'params of a run': (recipe) => [
    'POST',
    '/api/v1/executions',
    { recipe: { ...recipe, params: PARAMS }, params: { x: 'x'.repeat(2_000) } },
  ],
  'a changed task': (recipe) => ['PATCH', `/api/v1/tasks/${task}`, { recipe }],
  'a preview': (recipe) => ['POST', '/api/v1/tasks/preview', { recipe }],
  'a preview of a task': (recipe) => ['POST', `/api/v1/tasks/${task}/preview`, { recipe }],
  'an estimate': (recipe) => ['POST', '/api/v1/tasks/estimate', { recipe }],
  'an estimate with other start URLs': (recipe) => [
    'POST',
    `/api/v1/tasks/${task}/estimate`,
    startOf(recipe),
  ],
  'an execution with other start URLs': (recipe) => [
    'POST',
    `/api/v1/tasks/${task}/executions`,
    startOf(recipe),
  ],
  'an extraction from kept pages': (recipe) => [
    'POST',
    `/api/v1/executions/${finished}/extract`,
    { recipe: { extract: recipe['extract'], formats: recipe['formats'] } },
  ],
  'the run of a template': (recipe) => [
    'POST',
    '/api/v1/templates/article/executions',
    { params: startOf(recipe) },
  ],
  'the run of a template with columns': (recipe) => [
    'POST',
    '/api/v1/templates/json-api/executions',
    { params: { url: 'https://a.example.com/', items: '$[*]', fields: fieldsOf(recipe) } },
  ],
  'the preview of a template': (recipe) => [
    'POST',
    '/api/v1/templates/article/preview',
    { params: startOf(recipe) },
  ],
  'a task of a template': (recipe) => [
    'POST',
    '/api/v1/templates/article/tasks',
    { params: startOf(recipe) },
  ],
  'a tool by REST': (recipe) => [
    'POST',
    '/api/v1/mcp/agentic-executions',
    {
      tool: 'run_template',
      arguments: { id: 'article', params: startOf(recipe), validateOnly: true },
    },
  ],
  'a tool by MCP': (recipe) =>
    callByMcp('run_template', { id: 'article', params: startOf(recipe), validateOnly: true }),
  'the preview of an agent': (recipe) => callByMcp('preview', { recipe }),
  'a task of an agent': (recipe) => callByMcp('save_task', { name: 'a', recipe }),
  'a page that an agent watches': (recipe) =>
    callByMcp('watch', { name: 'a', recipe, key: ['title'] }),
  'columns that an agent names': (recipe) =>
    callByMcp('extract', { url: 'https://shop.example.com/', fields: fieldsOf(recipe) }),
  'a schema that an agent names': (recipe) =>
    callByMcp('extract', {
      url: 'https://shop.example.com/',
      schema: { properties: fieldsOf(recipe) },
    }),
  'a crawl of an agent': (recipe) =>
    callByMcp('crawl', { url: 'https://shop.example.com/', waitSeconds: 0, ...crawlOf(recipe) }),
  'the links that an agent lists': (recipe) =>
    callByMcp('map', { url: 'https://shop.example.com/', ...crawlOf(recipe) }),
  'any message by MCP': (recipe) => [
    'POST',
    '/mcp',
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { ...recipe, fields: fieldsOf(recipe) },
    },
  ],
  'a dataset': (recipe) => ['POST', '/api/v1/datasets', { name: 'd', ...recipe, keyFields: ['a'] }],
  'a webhook': (recipe) => [
    'POST',
    '/api/v1/webhooks',
    { url: 'https://hooks.example.com/', ...recipe },
  ],
  'a key': (recipe) => ['POST', '/api/v1/keys', { name: 'k', ...recipe }],
  'a subscription': (recipe) => ['PUT', '/api/v1/billing/subscription', { ...recipe }],
  'a schedule': (recipe) => ['PATCH', `/api/v1/tasks/${task}`, { schedule: { ...recipe } }],
}

/** Texts full of blanks, and names that have to be compared. */
it('filling any recipe with params takes little CPU', async () => {
  const run = (recipe: object, params: object = {}) =>
    ask('POST', '/api/v1/executions', JSON.stringify({ recipe, params }))
  await run(HONEST)
  const start = { urls: ['https://a.example.com/'] }
  const names = Array.from({ length: 50 }, (_, index) => `${'p'.repeat(60)}${index}`)
  const params = Object.fromEntries(names.map((name) => [name, { default: 'x'.repeat(100) }]))
  const blanks = (count: number, name: string) => `{{${name}}}`.repeat(count)
  const bodies: readonly (readonly [object, object?])[] = [
    [{ params, start, extract: { fields: { a: { const: blanks(10_000, 'q'.repeat(60)) } } } }],
    [{ params, start, extract: { items: blanks(15, names[0] ?? '') } }],
    [{ params, start, formats: ['text'] }, { ['p'.repeat(500_000)]: 1 }],
    [
      {
        params: PARAMS,
        start: { urls: Array(500).fill(`https://a.example.com/${blanks(400, 'x')}`) },
      },
    ],
    [
      { params: PARAMS, start, extract: { fields: { a: { const: Array(9_000).fill('{{x}}') } } } },
      { x: 'x'.repeat(2_000) },
    ],
  ]
  const limit = MOST_MS * cpuFactor()
  for (const [position, [recipe, values]] of bodies.entries()) {
    const { status, taken } = await run(recipe, values)
    expect([position, status, taken < limit ? 'fast' : taken]).toEqual([position, 400, 'fast'])
  }
})

async function ask(
  method: string,
  path: string,
  text: string,
): Promise<{ status: number; length: number; taken: number }> {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    authorization: `Bearer ${key}`,
  }
  const before = cpuMs()
  const response = await world.platform.fetch(
    new Request(`http://host.test${path}`, { method, headers, body: text }),
  )
  const body = await response.text()
  return { status: response.status, length: body.length, taken: cpuMs() - before }
}

it.each(Object.entries(ROUTES))('checking any body takes little CPU: %s', async (_, bodyOf) => {
  // Code that is loaded for the first body does not count as its cost.
  const [method, path, honest] = bodyOf(HONEST)
  expect([404, 405, 415, 500]).not.toContain(
    (await ask(method, path, JSON.stringify(honest))).status,
  )
  const limit = MOST_MS * cpuFactor()
  const over: string[] = []
  for (const [name, recipe] of TEXTS) {
    const text = JSON.stringify(bodyOf(JSON.parse(recipe))[2])
    const { status, length, taken } = await ask(method, path, text)
    if (status >= 500) over.push(`${name}: ${status}`)
    if (status >= 400 && length > 300_000) over.push(`${name}: an answer of ${length} characters`)
    if (taken > limit) over.push(`${name}: ${taken} ms`)
  }
  expect(over).toEqual([])
})

/** The calls of tools with the highest cost for their length. */
const CALLS: Readonly<Record<string, (size: number) => Record<string, unknown>>> = {
  'start URLs of groups': () => callOf('article', { urls: ['https://a.example.com/{1..9000}'] }),
  'start URLs of groups, to run': () => ({
    name: 'run_template',
    arguments: {
      id: 'article',
      params: { urls: ['https://a.example.com/{1..9000}'] },
      waitSeconds: 0,
    },
  }),
  'start URLs that fold': (size) =>
    callOf('article', { urls: filled(size, () => 'https://a.example.com/#{1..9000}') }),
  'patterns of counts': (size) =>
    callOf('json-api', {
      url: 'https://a.example.com/',
      items: '$[*]',
      fields: numbered(size, () => ({ json: '$.a', regex: 'a{900}' })),
    }),
  'small patterns': (size) =>
    callOf('json-api', {
      url: 'https://a.example.com/',
      items: '$[*]',
      fields: numbered(size, () => ({ json: '$', regex: '\\pL' })),
    }),
  'wrong paths': (size) =>
    callOf('json-api', {
      url: 'https://a.example.com/',
      items: '$[*]',
      fields: numbered(size, () => '$['),
    }),
  globs: (size) => ({
    name: 'crawl',
    arguments: {
      url: 'https://a.example.com/',
      include: filled(Math.min(size, 3_000), () => '**/a*'),
      waitSeconds: 0,
    },
  }),
}
const callOf = (id: string, params: unknown): Record<string, unknown> => ({
  name: 'run_template',
  arguments: { id, params, validateOnly: true },
})
const filled = <T>(size: number, make: () => T): T[] =>
  Array.from({ length: Math.max(1, Math.floor(size / (JSON.stringify(make()).length + 1))) }, make)
const numbered = (size: number, make: () => unknown): Record<string, unknown> =>
  Object.fromEntries(
    filled(size - 600, make)
      .slice(0, 200)
      .map((one, index) => [`c${index}`, one]),
  )

it.each(Object.entries(CALLS))(
  'a list of MCP messages takes no more CPU than one body: %s',
  async (_, make) => {
    const listOf = (count: number, size: number): string =>
      JSON.stringify(
        Array.from({ length: count }, (__, id) => ({
          jsonrpc: '2.0',
          id,
          method: 'tools/call',
          params: make(size),
        })),
      )
    await ask('POST', '/mcp', listOf(1, 400))
    const list = listOf(5, 2_900)
    expect(list.length).toBeLessThan(16_384)
    const { status, taken } = await ask('POST', '/mcp', list)
    expect([status, taken]).toEqual([
      200,
      expect.toSatisfy((ms: number) => ms < MOST_MS * cpuFactor()),
    ])
    // The longest allowed body: it is refused before any part of it is read.
    const text = listOf(100, 9_000)
    expect(text.length).toBeLessThan(1_048_576)
    const long = await ask('POST', '/mcp', text)
    expect([long.status, long.taken]).toEqual([
      400,
      expect.toSatisfy((ms: number) => ms < MOST_MS * cpuFactor()),
    ])
  },
)

it('a refusal of a size names the place, the figure and a remedy', async () => {
  const refused = async (recipe: unknown) => {
    const response = await world.platform.fetch(
      new Request('http://host.test/api/v1/tasks', {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        body: JSON.stringify({ recipe }),
      }),
    )
    return { status: response.status, error: (await response.json()).error }
  }
  expect(
    await refused({
      start: { urls: ['https://a.example.com/0#{1..9000}', 'https://a.example.com/1#{1..9000}'] },
    }),
  ).toMatchObject({
    status: 400,
    error: {
      code: 'BAD_REQUEST',
      issues: [
        {
          path: 'recipe.start.urls.1',
          message: expect.stringMatching(/more than 10,000 URLs.*divide them among several tasks/),
        },
      ],
    },
  })
  expect(
    await refused({ ...HONEST, extract: { fields: { constructor: 'h1', a: 'p' } } }),
  ).toMatchObject({
    status: 400,
    error: {
      issues: [{ path: 'recipe.extract.fields.constructor', message: 'is not allowed as a name' }],
    },
  })
  expect(await refused({ ...HONEST, page: { headers: { prototype: 'x' } } })).toMatchObject({
    status: 400,
    error: { issues: [{ path: 'recipe.page.headers.prototype' }] },
  })
})
