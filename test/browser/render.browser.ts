import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { ExtractRules } from '../../src/engine/recipe/recipe-input.ts'
import type { Platform } from '../../src/platform/options.ts'
import { browserOf, platformOf, run } from './render-world.ts'
import type { JsonObject } from './render-world.ts'
import { openScriptShop } from './script-shop.ts'
import type { ScriptShop } from './script-shop.ts'

let shop: ScriptShop
let platform: Platform

beforeAll(async () => {
  shop = await openScriptShop()
  platform = platformOf({
    browser: browserOf(),
    allowPrivateNetwork: true,
    billing: { prices: { fetched: 1, rendered: 5 } },
  })
})
beforeEach(() => void shop.requests.splice(0))
afterAll(async () => {
  await platform.close()
  shop.close()
})

const items: ExtractRules = {
  items: '.pen',
  fields: { name: 'b', price: { css: '.price', as: 'number' } },
}
const recipeOf = (path: string, rest: JsonObject, page: JsonObject = { render: 'browser' }) => ({
  start: { urls: [shop.origin + path] },
  page,
  ...rest,
})

it('rows that scripts make are extracted, at the price of a rendered page', async () => {
  const { execution, rows, pages } = await run(platform, recipeOf('/pens', { extract: items }))
  expect(execution.status).toBe('succeeded')
  expect(rows).toEqual([
    { name: 'Pen 1', price: 3 },
    { name: 'Pen 2', price: 6 },
    { name: 'Pen 3', price: 9 },
  ])
  expect(pages).toMatchObject([{ outcome: 'fetched', credits: 5 }])
  // The page itself was fetched once.
  expect(shop.requests.map(({ path }) => path).toSorted()).toEqual([
    '/api/pens?page=1',
    '/app.js',
    '/pens',
    '/robots.txt',
    '/style.css',
  ])
})

it('the button for more is clicked until there is no more', async () => {
  const { rows } = await run(
    platform,
    recipeOf(
      '/pens',
      { extract: items },
      {
        render: 'browser',
        actions: [
          { wait: '.pen' },
          { click: '#none', optional: true },
          { click: '//button[@id="more"]', times: 20 },
        ],
      },
    ),
  )
  expect(rows.map(({ name }) => name)).toEqual([
    'Pen 1',
    'Pen 2',
    'Pen 3',
    'Pen 4',
    'Pen 5',
    'Pen 6',
    'Pen 7',
    'Pen 8',
    'Pen 9',
  ])
})

it('actions fill fields, press keys, scroll and pause', async () => {
  const searched = await run(
    platform,
    recipeOf(
      '/search',
      { extract: { fields: { found: '#found' } } },
      {
        render: 'browser',
        actions: [{ fill: '#q', value: 'a nib' }, { press: 'Enter' }, { wait: 10 }],
      },
    ),
  )
  expect(searched.rows).toEqual([{ found: 'Found: a nib' }])
  const scrolled = await run(
    platform,
    recipeOf(
      '/long',
      { extract: { items: '.later', fields: { part: { css: ':scope' } } } },
      { render: 'browser', actions: [{ scroll: 'end', times: 10 }] },
    ),
  )
  // The page may hear of several scrolls as one.
  expect(scrolled.rows.map(({ part }) => part)).toEqual(['Part 1', 'Part 2', 'Part 3'])
})

it('a page fails if an action cannot be done, and the reason names the action', async () => {
  const { pages, execution } = await run(
    platform,
    recipeOf(
      '/plain',
      { extract: items },
      { render: 'browser', actions: [{ wait: 'h1' }, { click: '.nowhere' }] },
    ),
  )
  expect(execution.status).toBe('failed')
  expect(pages).toMatchObject([
    {
      outcome: 'failed',
      code: 'render_action',
      message: expect.stringContaining('page.actions.1'),
      credits: 0,
    },
  ])
})

it('`auto` renders only pages that are empty without their scripts', async () => {
  const both = await run(platform, {
    start: { urls: [`${shop.origin}/pens`, `${shop.origin}/plain`] },
    page: { render: 'auto' },
    extract: items,
  })
  expect(both.rows.map(({ name }) => name).toSorted()).toEqual([
    'Pen 1',
    'Pen 2',
    'Pen 3',
    'Pencil',
  ])
  expect(
    Object.fromEntries(both.pages.map(({ url, credits }) => [new URL(url).pathname, credits])),
  ).toEqual({ '/pens': 5, '/plain': 1 })
})

it('previews render, too', async () => {
  const preview = await platform.api.previews.run(
    { account: 'acme', user: 'ann', scopes: ['*'] },
    { recipe: recipeOf('/pens', { extract: items }), scope: 'recipe' },
  )
  expect(preview.rows).toHaveLength(3)
})

it('cookies that pages set are sent, and headers of the recipe go to their origin only', async () => {
  const { rows } = await run(
    platform,
    recipeOf(
      '/cookie',
      { extract: { fields: { seen: '#seen' } } },
      { render: 'browser', headers: { 'x-key': 'k', 'user-agent': 'Ours/1' } },
    ),
  )
  expect(rows).toEqual([{ seen: 'cookies a=1; b=2; key k; agent Ours/1' }])
})

it('scripts may lead to another address, over redirects, and links are relative to it', async () => {
  const { rows, pages } = await run(
    platform,
    recipeOf('/moves', {
      extract: { fields: { title: 'title', next: { css: '.next', attr: 'href', as: 'url' } } },
    }),
  )
  expect(rows).toEqual([{ title: 'Here!', next: `${shop.origin}/deep/there` }])
  expect(pages).toMatchObject([{ finalUrl: `${shop.origin}/deep/here` }])
})

it('robots.txt is asked before each request of a script', async () => {
  const fields = { extract: { fields: { got: '#got' } } }
  expect((await run(platform, recipeOf('/peeks', fields))).rows).toEqual([{ got: 'nothing' }])
  expect(
    (await run(platform, recipeOf('/peeks', { ...fields, crawl: { robots: false } }))).rows,
  ).toEqual([{ got: 'secret' }])
})

it.each(['/endless', '/late-endless'])('ends a page whose script does not: %s', async (path) => {
  const { pages } = await run(
    platform,
    recipeOf(path, { extract: { fields: { text: 'p' } } }, { render: 'browser', timeoutMs: 6_000 }),
  )
  expect(pages).toMatchObject([{ outcome: 'failed', code: 'render_timeout' }])
  expect((await run(platform, recipeOf('/pens', { extract: items }))).rows).toHaveLength(3)
})

it('a page that waits for an answer without end is read as it is', async () => {
  const { rows } = await run(
    platform,
    recipeOf(
      '/hangs',
      { extract: { fields: { text: 'p' } } },
      { render: 'browser', timeoutMs: 12_000 },
    ),
  )
  expect(rows).toEqual([{ text: 'waiting' }])
})
