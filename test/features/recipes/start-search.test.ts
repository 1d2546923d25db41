import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { defineTemplate } from '../../../src/features/templates/template.ts'
import { SearchFailure } from '../../../src/kernel/failures.ts'
import { createPlatform } from '../../../src/platform/platform.ts'
import type { SearchProvider } from '../../../src/ports/search-provider.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { createFakeWeb } from '../../support/fakes/fake-web.ts'
import { loadAhead } from '../../support/worlds/load-ahead.ts'
import { OWNER } from '../../support/worlds/world.ts'

await loadAhead()

const BIKES = 'https://bikes.example.com'
const PAGES = Object.fromEntries(
  Array.from({ length: 9 }, (_, n) => [
    `${BIKES}/${n}`,
    `<h1>Bike ${n}</h1><a href="/${(n + 1) % 9}">next</a><a href="https://elsewhere.example.net/">out</a>`,
  ]),
)
const EXTRACT = { fields: { title: 'h1' } }
const own = defineTemplate({
  id: 'offers',
  version: 1,
  updatedAt: '2030-01-31',
  name: 'Offers',
  description: 'Offers of a thing.',
  categories: ['shops'],
  parameters: v.strictObject({ thing: v.string() }),
  example: { thing: 'bikes' },
  columns: null,
  sample: [],
  typicalPages: 1,
  recipe: ({ thing }) => ({
    start: { search: { query: `used ${thing}`, limit: 2 } },
    extract: EXTRACT,
  }),
})

async function open(
  search: SearchProvider['search'],
  scopes: readonly string[] = [
    'tasks:read',
    'tasks:write',
    'executions:read',
    'executions:write',
    'templates:run',
  ],
) {
  const clock = createFakeClock()
  const queries: string[] = []
  const platform = createPlatform({
    store: createMemoryStore({ clock }),
    fetcher: createFakeWeb(PAGES),
    clock,
    templates: [own],
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    search: {
      name: 'Finder',
      search: (query, options) => (
        queries.push(`${query} (${options.limit})`),
        search(query, options)
      ),
    },
  })
  const { secret } = await platform.api.keys.create(OWNER, { name: 'test', scopes: [...scopes] })
  const call = async (method: string, path: string, body?: unknown) => {
    const answer = platform.fetch(
      new Request(`https://host.test/api/v1/${path}`, {
        method,
        headers: { 'X-API-Key': secret, 'Content-Type': 'application/json' },
        body: body === undefined ? null : JSON.stringify(body),
      }),
    )
    const response = await (path.endsWith('/preview') ? clock.runUntil(answer) : answer)
    const { data, error } = await response.json()
    return { status: response.status, data, error }
  }
  return { call, asked: queries, clock, work: () => clock.runUntil(platform.worker.tick()) }
}

const finds =
  (...numbers: readonly number[]): SearchProvider['search'] =>
  async () =>
    numbers.map((n) => ({ title: `Bike ${n}`, url: `${BIKES}/${n}`, text: '' }))

