import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMemoryBlobs } from '../../../src/defaults/memory-blobs.ts'
import { createRecords } from '../../../src/features/records.ts'
import { underWay } from '../../support/fakes/fake-clock.ts'
import { createFakeBrowser } from '../../support/fakes/fake-browser.ts'
import type { Answer } from '../../support/fakes/fake-web.ts'
import { OWNER, createWorld } from '../../support/worlds/world.ts'
import type { World } from '../../support/worlds/world.ts'

const SITE = 'https://shop.example.com'
const PAGES: Record<string, Answer> = {
  [`${SITE}/`]:
    '<h1>All pens</h1><a class="p" href="/p/1">1</a><a class="p" href="/p/2">2</a>' +
    '<a class="p" href="/old">3</a><a class="p" href="/none">4</a>',
  [`${SITE}/p/1`]: (nth) => `<h1>Biro</h1><b class="price">${nth}</b>`,
  [`${SITE}/p/2`]: (nth) => `<h1>Nib</h1><b class="price">${nth}</b>`,
  [`${SITE}/old`]: { status: 301, headers: { location: '/p/3' } },
  [`${SITE}/p/3`]: (nth) => `<h1>Quill</h1><b class="price">${nth}</b>`,
}
const HOUR = 3_600
const RECIPE = {
  start: { urls: [`${SITE}/`] },
  follow: [{ links: 'a.p', as: 'detail' }],
  page: { maxAgeSeconds: HOUR },
  crawl: { concurrency: 1 },
  extract: { on: 'detail', fields: { title: 'h1', price: { css: '.price', as: 'integer' } } },
}
const FIRST = [
  { title: 'Biro', price: 1 },
  { title: 'Nib', price: 1 },
  { title: 'Quill', price: 1 },
]

const copy = (recipe: object) => JSON.parse(JSON.stringify(recipe))

async function run(world: World, recipe: object = RECIPE) {
  const before = asked(world)
  const began = world.clock.now()
  const id = await world.start(copy(recipe))
  await world.work()
  return {
    id,
    execution: await world.read(id),
    rows: await world.rows(id),
    requests: asked(world) - before,
    took: world.clock.now() - began,
  }
}

/** The number of requests for pages so far. */
function asked({ web }: World): number {
  return [...web.requests].reduce(
    (sum, [url, times]) => sum + (url.endsWith('/robots.txt') ? 0 : times),
    0,
  )
}

const cacheBlobs = async ({ blobs }: World) =>
  (await blobs.list('')).filter((name) => name.includes('/cache/'))

// Some steps of a Node stream cannot be seen from outside, and the clock would go on meanwhile.
const readWhole = Response.prototype.arrayBuffer
beforeAll(() => {
  Response.prototype.arrayBuffer = function (this: Response) {
    return underWay(() => readWhole.call(this))
  }
})
afterAll(() => {
  Response.prototype.arrayBuffer = readWhole
})

