import type { RecipeInput } from 'seine'
import { expect, it } from 'vitest'
import { Semaphore } from '../../../src/kernel/concurrency.ts'
import { RenderFailure } from '../../../src/kernel/failures.ts'
import type { Browser } from '../../../src/ports/browser.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { createFakeBrowser } from '../../support/fakes/fake-browser.ts'
import { createWorld, OWNER } from '../../support/worlds/world.ts'

const SHOP = 'https://shop.example.com/'
const html = (body: string) => ({ headers: { 'content-type': 'text/html' }, body })
const shell = html('<title>Shop</title><div id="app"></div><script src="/app.js"></script>')
const rich = html(
  `<title>Shop</title><b class="pen">Pencil</b><p>${'word '.repeat(600)}</p><script></script>`,
)
const drawn = createFakeBrowser((page) => ({
  html: page.replace('<div id="app">', '<div id="app"><b class="pen">Pen</b>'),
}))
const extract = { items: '.pen', fields: { name: ':scope' } }
const recipeOf = (render: 'browser' | 'auto', rest: Partial<RecipeInput> = {}): RecipeInput => ({
  start: { urls: [SHOP] },
  page: { render },
  extract,
  ...rest,
})
const PNG = new Uint8Array([
  0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 4,
  0, 0, 0, 3, 8, 2, 0, 0, 0,
])

it('a recipe that asks for a browser is refused if there is none', async () => {
  const world = createWorld({ [SHOP]: shell })
  for (const render of ['browser', 'auto'] as const)
    await expect(world.start(recipeOf(render))).rejects.toMatchObject({
      code: 'NOT_FOUND',
      passing: true,
      issues: [{ path: 'recipe.page.render' }],
    })
  await expect(
    world.platform.api.previews.run(OWNER, { recipe: recipeOf('browser'), scope: 'recipe' }),
  ).rejects.toMatchObject({ issues: [{ path: 'recipe.page.render' }] })
})

it('an execution fails in a worker without a browser', async () => {
  const world = createWorld({ [SHOP]: shell }, { browser: drawn })
  const id = await world.start(recipeOf('browser'))
  const { clock, store, blobs } = world
  const without = createWorld({ [SHOP]: shell }, { clock, store, blobs })
  await without.work()
  expect(await without.read(id)).toMatchObject({ status: 'failed', reason: { code: 'no_browser' } })
})

it('a fetched page is rendered once, at the price of rendered pages', async () => {
  const world = createWorld(
    { [SHOP]: shell },
    { browser: drawn, billing: { prices: { fetched: 1, rendered: 4 } } },
  )
  const id = await world.start(recipeOf('browser'))
  await world.work()
  expect(await world.rows(id)).toEqual([{ name: 'Pen' }])
  expect(world.web.requests.get(SHOP)).toBe(1)
  expect(await world.read(id)).toMatchObject({ status: 'succeeded', cost: { credits: 4 } })
})

it('the time in the browser has the wait for a turn in it', async () => {
  const clock = createFakeClock()
  // As that of Playwright: a page that finds no turn waits within the call.
  const turns = new Semaphore(1)
  const browser = createFakeBrowser((_, { signal }) =>
    turns.run(async () => {
      await clock.sleep(100, signal)
      return {}
    }, signal),
  )
  const urls = ['a', 'b', 'c'].map((name) => `https://${name}.example.com/`)
  const world = createWorld(Object.fromEntries(urls.map((url) => [url, shell])), { clock, browser })
  const id = await world.start(recipeOf('browser', { start: { urls } }))
  await world.work()
  const { items } = await world.platform.api.executions.pages(OWNER, id)
  expect(items.map(({ visit }) => visit?.timings.renderMs)).toEqual([100, 200, 300])
})

it.each([
  [undefined, 1],
  [0, 0],
  [7, 7],
])('a rendered page costs %s credits if a fetched page costs 1', async (rendered, spent) => {
  const world = createWorld(
    { [SHOP]: shell },
    {
      browser: drawn,
      billing: { prices: { fetched: 1, ...(rendered !== undefined && { rendered }) } },
    },
  )
  const id = await world.start(recipeOf('browser'))
  await world.work()
  expect(await world.read(id)).toMatchObject({ cost: { credits: spent } })
})

it('auto renders only pages that are empty without scripts, and charges for these', async () => {
  const browser = createFakeBrowser((page) => ({
    html: page.replace('<div id="app">', '<div id="app"><b class="pen">Pen</b>'),
  }))
  const world = createWorld(
    {
      [SHOP]: shell,
      [`${SHOP}rich`]: rich,
      [`${SHOP}data`]: { headers: { 'content-type': 'application/json' }, body: '{}' },
    },
    { browser, billing: { prices: { fetched: 1, rendered: 4 } } },
  )
  const id = await world.start({
    ...recipeOf('auto'),
    start: { urls: [SHOP, `${SHOP}rich`, `${SHOP}data`] },
  })
  await world.work()
  expect(await world.rows(id)).toEqual([{ name: 'Pen' }, { name: 'Pencil' }])
  expect(browser.requests.map(({ url }) => url)).toEqual([SHOP])
  expect(await world.read(id)).toMatchObject({ cost: { credits: 6 } })
})

