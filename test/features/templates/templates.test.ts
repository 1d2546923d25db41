import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { createMemoryLimiter } from '../../../src/defaults/memory-limiter.ts'
import { CATALOG } from '../../../src/features/templates/catalog/catalog.ts'
import { searchTemplates, searchWordsOf } from '../../../src/features/templates/search-templates.ts'
import { defineTemplate } from '../../../src/features/templates/template.ts'
import { createPlatform } from '../../../src/platform/platform.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { createServiceHost } from '../../support/worlds/service-host.ts'
import { OWNER, createWorld } from '../../support/worlds/world.ts'

const TEMPLATES = '/api/v1/templates'
const url = 'https://news.example.com/1'
const anyone = { key: null }

const tides = defineTemplate({
  id: 'tides',
  version: 2,
  updatedAt: '2030-01-31',
  name: 'Tide tables',
  description: 'Times and heights of the tides.',
  categories: ['weather'],
  parameters: v.strictObject({
    harbour: v.picklist(['dover', 'leith']),
    days: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)), 1),
    page: v.exactOptional(v.string()),
  }),
  example: { harbour: 'dover' },
  columns: [{ name: 'height', type: 'number', description: 'Metres.' }],
  sample: [{ height: 6.2 }],
  typicalPages: 3,
  recipe: ({ harbour, days, page = `https://tides.example.com/${harbour}?days=${days}` }) => ({
    start: { urls: [page] },
    extract: { fields: { height: { css: '.height', as: 'number' } } },
  }),
})