describe('a recipe that starts from a search', () => {
  it.each([
    ['no words', { search: '  ' }, 'recipe.start.search'],
    ['a number', { search: 7 }, 'recipe.start.search'],
    ['too many words', { search: 'a'.repeat(401) }, 'recipe.start.search'],
    ['no query', { search: { limit: 5 } }, 'recipe.start.search.query'],
    ['no results', { search: { query: 'bikes', limit: 0 } }, 'recipe.start.search.limit'],
    ['too many results', { search: { query: 'bikes', limit: 101 } }, 'recipe.start.search.limit'],
    [
      'an unknown member of a search',
      { search: { query: 'bikes', engine: 'mine' } },
      'recipe.start.search.engine',
    ],
  ])('is refused with %s, at its place', async (_, start, path) => {
    const { call } = await open(finds())
    const { status, error } = await call('POST', 'tasks', { recipe: { start, extract: EXTRACT } })
    expect([status, error.issues.map((issue: { path: string }) => issue.path)]).toEqual([
      400,
      [path],
    ])
  })

  it('can be run by callers who may run tasks, and shows each of its steps', async () => {
    const { call, asked: queries, work } = await open(finds(1, 2))
    const task = (
      await call('POST', 'tasks', {
        recipe: {
          start: { search: { query: 'used bikes', limit: 10 } },
          follow: [{ links: 'a' }],
          crawl: { maxPages: 4, concurrency: 1 },
          extract: EXTRACT,
        },
      })
    ).data
    expect(task.name).toBe('used bikes')
    const { id } = (await call('POST', `tasks/${task.id}/executions`)).data
    const step = async (which: string) =>
      (await call('GET', `executions/${id}/plan/steps`)).data.steps.find(
        (one: { id: string }) => one.id === which,
      )
    expect(await step('search')).toEqual({
      id: 'search',
      kind: 'list',
      title: 'Search for used bikes',
      state: 'pending',
      counts: {},
    })
    await work()
    expect(queries).toEqual(['used bikes (10)'])
    expect(await step('search')).toEqual({
      id: 'search',
      kind: 'list',
      title: 'Search Finder for used bikes',
      state: 'done',
      counts: { urls: 2 },
    })
    expect((await step('follow-0')).counts).toEqual({ links: 3 })
    const { items } = (await call('GET', `executions/${id}/pages`)).data
    expect(
      items.map(({ url, listedBy, depth }: Record<string, unknown>) => [url, listedBy, depth]),
    ).toEqual([
      [`${BIKES}/1`, 'search', 0],
      [`${BIKES}/2`, 'search', 0],
      ['https://elsewhere.example.net/', null, 1],
      [`${BIKES}/3`, null, 1],
      [`${BIKES}/4`, null, 2],
    ])
  })

  it('shows the failed search among its steps', async () => {
    const { call, work } = await open(async () =>
      Promise.reject(new SearchFailure('refused', 'The key is wrong')),
    )
    const task = (
      await call('POST', 'tasks', { recipe: { start: { search: 'bikes' }, extract: EXTRACT } })
    ).data
    const { id } = (await call('POST', `tasks/${task.id}/executions`)).data
    await work()
    expect((await call('GET', `executions/${id}`)).data).toMatchObject({
      status: 'failed',
      reason: { code: 'search_refused', message: 'The search failed: The key is wrong' },
    })
    expect((await call('GET', `executions/${id}/plan/steps`)).data.steps[0]).toMatchObject({
      id: 'search',
      state: 'failed',
    })
  })

  it('does not search if an execution names its own URLs', async () => {
    const { call, asked: queries, work } = await open(finds(1))
    const task = (
      await call('POST', 'tasks', { recipe: { start: { search: 'bikes' }, extract: EXTRACT } })
    ).data
    const { id } = (await call('POST', `tasks/${task.id}/executions`, { urls: [`${BIKES}/5`] }))
      .data
    await work()
    expect((await call('GET', `executions/${id}/results`)).data.items).toEqual([
      { title: 'Bike 5' },
    ])
    expect(queries).toEqual([])
  })

  it('is estimated by the results that it wants', async () => {
    const { call, asked: queries } = await open(finds(1))
    const estimate = async (recipe: object) =>
      (await call('POST', 'tasks/estimate', { recipe })).data
    expect(
      await estimate({ start: { urls: [`${BIKES}/{1..3}`], search: 'bikes' }, extract: EXTRACT }),
    ).toMatchObject({ pages: 23, credits: 23, boundedBy: { pages: 'start_urls' } })
    expect(
      await estimate({
        start: { search: { query: 'bikes', limit: 50 } },
        crawl: { maxPages: 30 },
        extract: EXTRACT,
      }),
    ).toMatchObject({ pages: 30, boundedBy: { pages: 'max_pages' } })
    expect(queries).toEqual([])
  })
})

describe('a preview of a recipe that starts from a search', () => {
  it('searches, and visits as many pages as previews may', async () => {
    const { call, asked: queries } = await open(finds(0, 1, 2, 3, 4, 5, 6))
    const { data } = await call('POST', 'tasks/preview', {
      recipe: { start: { search: 'bikes' }, extract: EXTRACT },
    })
    expect(data.pages.map(({ url }: { url: string }) => url)).toEqual(
      [0, 1, 2, 3, 4].map((n) => `${BIKES}/${n}`),
    )
    expect(data.warnings).toEqual([
      { code: 'urls_cut', path: null, message: 'A preview visits 5 pages; 2 more were found' },
    ])
    expect(queries).toEqual(['bikes (20)'])
  })

  it('limits its scope to the results', async () => {
    const { call } = await open(finds(7))
    const { data } = await call('POST', 'tasks/preview', {
      recipe: {
        start: { search: 'bikes' },
        crawl: { scope: 'host', maxDepth: 1 },
        extract: EXTRACT,
      },
    })
    expect(data.pages.map(({ url }: { url: string }) => url)).toEqual([`${BIKES}/7`, `${BIKES}/8`])
  })

  it('says why there are no results', async () => {
    const failing = await open(async () =>
      Promise.reject(new SearchFailure('limited', 'Too many searches')),
    )
    expect(
      (
        await failing.call('POST', 'tasks/preview', {
          recipe: { start: { search: 'bikes' }, extract: EXTRACT },
        })
      ).data.warnings,
    ).toEqual([
      {
        code: 'search_failed',
        path: 'start.search',
        message: 'The search failed: Too many searches',
      },
    ])
    const empty = await open(finds())
    expect(
      (
        await empty.call('POST', 'tasks/preview', {
          recipe: { start: { search: 'bikes' }, extract: EXTRACT },
        })
      ).data.warnings,
    ).toMatchObject([{ code: 'no_page_found', path: 'start' }])
  })
})

describe('a template with words to search for', () => {
  it('runs, and its errors name the parameter with the words', async () => {
    const { call, asked: queries, work } = await open(finds(3, 4, 5))
    const { id } = (
      await call('POST', 'templates/offers/executions', { params: { thing: 'bikes' } })
    ).data
    await work()
    expect((await call('GET', `executions/${id}/results`)).data.items).toEqual([
      { title: 'Bike 3' },
      { title: 'Bike 4' },
    ])
    expect(queries).toEqual(['used bikes (2)'])
    const { status, error } = await call('POST', 'templates/offers/executions', {
      params: { thing: 'b'.repeat(500) },
    })
    expect([status, error.issues[0].path]).toEqual([400, 'params.thing'])
  })
})
