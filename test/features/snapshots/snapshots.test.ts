import { expect, it } from 'vitest'
import { createFakeBrowser } from '../../support/fakes/fake-browser.ts'
import { seededRandom } from '../../support/fakes/seeded-random.ts'
import type { Row } from '../../../src/kernel/json.ts'
import { createWorld, OWNER } from '../../support/worlds/world.ts'

const SHOP = 'https://shop.example.com'
const item = (i: number): string =>
  `<li class="product"><h2><a href="/pens/${i}">Pen ${i}</a></h2>` +
  `<span class="price">€ ${i}.50</span></li>`
const LIST =
  '<title>Pens</title><style>h1{background:url(https://evil.example.com/a.png);color:red}</style>' +
  `<h1 onclick="steal()" style="top:0;background:url(/b.png)">Pens</h1><ul class="list">` +
  `${[1, 2, 3, 4].map(item).join('')}</ul><a class="next" rel="next" href="/list?page=2">Next</a>` +
  '<script>steal()</script><form action="https://evil.example.com/"><input name="cookie"></form>' +
  '<meta http-equiv="refresh" content="0;url=https://evil.example.com/">' +
  '<iframe src="https://evil.example.com/"></iframe><img src="https://evil.example.com/i.png">' +
  '<svg><use href="https://evil.example.com/s.svg#a"></use></svg><link rel="stylesheet" href="/s.css">'
const AUTO = { start: { urls: [`${SHOP}/list`] }, extract: 'auto' } as const

/** A world with a kept page, and the questions about it. */
async function keptPage(html: string) {
  const world = createWorld({ [`${SHOP}/list`]: html })
  const { previews, snapshots } = world.platform.api
  const preview = await previews.run(OWNER, { recipe: AUTO, scope: 'recipe', keep: true })
  const id = preview.pages[0]?.snapshot ?? ''
  const visits = world.web.requests.size
  const view = await snapshots.get(OWNER, id)
  return {
    world,
    id,
    view,
    /** The number of requested addresses since the page was kept. */
    later: () => world.web.requests.size - visits,
    point: (elements: readonly number[], items?: string) =>
      snapshots.point(OWNER, id, { elements, ...(items !== undefined && { items }) }),
    ask: (recipe: object) =>
      previews.run(OWNER, {
        recipe: { start: AUTO.start, ...recipe },
        scope: 'recipe',
        snapshots: [id],
      }),
    indexOf: (tag: string, nth = 0) =>
      Number(
        [...view.html.matchAll(new RegExp(`<${tag} data-seine-index="(\\d+)"`, 'g'))][nth]?.[1],
      ),
  }
}

it('a kept page is shown without scripts, requests, forms and links', async () => {
  const { view } = await keptPage(LIST)
  expect(view.html).toContain('Pen 1')
  expect(view.html).toContain('Content-Security-Policy')
  expect(`${view.html} ${view.styles.join(' ')}`).not.toMatch(
    /onclick|<script|<form|<iframe|refresh|evil\.example\.com\/(?!a\.png)|href=|<link|<use|name=|src=/,
  )
  // Addresses in a style sheet are removed.
  expect(view.styles).toEqual(['h1{background:noneurl(https://evil.example.com/a.png);color:red}'])
  expect(view.html).toContain('data-seine-style="top:0;background:noneurl(/b.png)"')
  expect(view.isCut).toBe(false)
})

it('for a chosen element its list is proposed, and then sources in the items', async () => {
  const { point, indexOf, later } = await keptPage(LIST)
  const price = await point([indexOf('span', 0)])
  expect(price).toMatchObject({ name: 'price', text: '€ 1.50', isInItems: false, link: null })
  expect(price.lists[0]).toMatchObject({ items: 'li.product', matches: 4 })
  const inItems = await point([indexOf('span', 1)], 'li.product')
  expect(inItems.isInItems).toBe(true)
  expect(inItems.sources[0]).toMatchObject({
    field: { css: '.price', as: 'number' },
    matches: 4,
    elements: [0, 1, 2, 3].map((nth) => indexOf('span', nth)),
  })
  const two = await point([indexOf('span', 0), indexOf('h2', 2)])
  expect(two.lists[0]?.items).toBe('li.product')
  await expect(point([1], 'li[')).rejects.toMatchObject({
    status: 400,
    issues: [{ path: 'items', message: expect.stringContaining('li[') }],
  })
  const outside = await point([indexOf('h1')], 'li.product')
  expect(outside).toMatchObject({ name: 'title', isInItems: false, sources: [] })
  expect(later()).toBe(0)
})

it('a kept page shows the target of a link, and whether it is the next page', async () => {
  const { point, indexOf } = await keptPage(LIST)
  const next = await point([indexOf('a', 4)])
  expect(next.link).toEqual({ url: `${SHOP}/list?page=2`, next: 'a[rel=next]' })
  expect((await point([indexOf('a', 0)])).link).toEqual({ url: `${SHOP}/pens/1`, next: null })
  expect(await point([9_999])).toMatchObject({ sources: [], lists: [] })
})

it('a kept page is previewed again and again without a visit, a quota or a model', async () => {
  const { ask, later, world } = await keptPage(LIST)
  const counted = async () =>
    (await world.store.list({ prefix: ['acme', 'preview-counts'], limit: 10 })).map(
      ({ value }) => value,
    )
  const before = await counted()
  const snapshot = await ask({
    extract: {
      items: 'li.product',
      fields: { name: 'h2', price: { css: '.price', as: 'number' }, none: '.none' },
    },
    follow: [{ links: 'h2 a' }],
  })
  expect(snapshot.rows).toHaveLength(4)
  expect(snapshot.rows[0]).toMatchObject({ name: 'Pen 1', price: 1.5 })
  expect(snapshot.fields.find(({ field }) => field === 'none')?.rate).toBe(0)
  // Its links lead to pages that were not kept.
  expect(snapshot.pages).toHaveLength(1)
  expect(await counted()).toEqual(before)
  expect(later()).toBe(0)
})

