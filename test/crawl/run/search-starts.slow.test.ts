import { describe, expect, it } from 'vitest'
import { SearchFailure } from '../../../src/kernel/failures.ts'
import type { SearchProvider } from '../../../src/ports/search-provider.ts'
import type { Store } from '../../../src/ports/store.ts'
import { FAULTS, through } from '../../support/stores/fault-store.ts'
import type { Fault } from '../../support/stores/fault-store.ts'
import { playFaults } from '../../support/stores/play-fault.ts'
import type { OpenRuns } from '../../support/stores/play-fault.ts'
import { createWatchedWorld } from '../../support/worlds/watched-world.ts'
import { OWNER, createWorld } from '../../support/worlds/world.ts'
import type { World } from '../../support/worlds/world.ts'

const BIKES = 'https://bikes.example.com'
const WHEELS = 'https://wheels.example.org'
const bike = (name: string, more = '') => `<h1>${name}</h1>${more}`
const PAGES = {
  [`${BIKES}/used/1`]: bike(
    'Racer',
    '<a href="/used/3">more</a><a href="https://elsewhere.example.net/">out</a>',
  ),
  [`${WHEELS}/offers/2`]: bike('Tandem', '<a href="/offers/4">more</a>'),
  [`${BIKES}/used/3`]: bike('Folder'),
  [`${WHEELS}/offers/4`]: bike('Cargo'),
}
const TITLES = { fields: { title: 'h1' } }

interface Asked {
  readonly query: string
  readonly limit: number
}

/** A search engine that gives these URLs for any query. */
function engine(
  urls: readonly string[] | ((nth: number) => readonly string[]),
): SearchProvider & { readonly asked: Asked[] } {
  const queries: Asked[] = []
  return {
    name: 'Finder',
    asked: queries,
    async search(query, { limit }) {
      queries.push({ query, limit })
      return (typeof urls === 'function' ? urls(queries.length) : urls).map((url) => ({
        title: 'A page',
        url,
        text: '',
      }))
    },
  }
}

async function run(search: SearchProvider, recipe: object) {
  const world = createWorld(PAGES, { search })
  const id = await world.start(JSON.parse(JSON.stringify(recipe)))
  await world.work()
  return { world, id, execution: await world.read(id) }
}

const listed = async ({ platform }: World, id: string) =>
  (await platform.api.executions.pages(OWNER, id, { limit: 100 })).items.map(
    ({ url, listedBy }) => [url, listedBy],
  )