describe('a cached page that is young enough', () => {
  it('is not requested again, costs nothing, and the receipt says so', async () => {
    const world = createWorld(PAGES)
    const first = await run(world)
    expect([first.rows, first.requests, first.execution.cost.credits]).toEqual([FIRST, 6, 4])
    const second = await run(world)
    expect(second.execution).toMatchObject({
      status: 'succeeded',
      counters: { discovered: 5, fetched: 0, unchanged: 4, failed: 1, bytes: 0, rows: 3 },
      cost: { credits: 0 },
    })
    // Failed pages are requested anew.
    expect([second.rows, second.requests]).toEqual([FIRST, 1])
    const { items } = await world.platform.api.executions.pages(OWNER, second.id, { limit: 100 })
    expect(
      items.map(({ url, finalUrl, outcome, reason, bytes, credits }) => [
        url,
        finalUrl,
        outcome,
        reason?.code ?? null,
        bytes,
        credits,
      ]),
    ).toEqual([
      [`${SITE}/`, null, 'unchanged', 'cached_page', 0, 0],
      [`${SITE}/p/1`, null, 'unchanged', 'cached_page', 0, 0],
      [`${SITE}/p/2`, null, 'unchanged', 'cached_page', 0, 0],
      [`${SITE}/old`, `${SITE}/p/3`, 'unchanged', 'cached_page', 0, 0],
      [`${SITE}/none`, null, 'failed', 'http_404', 0, 0],
    ])
    expect(items[0]?.reason?.message).toBe(
      'Reused from 2026-01-01T00:00:00.000Z; it was not requested again',
    )
  })

  it('costs what an unchanged page costs', async () => {
    const world = createWorld(PAGES, { billing: { prices: { fetched: 5, unchanged: 2 } } })
    expect((await run(world)).execution.cost.credits).toBe(20)
    expect((await run(world)).execution.cost.credits).toBe(8)
  })

  it('is judged by the age that the execution names, within the age of the execution that fetched it', async () => {
    const world = createWorld(PAGES)
    await run(world)
    await world.clock.advance(600_000)
    expect((await run(world, { ...RECIPE, page: { maxAgeSeconds: 2 * HOUR } })).requests).toBe(1)
    expect((await run(world, { ...RECIPE, page: { maxAgeSeconds: 300 } })).requests).toBe(6)
    await world.clock.advance(301_000)
    // The pages that were fetched last are valid for five minutes.
    expect((await run(world)).requests).toBe(6)
    await world.clock.advance(HOUR * 1_000 + 1)
    expect((await run(world)).rows.map(({ price }) => price)).toEqual([4, 4, 4])
  })

  it('does not wait for its host', async () => {
    const world = createWorld(PAGES)
    const slow = {
      ...RECIPE,
      start: { urls: [`${SITE}/`, `${SITE}/p/{1..3}`] },
      follow: [],
      crawl: { ...RECIPE.crawl, delayMs: 20_000 },
      extract: { fields: { title: 'h1' } },
    }
    expect((await run(world, slow)).took).toBeGreaterThanOrEqual(60_000)
    const again = await run(world, {
      ...slow,
      start: { urls: [`${SITE}/`, `${SITE}/p/{1..3}`, `${SITE}/none`] },
    })
    expect([again.requests, again.execution.counters.unchanged]).toEqual([1, 4])
    expect(again.took).toBeLessThan(20_000)
  })

  it('is read by another recipe as well', async () => {
    const world = createWorld(PAGES)
    await run(world)
    const titles = await run(world, {
      start: { urls: [`${SITE}/p/2`] },
      page: { maxAgeSeconds: 60 },
      extract: { fields: { name: 'h1' } },
    })
    expect([titles.rows, titles.requests]).toEqual([[{ name: 'Nib' }], 0])
  })

  it('may redirect to a page that is cached already', async () => {
    const world = createWorld(PAGES)
    await run(world)
    const { id } = await run(world, {
      ...RECIPE,
      start: { urls: [`${SITE}/p/3`, `${SITE}/old`] },
      follow: [],
      extract: { fields: { title: 'h1' } },
    })
    expect((await world.receipt(id)).map(({ outcome, code }) => [outcome, code])).toEqual([
      ['fetched', null],
      ['duplicate', 'redirected_to_known'],
    ])
  })

  it('obeys robots.txt like any other page', async () => {
    const rules = { body: '', headers: { 'content-type': 'text/plain' } }
    const world = createWorld({
      ...PAGES,
      [`${SITE}/robots.txt`]: (nth) =>
        nth === 1 ? rules : { ...rules, body: 'User-agent: *\nDisallow: /p/' },
    })
    await run(world)
    const id = await world.start(copy(RECIPE))
    await world.work(world.join())
    expect((await world.receipt(id)).map(({ outcome }) => outcome)).toEqual([
      'unchanged',
      'skipped_robots',
      'skipped_robots',
      'unchanged',
      'failed',
    ])
  })

  it('is kept with the execution that read it, if that execution keeps pages', async () => {
    const world = createWorld(PAGES)
    await run(world)
    const keeping = { ...RECIPE, page: { maxAgeSeconds: HOUR, keep: true } }
    const second = await run(world, keeping)
    expect(second.execution).toMatchObject({
      counters: { unchanged: 4 },
      kept: { pages: 4, omitted: 0 },
    })
    const third = await world.platform.api.executions.extract(OWNER, second.id, {
      recipe: { extract: { on: 'detail', fields: { name: 'h1' } } },
    })
    await world.work()
    expect(await world.rows(third.id)).toEqual([
      { name: 'Biro' },
      { name: 'Nib' },
      { name: 'Quill' },
    ])
  })

  it('is read from the kept pages of an execution, so it is not written twice', async () => {
    const world = createWorld(PAGES)
    await run(world, { ...RECIPE, page: { maxAgeSeconds: HOUR, keep: true } })
    expect(await cacheBlobs(world)).toEqual([])
    expect((await run(world)).requests).toBe(1)
  })
})