it('a kept page belongs to its account, ends after an hour, and is replaced by newer ones', async () => {
  const { world, id } = await keptPage(LIST)
  const { snapshots } = world.platform.api
  await expect(snapshots.get({ ...OWNER, account: 'other' }, id)).rejects.toThrow('Snapshot')
  const page = { url: SHOP, contentType: 'text/html', body: new TextEncoder().encode('<p>1') }
  for (let index = 0; index < 20; index++) await snapshots.keep('acme', page)
  await expect(snapshots.get(OWNER, id)).rejects.toMatchObject({ status: 404 })
  const parts = await world.store.list({ prefix: ['acme', 'snapshot-parts'], limit: 100 })
  expect(parts).toHaveLength(20)
  const last = (await snapshots.keep('acme', page)) ?? ''
  await world.clock.advance(3_600_000)
  await expect(snapshots.open('acme', last)).rejects.toMatchObject({ status: 404 })
})

it('a page that is too large is not kept', async () => {
  const { world } = await keptPage(LIST)
  const page = { url: SHOP, contentType: 'text/html', body: unpackable(2_100_000) }
  expect(await world.platform.api.snapshots.keep('acme', page)).toBeNull()
})

it('a large page is stored in several parts, and is the same when it is opened', async () => {
  const { world } = await keptPage(LIST)
  const { snapshots } = world.platform.api
  const body = unpackable(400_000)
  const id = (await snapshots.keep('acme', { url: SHOP, contentType: 'text/html', body })) ?? ''
  const parts = await world.store.list({ prefix: ['acme', 'snapshot-parts', id], limit: 100 })
  expect(parts).toHaveLength(3)
  const opened = await snapshots.open('acme', id)
  expect(Buffer.compare(opened.body, body)).toBe(0)
})

it('a preview that keeps its page loads what the run does, and so has its rows', async () => {
  // As a page with more pictures than a page may have requests: its data comes after them.
  const browser = createFakeBrowser(async (_, __, ask) => {
    let pictures = 0
    for (let index = 0; index < 520; index++)
      if (await ask({ url: `${SHOP}/${index}.png`, kind: 'asset' })) pictures++
    const data = await ask({ url: `${SHOP}/data`, kind: 'data' })
    return { html: `<h1>${data}</h1><i>${pictures}</i>` }
  })
  const picture = { headers: { 'content-type': 'image/png' }, body: 'png' }
  const pictures = Array.from({ length: 520 }, (_, index) => [`${SHOP}/${index}.png`, picture])
  const world = createWorld(
    { [`${SHOP}/list`]: '<p>', [`${SHOP}/data`]: 'Pens', ...Object.fromEntries(pictures) },
    { browser },
  )
  const { previews, tasks, executions, results } = world.platform.api
  for (const formats of [[], ['screenshot']] as const) {
    const recipe = {
      start: AUTO.start,
      page: { render: 'browser' },
      extract: { fields: { title: 'h1', pictures: 'i' } },
      formats,
    } as const
    const task = await tasks.create(OWNER, { recipe })
    const { id } = await executions.start(OWNER, task.id)
    await world.platform.worker.tick()
    const { items } = await results.list(OWNER, id)
    const valuesOf = (rows: readonly Row[]) => rows.map((row) => [row['title'], row['pictures']])
    expect(items).toHaveLength(1)
    for (const keep of [true, false]) {
      const { rows } = await previews.run(OWNER, { recipe, scope: 'recipe', keep })
      expect(valuesOf(rows)).toEqual(valuesOf(items))
    }
  }
})

it('a page that a browser has rendered is kept with its screenshot, as long as it is itself', async () => {
  const shot = unpackable(400_000)
  const browser = createFakeBrowser(() => ({ html: '<h1>After</h1>', screenshot: shot }))
  const world = createWorld({ [`${SHOP}/list`]: LIST }, { browser })
  const { previews, snapshots } = world.platform.api
  const recipe = { ...AUTO, page: { render: 'browser' } } as const
  const input = { recipe, scope: 'recipe' } as const
  const { pages } = await previews.run(OWNER, { ...input, keep: true })
  const id = pages[0]?.snapshot ?? ''
  const view = await snapshots.get(OWNER, id)
  expect(view.html).toContain('After')
  expect(view.screenshot).toBe(`data:image/png;base64,${Buffer.from(shot).toString('base64')}`)
  // A preview that keeps nothing takes no screenshot.
  await previews.run(OWNER, input)
  expect(browser.requests.map(({ screenshot }) => screenshot)).toEqual(['viewport', null])
  expect(browser.requests[0]?.isScreenshotOptional).toBe(true)
  // A larger one is left out; the page is there.
  const page = { url: SHOP, contentType: 'text/html', body: new TextEncoder().encode('<p>1') }
  const long = await snapshots.keep('acme', { ...page, screenshot: unpackable(2_000_001) })
  expect((await snapshots.get(OWNER, long ?? '')).screenshot).toBeNull()
  for (let index = 0; index < 20; index++) await snapshots.keep('acme', page)
  expect(await world.store.list({ prefix: ['acme', 'snapshot-parts'], limit: 100 })).toHaveLength(
    20,
  )
})

/** Bytes that cannot be compressed: what comes again is further back than gzip looks. */
function unpackable(length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  const random = seededRandom(1)(100_000)
  for (let start = 0; start < length; start += random.length)
    bytes.set(random.subarray(0, length - start), start)
  return bytes
}