describe('the catalog', async () => {
  const host = await createServiceHost()

  it('lists every template once, page by page, to anyone', async () => {
    const ids: string[] = []
    let cursor: string | null = null
    do {
      const { status, body } = await host.call(
        'GET',
        `${TEMPLATES}?limit=7${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
        anyone,
      )
      expect(status).toBe(200)
      ids.push(...body.data.items.map(({ id }: { id: string }) => id))
      cursor = body.data.nextCursor
    } while (cursor !== null)
    expect(ids).toEqual(CATALOG.map(({ id }) => id))
    expect((await host.call('GET', `${TEMPLATES}?cursor=AAAA`, anyone)).status).toBe(400)
  })

  it('shows parameters as JSON Schema, columns and price; a single template has rows and recipe too', async () => {
    const { body } = await host.call('GET', `${TEMPLATES}/product-list`, anyone)
    expect(body.data).toMatchObject({
      id: 'product-list',
      version: 1,
      categories: ['commerce', 'lists'],
      parameters: {
        type: 'object',
        required: ['url'],
        additionalProperties: false,
        properties: {
          url: { type: 'string' },
          maxPages: { type: 'integer', minimum: 1, default: 10 },
        },
      },
      price: { creditsPerPage: 1, typicalPages: 10, typicalCredits: 10 },
      recipe: { follow: [{ next: ':auto', maxPages: 5 }], extract: { items: ':auto(list)' } },
    })
    expect(body.data.sample[0]).toMatchObject({ title: 'Halden desk lamp, brass', price: 129 })
    const listed = (await host.call('GET', `${TEMPLATES}?q=product+list&limit=1`, anyone)).body.data
      .items[0]
    expect([listed.id, listed.sample, listed.recipe]).toEqual([
      'product-list',
      undefined,
      undefined,
    ])
    expect((await host.call('GET', `${TEMPLATES}/nothing`, anyone)).body.error).toEqual({
      code: 'NOT_FOUND',
      message: 'Template not found',
    })
  })

  it('counts its categories, and can be filtered by one', async () => {
    const { body } = await host.call('GET', `${TEMPLATES}/categories`, anyone)
    const total = body.data.items.reduce(
      (sum: number, { templates }: { templates: number }) => sum + templates,
      0,
    )
    expect(total).toBe(CATALOG.flatMap(({ categories }) => categories).length)
    for (const { name, templates } of body.data.items) {
      const { items } = (await host.call('GET', `${TEMPLATES}?category=${name}&limit=100`, anyone))
        .body.data
      expect([name, items.length]).toEqual([name, templates])
    }
    expect((await host.call('GET', `${TEMPLATES}?category=none`, anyone)).body.data).toEqual({
      items: [],
      nextCursor: null,
    })
  })

  it('may be kept by any cache, and a 304 says so as well', async () => {
    for (const path of [TEMPLATES, `${TEMPLATES}/categories`, `${TEMPLATES}/article`]) {
      const first = await host.call('GET', path, anyone)
      expect(first.headers.get('cache-control')).toBe('public, max-age=300')
      const etag = first.headers.get('etag') ?? ''
      const again = await host.call('GET', path, { ...anyone, headers: { 'If-None-Match': etag } })
      expect([
        again.status,
        again.body,
        again.headers.get('cache-control'),
        again.headers.get('etag'),
      ]).toEqual([304, null, 'public, max-age=300', etag])
    }
    const own = await host.call('GET', '/api/v1/tasks')
    expect(own.headers.get('cache-control')).toBe('private, no-cache')
    expect(
      (await host.call('GET', `${TEMPLATES}/nothing`, anyone)).headers.get('cache-control'),
    ).toBe('no-store')
  })

  it('is limited by the address of the caller', async () => {
    const clock = createFakeClock()
    const limited = await createServiceHost({
      limiter: createMemoryLimiter({ clock }),
      rates: { tasks: { limit: 1, periodMs: 60_000, burst: 0 } },
    })
    const from = async (clientIp: string) =>
      (await limited.call('GET', TEMPLATES, { ...anyone, context: { clientIp } })).status
    expect([await from('192.0.2.1'), await from('192.0.2.1'), await from('192.0.2.2')]).toEqual([
      200, 429, 200,
    ])
  })
})

describe('the search', () => {
  const all = CATALOG.map(searchWordsOf)
  const first = (query: string) => searchTemplates(all, query)[0]?.id

  it.each([
    ['rss', 'feed'],
    ['job', 'job-postings'],
    ['jobs salary', 'job-postings'],
    ['broken links', 'link-check'],
    ['scrape the prices of products from a shop', 'product'],
    ['e-mail addresses and phone', 'contacts'],
    ['documentation markdown', 'docs-markdown'],
    ['TABLE', 'tables'],
    ['open graph', 'page-metadata'],
    ['ingredients', 'cooking-recipe'],
    ['forum posts', 'forum-thread'],
    ['sitem', 'sitemap'],
    ['jsón api', 'json-api'],
    ['headlines of a section', 'news-section'],
    ['concerts', 'events'],
    ['stars of customers', 'reviews'],
  ])('%s: %s', (query, id) => {
    expect(
      searchTemplates(all, query)
        .slice(0, 2)
        .map((template) => template.id),
    ).toContain(id)
  })

  it('finds nothing for unknown words, and ranks the number of words before their places', () => {
    expect(searchTemplates(all, 'xylophone')).toEqual([])
    expect(first('article author published')).toBe('article')
    expect(first('the')).toBeDefined()
  })
})

describe('a run', () => {
  it('belongs to no task, names its template, and is retried with the same template', async () => {
    const world = createWorld({
      [url]:
        '<title>T</title><article><h1>Bridge</h1><p>It opened on Thursday morning, nine years late.</p></article>',
    })
    const { templates, executions } = world.platform.api
    const run = await templates.run(OWNER, 'article', {
      params: { urls: [url] },
      budget: { pages: 3 },
    })
    expect(run).toMatchObject({ taskId: null, templateId: 'article', status: 'queued' })
    await world.work()
    expect((await world.rows(run.id))[0]).toMatchObject({ title: 'Bridge', url })
    const retried = await executions.retry(OWNER, run.id)
    expect(retried).toMatchObject({ taskId: null, templateId: 'article', retryOf: run.id })
  })

  it('is refused for parameters that are missing, unknown or wrong, each by name', async () => {
    const host = await createServiceHost()
    const issuesOf = async (id: string, body: unknown, action = 'executions') => {
      const answer = await host.call('POST', `${TEMPLATES}/${id}/${action}`, { body })
      expect([answer.status, answer.body.error.code]).toEqual([400, 'BAD_REQUEST'])
      return answer.body.error.issues
    }
    for (const action of ['executions', 'tasks', 'preview']) {
      expect(await issuesOf('article', { params: {} }, action)).toEqual([
        { path: 'params.urls', message: 'is required' },
      ])
      expect(await issuesOf('article', { params: { urls: [url], colour: 'red' } }, action)).toEqual(
        [{ path: 'params.colour', message: 'unknown field; known: urls' }],
      )
      expect(
        await issuesOf('article', { params: { urls: [url, 'ftp://x'] } }, action),
      ).toMatchObject([{ path: 'params.urls.1' }])
    }
    expect(await issuesOf('article', {})).toEqual([{ path: 'params', message: 'is required' }])
    expect(await issuesOf('product-list', { params: { url, maxPages: 0 } })).toMatchObject([
      { path: 'params.maxPages' },
    ])
    // An error of the whole recipe names the parameter that caused it.
    expect(await issuesOf('product-list', { params: { url, items: '.card[' } })).toMatchObject([
      { path: 'params.items' },
    ])
    expect(
      await issuesOf('article', { params: { urls: [url, 'http://127.0.0.1/'] } }),
    ).toMatchObject([{ path: 'params.urls.1' }])
    expect(
      await issuesOf('json-api', { params: { url, items: '$.a[', fields: { a: '$.b' } } }),
    ).toMatchObject([{ path: 'params.items' }])
    expect(
      await issuesOf('article', { params: { urls: [url] }, budget: { pages: 0 } }),
    ).toMatchObject([{ path: 'budget.pages' }])
    expect(
      (await host.call('POST', `${TEMPLATES}/nothing/executions`, { body: { params: {} } })).status,
    ).toBe(404)
  })

  it('needs templates:run, and saving needs tasks:write: neither replaces the other', async () => {
    const host = await createServiceHost()
    const [runner, writer] = [
      await host.keyOf('acme', ['templates:run']),
      await host.keyOf('acme', ['tasks:write']),
    ]
    const status = async (action: string, key: string) =>
      (
        await host.call('POST', `${TEMPLATES}/article/${action}`, {
          key,
          body: { params: { urls: [url] } },
        })
      ).status
    expect([
      await status('executions', runner),
      await status('preview', runner),
      await status('tasks', runner),
    ]).toEqual([201, 200, 403])
    expect([
      await status('executions', writer),
      await status('preview', writer),
      await status('tasks', writer),
    ]).toEqual([403, 403, 201])
  })
})

it('a saved template is a task with its recipe', async () => {
  const host = await createServiceHost()
  const { body } = await host.call('POST', `${TEMPLATES}/article/tasks`, {
    body: { params: { urls: [url] }, labels: ['news'] },
  })
  expect(body.data).toMatchObject({
    name: 'Article',
    labels: ['news'],
    recipe: { start: { urls: [url] }, formats: ['markdown'] },
  })
  const named = await host.call('POST', `${TEMPLATES}/article/tasks`, {
    body: { params: { urls: [url] }, name: 'Mine' },
  })
  expect(named.body.data.name).toBe('Mine')
  const started = await host.call('POST', `/api/v1/tasks/${body.data.id}/executions`)
  expect(started.body.data).toMatchObject({ taskId: body.data.id, templateId: null })
})

describe("a host's own templates", () => {
  const silent = { debug() {}, info() {}, warn() {}, error() {} }
  const idsOf = async (templates: Parameters<typeof createPlatform>[0]) =>
    (
      await createPlatform({ ...templates, logger: silent }).api.templates.list({ limit: 100 })
    ).items.map(({ id }) => id)

  it('are added to the catalog, replace a template with the same id, or are the only ones', async () => {
    expect(await idsOf({ templates: [tides] })).toEqual([...CATALOG.map(({ id }) => id), 'tides'])
    const mine = { ...tides, id: 'article' }
    expect(
      (await createPlatform({ templates: [mine], logger: silent }).api.templates.get('article'))
        .name,
    ).toBe('Tide tables')
    expect(await idsOf({ templates: [mine] })).toEqual(CATALOG.map(({ id }) => id))
    expect(await idsOf({ templates: { only: [tides] } })).toEqual(['tides'])
    await expect(idsOf({ templates: [tides, tides] })).rejects.toThrow(
      'Two templates have the same id',
    )
  })

  it('are filled with defaults', async () => {
    const { templates } = createPlatform({ templates: { only: [tides] }, logger: silent }).api
    expect(await templates.fill('tides', { harbour: 'leith' })).toMatchObject({
      start: { urls: ['https://tides.example.com/leith?days=1'] },
    })
    await expect(templates.fill('tides', { harbour: 'rome' })).rejects.toThrow('params.harbour')
    expect((await templates.get('tides')).parameters).toMatchObject({
      properties: { harbour: { enum: ['dover', 'leith'] }, days: { default: 1 } },
      required: ['harbour'],
    })
  })

  it('are refused if they cannot be served', () => {
    expect(() => defineTemplate({ ...tides, id: 'Tide Tables' })).toThrow('id must be a text of')
    expect(() => defineTemplate({ ...tides, id: 'categories' })).toThrow('id must be a text of')
    expect(() => defineTemplate({ ...tides, updatedAt: 'today' })).toThrow('updatedAt')
    expect(() => defineTemplate({ ...tides, categories: [] })).toThrow('categories')
  })
})