describe('a page is requested', () => {
  it('if the recipe does not ask for cached pages; then it caches none either', async () => {
    const world = createWorld(PAGES)
    const plain = { ...RECIPE, page: {} }
    await run(world, plain)
    expect([
      await createRecords(world.store).cachedPages.list(OWNER.account, { limit: 10 }),
      await cacheBlobs(world),
    ]).toEqual([[], []])
    expect((await run(world)).requests).toBe(6)
    expect((await run(world, plain)).requests).toBe(6)
    expect((await run(world, { ...RECIPE, page: { maxAgeSeconds: 0 } })).requests).toBe(6)
  })

  it('if the request would be another one, by URL or headers', async () => {
    const world = createWorld(PAGES)
    const page = {
      maxAgeSeconds: HOUR,
      headers: { Authorization: 'Bearer ann', 'Accept-Language': 'en' },
    }
    await run(world, { ...RECIPE, page })
    expect(
      (
        await run(world, {
          ...RECIPE,
          page: { ...page, headers: { 'accept-language': 'en', authorization: 'Bearer ann' } },
        })
      ).requests,
    ).toBe(1)
    expect(
      (
        await run(world, {
          ...RECIPE,
          page: { ...page, headers: { ...page.headers, Authorization: 'Bearer bob' } },
        })
      ).requests,
    ).toBe(6)
    expect((await run(world)).requests).toBe(6)
    expect((await run(world, { ...RECIPE, start: { urls: [`${SITE}/?a=1`] } })).requests).toBe(1)
  })

  it('again for every other account', async () => {
    const world = createWorld(PAGES)
    await run(world)
    const before = asked(world)
    const other = { ...OWNER, account: 'rival' }
    const task = await world.platform.api.tasks.create(other, { recipe: copy(RECIPE) })
    await world.platform.api.executions.start(other, task.id)
    await world.work()
    expect(asked(world) - before).toBe(6)
  })

  it('if its bytes were deleted, when its turn comes', async () => {
    const world = createWorld(PAGES)
    await run(world)
    for (const name of await cacheBlobs(world)) await world.blobs.remove(name)
    const { requests, execution, rows } = await run(world)
    expect([requests, execution.status, rows.map(({ price }) => price)]).toEqual([
      6,
      'succeeded',
      [2, 2, 2],
    ])
  })

  it('if there was no room to cache it', async () => {
    const world = createWorld(PAGES, { keptPages: { maxBytesPerExecution: 10 } })
    await run(world)
    expect((await run(world)).requests).toBe(6)
  })

  it('if the recipe detects on it what it leaves open', async () => {
    const world = createWorld(PAGES)
    const open = {
      start: { urls: [`${SITE}/p/1`, `${SITE}/p/2`] },
      page: { maxAgeSeconds: HOUR },
      crawl: { concurrency: 1 },
      extract: 'auto',
    }
    await run(world, open)
    const { id, requests } = await run(world, open)
    expect(requests).toBe(1)
    expect((await world.receipt(id)).map(({ outcome }) => outcome)).toEqual([
      'fetched',
      'unchanged',
    ])
  })
})