it('a budget counts every page as if it were rendered', async () => {
  const pages = Object.fromEntries(
    Array.from({ length: 9 }, (_, index) => [`${SHOP}${index}`, shell]),
  )
  const world = createWorld(pages, {
    browser: drawn,
    billing: { prices: { fetched: 1, rendered: 4 } },
  })
  const id = await world.start({
    ...recipeOf('browser'),
    start: { urls: [`${SHOP}{0..8}`] },
    budget: { credits: 14 },
  })
  await world.work()
  expect((await world.receipt(id)).filter(({ outcome }) => outcome === 'fetched')).toHaveLength(3)
  expect(await world.read(id)).toMatchObject({ cost: { credits: 12 } })
})

it.each<readonly [string, Browser['render'], string]>([
  [
    'a page that takes too long',
    () => Promise.reject(new RenderFailure('timeout', 'late')),
    'render_timeout',
  ],
  [
    'a browser that dies',
    () => Promise.reject(new RenderFailure('crashed', 'dead')),
    'render_crashed',
  ],
  ['a bug', () => Promise.reject(new TypeError('bug')), 'internal_error'],
])('%s is an outcome of its own, and costs nothing', async (_, render, code) => {
  const world = createWorld({ [SHOP]: shell }, { browser: { render, close: async () => {} } })
  const id = await world.start(recipeOf('browser'))
  await world.work()
  expect(await world.receipt(id)).toEqual([{ url: SHOP, outcome: 'failed', code }])
  expect(await world.read(id)).toMatchObject({ status: 'failed', cost: { credits: 0 } })
})

it('a page that the site refuses or robots.txt forbids is not rendered', async () => {
  const browser = createFakeBrowser(() => ({}))
  const world = createWorld(
    {
      [SHOP]: { ...shell, status: 403 },
      [`${SHOP}robots.txt`]: 'User-agent: *\nDisallow: /no',
      [`${SHOP}no`]: shell,
    },
    { browser },
  )
  const id = await world.start({ ...recipeOf('browser'), start: { urls: [SHOP, `${SHOP}no`] } })
  await world.work()
  expect((await world.receipt(id)).map(({ outcome }) => outcome)).toEqual([
    'blocked',
    'skipped_robots',
  ])
  expect(browser.requests).toEqual([])
})

it('a page whose scripts lead to another page of the run is a duplicate', async () => {
  const browser = createFakeBrowser((_, { url }) => (url === SHOP ? {} : { url: `${SHOP}#there` }))
  const world = createWorld({ [SHOP]: shell, [`${SHOP}b`]: shell }, { browser })
  const id = await world.start({
    ...recipeOf('browser'),
    start: { urls: [SHOP, `${SHOP}b`] },
    crawl: { concurrency: 1 },
  })
  await world.work()
  expect((await world.receipt(id)).map(({ outcome }) => outcome)).toEqual(['fetched', 'duplicate'])
})

it('a screenshot is kept once, as media of its row', async () => {
  const browser = createFakeBrowser((_, { screenshot }) => ({
    screenshot: screenshot === null ? null : PNG,
  }))
  const world = createWorld(
    {
      [SHOP]: shell,
      [`${SHOP}b`]: shell,
      [`${SHOP}c.txt`]: { headers: { 'content-type': 'text/plain' }, body: 'plain' },
    },
    { browser },
  )
  const id = await world.start({
    start: { urls: [SHOP, `${SHOP}b`, `${SHOP}c.txt`] },
    page: { render: 'browser' },
    formats: ['text', 'screenshot'],
    extract: { fields: { title: 'title' } },
  })
  await world.work()
  const rows = await world.rows(id)
  const picture = {
    contentType: 'image/png',
    bytes: PNG.length,
    id: expect.stringMatching(/^med_/),
    url: expect.stringContaining('/media/'),
  }
  expect(rows.map((row) => row['screenshot'])).toEqual([
    { ...picture, sourceUrl: SHOP },
    { ...picture, sourceUrl: `${SHOP}b` },
    null,
  ])
  const { items } = await world.platform.api.results.list(OWNER, id, { limit: 1 })
  const [first] = items
  expect(JSON.stringify(first)).toContain('med_')
  const preview = await world.clock.runUntil(
    world.platform.api.previews.run(OWNER, {
      recipe: { start: { urls: [SHOP] }, page: { render: 'browser' }, formats: ['screenshot'] },
      scope: 'recipe',
    }),
  )
  expect(preview.rows).toMatchObject([{ screenshot: { sourceUrl: SHOP } }])
  expect(browser.requests.map(({ screenshot }) => screenshot)).toEqual([
    'viewport',
    'viewport',
    null,
  ])
})

it('the columns that a recipe leaves to the first page are detected on the rendered page', async () => {
  const browser = createFakeBrowser((page) => ({
    html: page.replace(
      '<div id="app">',
      '<div id="app"><ul>' +
        Array.from(
          { length: 8 },
          (_, index) =>
            `<li class="pen"><a href="/${index}">Pen ${index}</a> <span class="price">${index},50 €</span></li>`,
        ).join('') +
        '</ul>',
    ),
  }))
  const world = createWorld({ [SHOP]: shell }, { browser })
  const id = await world.start({
    start: { urls: [SHOP] },
    page: { render: 'auto' },
    extract: 'auto',
  })
  await world.work()
  expect(await world.rows(id)).toHaveLength(8)
  expect(world.web.requests.get(SHOP)).toBe(1)
})