describe('an execution that starts from a search', () => {
  it('visits the results, best first, and its receipt says that they come from the search', async () => {
    const search = engine([`${BIKES}/used/1`, `${WHEELS}/offers/2`])
    const { world, id, execution } = await run(search, {
      start: { search: 'used bikes' },
      crawl: { concurrency: 1 },
      extract: TITLES,
    })
    expect(execution.status).toBe('succeeded')
    expect(await world.rows(id)).toEqual([{ title: 'Racer' }, { title: 'Tandem' }])
    expect(await listed(world, id)).toEqual([
      [`${BIKES}/used/1`, 'search'],
      [`${WHEELS}/offers/2`, 'search'],
    ])
    expect(search.asked).toEqual([{ query: 'used bikes', limit: 20 }])
    expect(execution.cost.credits).toBe(2)
  })

  it('leaves out results that cannot or may not be fetched, and duplicates', async () => {
    const search = engine([
      'mailto:a@example.com',
      'nonsense',
      'http://127.0.0.1/admin',
      'http://printer.local/',
      'https://ann:secret@bikes.example.com/',
      `${BIKES}/used/1?utm_source=finder`,
      `${BIKES}/used/1`,
      `${BIKES}/used/1#top`,
      `${WHEELS}/offers/2`,
    ])
    const { world, id } = await run(search, {
      start: { search: { query: 'used bikes', limit: 5 } },
      crawl: { concurrency: 1 },
      extract: TITLES,
    })
    expect((await world.receipt(id)).map(({ url }) => url)).toEqual([
      `${BIKES}/used/1?utm_source=finder`,
      `${WHEELS}/offers/2`,
    ])
    expect(search.asked).toEqual([{ query: 'used bikes', limit: 5 }])
  })

  it('uses no more results than the recipe wants, and visits no more pages than it may', async () => {
    const many = engine(Array.from({ length: 30 }, (_, index) => `${BIKES}/used/${index}`))
    const three = await run(many, {
      start: { search: { query: 'bikes', limit: 3 } },
      extract: TITLES,
    })
    expect(await three.world.receipt(three.id)).toHaveLength(3)
    const capped = await run(many, {
      start: { search: 'bikes' },
      crawl: { maxPages: 2, concurrency: 1 },
      extract: TITLES,
    })
    expect(capped.execution.counters).toMatchObject({
      discovered: 20,
      visited: 2,
      skipped_limit: 18,
    })
  })

  it('limits its scope to the results', async () => {
    const { world, id } = await run(engine([`${BIKES}/used/1`, `${WHEELS}/offers/2`]), {
      start: { search: 'bikes' },
      crawl: { scope: 'host', concurrency: 1 },
      extract: TITLES,
    })
    expect((await world.rows(id)).map(({ title }) => title).toSorted()).toEqual([
      'Cargo',
      'Folder',
      'Racer',
      'Tandem',
    ])
    expect(await world.receipt(id)).toContainEqual({
      url: 'https://elsewhere.example.net/',
      outcome: 'skipped_scope',
      code: 'out_of_scope',
    })
  })

  it('detects on a page of the results what it leaves open', async () => {
    const list =
      '<main>' +
      ['a', 'b', 'c', 'd']
        .map(
          (name) =>
            `<article class="card"><a href="/${name}"><h3>Bike ${name} for riding to work` +
            '</h3></a><span class="price">€ 9.50</span></article>',
        )
        .join('') +
      '</main>'
    const world = createWorld({ [`${BIKES}/list`]: list }, { search: engine([`${BIKES}/list`]) })
    const id = await world.start({ start: { search: 'bikes' }, extract: 'auto' })
    await world.work()
    expect(await world.rows(id)).toHaveLength(4)
  })

  it('can have start URLs and a sitemap as well', async () => {
    const world = createWorld(
      {
        ...PAGES,
        [`${WHEELS}/map.xml`]: {
          headers: { 'content-type': 'application/xml' },
          body: `<urlset><url><loc>${WHEELS}/offers/2</loc></url></urlset>`,
        },
      },
      { search: engine([`${BIKES}/used/1`, `${BIKES}/used/3`]) },
    )
    const id = await world.start({
      start: { urls: [`${BIKES}/used/3`], search: 'bikes', sitemap: `${WHEELS}/map.xml` },
      extract: TITLES,
    })
    await world.work()
    expect(await listed(world, id)).toEqual([
      [`${BIKES}/used/3`, null],
      [`${BIKES}/used/1`, 'search'],
      [`${WHEELS}/offers/2`, 'sitemap'],
    ])
  })

  it('does not search again for its failed pages, whose scope is that of the search', async () => {
    const search = engine((nth) => (nth === 1 ? [`${BIKES}/used/9`] : [`${WHEELS}/offers/2`]))
    const world = createWorld(
      {
        ...PAGES,
        [`${BIKES}/used/9`]: (nth) =>
          nth === 1 ? { status: 404 } : bike('Trike', '<a href="/used/3">more</a>'),
      },
      { search },
    )
    const id = await world.start({
      start: { search: 'bikes' },
      crawl: { scope: 'host', concurrency: 1 },
      extract: TITLES,
    })
    await world.work()
    const again = await world.platform.api.executions.retry(OWNER, id, { only: 'failed' })
    await world.work()
    expect(await listed(world, again.id)).toEqual([
      [`${BIKES}/used/9`, 'search'],
      [`${BIKES}/used/3`, null],
    ])
    expect(await world.receipt(again.id)).toMatchObject([
      { outcome: 'fetched' },
      { outcome: 'fetched' },
    ])
    expect(search.asked).toHaveLength(1)
  })

  it('searches anew when it is retried, but not when kept pages are read', async () => {
    const search = engine((nth) => (nth === 1 ? [`${BIKES}/used/1`] : [`${WHEELS}/offers/2`]))
    const { world, id } = await run(search, {
      start: { search: 'bikes' },
      page: { keep: true },
      extract: TITLES,
    })
    const again = await world.platform.api.executions.retry(OWNER, id)
    await world.work()
    expect(await world.rows(again.id)).toEqual([{ title: 'Tandem' }])
    const rerun = await world.platform.api.executions.extract(OWNER, id, {
      recipe: { extract: { fields: { name: 'h1' } } },
    })
    await world.work()
    expect(await world.rows(rerun.id)).toEqual([{ name: 'Racer' }])
    expect(search.asked).toHaveLength(2)
  })
})