describe('rendered pages', () => {
  const APP = '<script src="/app.js"></script><div id="app"></div>'
  const drawn = () =>
    createFakeBrowser((page) => ({
      html: page.replace('<div id="app">', '<div id="app"><h1>Drawn</h1>'),
    }))
  const rendered = {
    start: { urls: [`${SITE}/app`] },
    page: { maxAgeSeconds: HOUR, render: 'browser' },
    extract: { fields: { title: 'h1' } },
  }

  it('are not rendered again with the same settings', async () => {
    const browser = drawn()
    const world = createWorld({ [`${SITE}/app`]: APP }, { browser })
    await run(world, rendered)
    const again = await run(world, rendered)
    expect([again.rows, again.requests, browser.requests.length]).toEqual([
      [{ title: 'Drawn' }],
      0,
      1,
    ])
    await run(world, {
      ...rendered,
      page: { ...rendered.page, viewport: { width: 400, height: 800 } },
    })
    expect(browser.requests).toHaveLength(2)
    expect((await run(world, { ...rendered, page: { maxAgeSeconds: HOUR } })).requests).toBe(1)
  })

  it('are rendered once if the cached page of another recipe was not rendered', async () => {
    const browser = drawn()
    const world = createWorld(
      { [`${SITE}/app`]: `<title>App</title><p>${'Words of a frame. '.repeat(30)}</p>${APP}` },
      { browser },
    )
    const auto = (fields: object) => ({
      start: { urls: [`${SITE}/app`] },
      page: { maxAgeSeconds: HOUR, render: 'auto' },
      extract: { fields },
    })
    await run(world, auto({ name: 'title' }))
    const before = browser.requests.length
    expect((await run(world, auto({ name: 'h1' }))).rows).toEqual([{ name: 'Drawn' }])
    expect([before, browser.requests.length]).toEqual([0, 1])
    const last = await run(world, auto({ name: '.none', title: 'title' }))
    expect([last.requests, browser.requests.length]).toEqual([0, 1])
  })
})

describe('cached pages are deleted', () => {
  it('when they are too old, but not before', async () => {
    const world = createWorld(PAGES)
    await run(world)
    expect(await cacheBlobs(world)).not.toEqual([])
    await world.clock.advance(HOUR * 1_000 - 60_000)
    await world.work()
    expect((await run(world)).requests).toBe(1)
    await world.clock.advance(120_000)
    await world.work()
    expect(await cacheBlobs(world)).toEqual([])
    const records = createRecords(world.store)
    expect([
      await records.cachedPages.list(OWNER.account, { limit: 10 }),
      await records.cacheBlobs.list(OWNER.account, { limit: 10 }),
    ]).toEqual([[], []])
  })

  it('with their execution, if the plan keeps executions for a shorter time', async () => {
    const DAY = 86_400
    const world = createWorld(PAGES, {
      billing: {
        plans: [{ id: 'short', name: 'Short', creditsPerMonth: 100_000, retentionDays: 1 }],
      },
    })
    await run(world, { ...RECIPE, page: { maxAgeSeconds: 30 * DAY } })
    for (let day = 0; day < 3; day++) {
      await world.clock.advance(DAY * 1_000)
      await world.work()
    }
    expect(await world.blobs.list('')).toEqual([])
    expect((await run(world, { ...RECIPE, page: { maxAgeSeconds: 30 * DAY } })).requests).toBe(6)
  })
})

it.each([
  ['is not a whole number', { maxAgeSeconds: 1.5 }, {}],
  ['is negative', { maxAgeSeconds: -1 }, {}],
  ['is more than thirty days', { maxAgeSeconds: 2_592_001 }, {}],
  [
    'is asked for with a screenshot',
    { maxAgeSeconds: 60, render: 'browser' },
    { formats: ['screenshot'], extract: undefined },
  ],
])('an age that %s is refused', async (_, page, more) => {
  const world = createWorld(PAGES, {
    browser: createFakeBrowser(() => ({})),
    blobs: createMemoryBlobs(),
  })
  await expect(
    world.platform.api.tasks.create(OWNER, { recipe: copy({ ...RECIPE, ...more, page }) }),
  ).rejects.toMatchObject({ issues: [{ path: 'recipe.page.maxAgeSeconds' }] })
})