describe('a search that fails', () => {
  const failing = (failures: readonly unknown[]): SearchProvider & { tries: number } => ({
    name: 'Finder',
    tries: 0,
    async search() {
      const failure = failures[this.tries++]
      if (failure !== undefined) throw failure
      return [{ title: 'A page', url: `${BIKES}/used/1`, text: '' }]
    },
  })
  const recipe = { start: { search: 'bikes' }, extract: TITLES }

  it('is tried again, after the time that the service names', async () => {
    const search = failing([
      new SearchFailure('limited', 'Too many', { retryAfter: 40 }),
      new SearchFailure('unreachable', 'Away'),
    ])
    const { world, execution } = await run(search, recipe)
    expect([execution.status, search.tries]).toEqual(['succeeded', 3])
    expect(world.clock.now() - Date.parse(execution.createdAt)).toBeGreaterThanOrEqual(42_000)
  })

  it('at last ends the execution, with the reason', async () => {
    const away = failing(
      Array.from(
        { length: 9 },
        () => new SearchFailure('unreachable', 'The search service could not be reached'),
      ),
    )
    expect((await run(away, recipe)).execution).toMatchObject({
      status: 'failed',
      reason: {
        code: 'search_unreachable',
        message: 'The search failed: The search service could not be reached',
      },
      cost: { credits: 0 },
    })
    expect(away.tries).toBe(3)
    const refused = failing([new SearchFailure('refused', 'The key is wrong')])
    expect((await run(refused, recipe)).execution.reason?.code).toBe('search_refused')
    expect(refused.tries).toBe(1)
    expect(
      (
        await run(
          failing([new SearchFailure('limited', 'Too many', { retryAfter: 3_600 })]),
          recipe,
        )
      ).execution.reason?.code,
    ).toBe('search_limited')
  })

  it("shows nothing of an error or a timeout of a host's own provider", async () => {
    const broken = failing(Array.from({ length: 3 }, () => new TypeError('password=hunter2')))
    expect((await run(broken, recipe)).execution.reason).toEqual({
      code: 'search_unusable',
      message: 'The search failed: The search service returned no usable results',
    })
    const silent: SearchProvider = { name: 'Finder', search: () => new Promise(() => {}) }
    expect((await run(silent, recipe)).execution.reason).toEqual({
      code: 'search_unreachable',
      message: 'The search failed: The search service did not answer in time',
    })
  })

  it('is reported if there are no results, unless the recipe has another start', async () => {
    expect((await run(engine([]), recipe)).execution).toMatchObject({
      status: 'failed',
      reason: { code: 'search_empty', message: 'The search (Finder) found no page to start from' },
    })
    expect(
      (await run(engine([]), { ...recipe, start: { urls: [`${BIKES}/used/1`], search: 'bikes' } }))
        .execution.status,
    ).toBe('succeeded')
  })
})

describe('without a search engine', () => {
  it('an account finds pages that it has fetched itself, and none of others', async () => {
    const world = createWorld(PAGES)
    const first = await world.start({
      start: { urls: [`${BIKES}/used/1`, `${WHEELS}/offers/2`] },
      extract: TITLES,
    })
    await world.work()
    expect((await world.read(first)).status).toBe('succeeded')
    const secondId = await world.start({ start: { search: 'tandem' }, extract: TITLES })
    await world.work()
    expect(await world.rows(secondId)).toEqual([{ title: 'Tandem' }])
    const other = { ...OWNER, account: 'rival' }
    const task = await world.platform.api.tasks.create(other, {
      recipe: { start: { search: 'tandem' }, extract: TITLES },
    })
    expect(task.name).toBe('tandem')
    const { id } = await world.platform.api.executions.start(other, task.id)
    await world.work()
    expect((await world.platform.api.executions.get(other, id)).reason).toEqual({
      code: 'search_empty',
      message: 'The search (fetched pages) found no page to start from',
    })
  })
})

/** Opens a world with a search engine whose results are different each time. */
function openSearch() {
  const search = engine((nth) => [1, 2, 3].map((i) => `${BIKES}/answer/${nth}/${i}`))
  const pages = Object.fromEntries(
    Array.from({ length: 40 }, (_, nth) =>
      [1, 2, 3].map((i): [string, string] => [`${BIKES}/answer/${nth}/${i}`, bike(`${nth}`)]),
    ).flat(),
  )
  return createWatchedWorld(pages, { search })
}

async function runSearch({ world, broken, work }: OpenRuns): Promise<void> {
  const id = await world.start({
    start: { search: 'bikes' },
    crawl: { scope: 'path', concurrency: 1 },
    extract: TITLES,
  })
  await work(id)
  const { status, counters, cost } = await world.read(id)
  if (
    status !== 'succeeded' ||
    counters.discovered !== 3 ||
    counters.fetched !== 3 ||
    cost.credits !== 3
  )
    broken.add('the run is not exact')
  if (new Set((await world.rows(id)).map(({ title }) => title)).size !== 1)
    broken.add('pages of two searches were visited')
  for (const { subject, message } of (await world.platform.verify()).differences)
    broken.add(`verify: ${subject} ${message}`)
}

const enumerate = (fault: Fault, spoil?: (store: Store) => Store) =>
  playFaults(fault, { open: openSearch, run: runSearch, spoil })

describe('each commit of a run that starts from a search fails in each possible way', () => {
  it.each(FAULTS)('%s', async (fault) => {
    const { scenarios, broken } = await enumerate(fault)
    expect(broken).toEqual([])
    expect(scenarios).toBeGreaterThan(5)
  })

  it('planted: the checks notice a run that does not store the results of its search', async () => {
    const forgetful = (store: Store): Store =>
      through(store, (change) =>
        store.commit({
          ...change,
          set: (change.set ?? []).filter(({ key }) => key[1] !== 'found-starts'),
        }),
      )
    expect((await enumerate('crash-before', forgetful)).broken).not.toEqual([])
  })
})
