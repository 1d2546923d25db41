import { expect, it } from 'vitest'
import { uncheckedRecipe } from '../../support/worlds/unchecked-recipe.ts'
import { createServiceHost } from '../../support/worlds/service-host.ts'
import { OWNER, createWorld } from '../../support/worlds/world.ts'

const SITE = 'https://shop.example.com'
const LIST = `<h1>All pens</h1><a class="p" href="/p/1">1</a><a class="p" href="/old">2</a>`
const PAGES = {
  [`${SITE}/`]: LIST,
  [`${SITE}/p/1`]:
    '<h1>Biro</h1><b class="price">on request</b><i class="was">2.50</i><u>yesterday</u>',
  [`${SITE}/old`]: { status: 301, headers: { location: '/p/2' } },
  [`${SITE}/p/2`]: '<h1>Nib</h1><b class="price">9</b>',
}
const RECIPE = {
  start: { urls: [`${SITE}/`] },
  follow: [{ links: 'a.p', as: 'detail' }],
  page: { keep: true },
  extract: {
    on: 'detail',
    fields: {
      title: 'h1',
      price: [
        { css: '.price', as: 'number' },
        { css: '.was', as: 'number' },
      ],
      stock: '.stock',
      seen: { css: 'u', as: 'date' },
      from: { page: 'foundOn' },
    },
  },
}

async function ended(recipe: object = RECIPE, pages: object = PAGES) {
  const world = createWorld(JSON.parse(JSON.stringify(pages)))
  const id = await world.start(uncheckedRecipe(JSON.parse(JSON.stringify(recipe))))
  await world.work()
  const { previews } = world.platform.api
  return { world, id, explain: (url: string, of = id) => previews.explain(OWNER, of, url) }
}

it('an explanation has the matches of each source before and after conversion, or why there are none', async () => {
  const { world, id, explain } = await ended()
  const requests = [...world.web.requests]
  const balance = await world.platform.api.billing.balance(OWNER)
  const { columns, rows, fields, pages, totals } = await explain(`${SITE}/p/1`)
  expect(columns).toEqual(['title', 'price', 'stock', 'seen', 'from'])
  // The row equals that of the execution, with carried values and the day of the visit.
  expect(rows).toEqual((await world.rows(id)).slice(0, 1))
  expect(rows[0]).toMatchObject({ price: 2.5, from: `${SITE}/` })
  const sources = fields.flatMap((field) => field.sources)
  expect(
    sources.map(({ path, matches, used, examples, reason }) => [
      path,
      matches,
      used,
      examples[0]?.before,
      examples[0]?.after,
      reason,
    ]),
  ).toEqual([
    ['extract.fields.title', 1, 1, 'Biro', 'Biro', null],
    [
      'extract.fields.price.0',
      1,
      0,
      'on request',
      null,
      '1 match; "on request" cannot be read as number',
    ],
    ['extract.fields.price.1', 1, 1, '2.50', 2.5, null],
    ['extract.fields.stock', 0, 0, undefined, undefined, 'matches nothing'],
    ['extract.fields.seen', 1, 1, 'yesterday', rows[0]?.['seen'], null],
    ['extract.fields.from', 1, 1, `${SITE}/`, `${SITE}/`, null],
  ])
  expect(pages).toMatchObject([{ url: `${SITE}/p/1`, label: 'detail', depth: 1, rows: 1 }])
  expect(totals).toMatchObject({ pages: 1, rows: 1, credits: 0 })
  expect([...world.web.requests]).toEqual(requests)
  expect(await world.platform.api.billing.balance(OWNER)).toEqual(balance)
})

it('relative dates count from the day of the visit, not from that of the question', async () => {
  const { world, id, explain } = await ended()
  await world.clock.advance(3 * 86_400_000)
  expect((await explain(`${SITE}/p/1`)).rows).toEqual((await world.rows(id)).slice(0, 1))
})

it('a list page is explained by its rules, and a redirected page by either of its URLs', async () => {
  const { explain } = await ended()
  const list = await explain(`${SITE}/`)
  expect(list.rows).toEqual([])
  expect(list.links).toMatchObject([{ path: 'follow.0.links', found: 2 }])
  for (const url of [`${SITE}/old`, `${SITE}/p/2#top`])
    expect((await explain(url)).rows).toMatchObject([{ title: 'Nib', price: 9 }])
})

it('the recipe that detection has completed is explained', async () => {
  const cards = ['Biro', 'Nib', 'Quill', 'Reed'].map(
    (name, i) =>
      `<li class="card"><h2><a href="/p/${i}">${name}</a></h2><b class="price">${i}.50</b>` +
      `<p>A pen for people who write long letters by hand, ${name} by name.</p></li>`,
  )
  const { explain } = await ended(
    { start: RECIPE.start, page: { keep: true }, extract: 'auto' },
    { [`${SITE}/`]: `<ul>${cards.join('')}</ul>` },
  )
  const { rows, fields, proposal } = await explain(`${SITE}/`)
  expect(rows).toHaveLength(4)
  expect(proposal).toBeNull()
  expect(fields.every(({ rate, sources }) => rate === 1 && sources.length > 0)).toBe(true)
})

it('the changed recipe of a re-extraction is explained on the pages of the first run', async () => {
  const { world, id, explain } = await ended()
  const { id: second } = await world.platform.api.executions.extract(OWNER, id, {
    recipe: { extract: { on: 'detail', fields: { name: 'h2' } } },
  })
  await world.work()
  const [name] = (await explain(`${SITE}/p/1`, second)).fields
  expect(name).toMatchObject({ field: 'name', filled: 0, sources: [{ reason: 'matches nothing' }] })
})

it('a page that cannot be explained is refused with the reason', async () => {
  const { explain } = await ended()
  await expect(explain(`${SITE}/p/3`)).rejects.toMatchObject({
    status: 404,
    message: expect.stringContaining('"page": { "keep": true }'),
  })
  await expect(explain('p/1')).rejects.toMatchObject({ status: 400, issues: [{ path: 'url' }] })
  await expect(explain(`${SITE}/`, 'exec_none')).rejects.toMatchObject({ status: 404 })
  const unkept = await ended({ ...RECIPE, page: {} })
  await expect(unkept.explain(`${SITE}/p/1`)).rejects.toMatchObject({
    status: 409,
    message: expect.stringContaining('"page": { "keep": true }'),
  })
})

it('a query without a URL is refused', async () => {
  const { call } = await createServiceHost()
  const { status, body } = await call('GET', '/api/v1/executions/exec_1/pages/explanation')
  expect([status, body.error.issues]).toEqual([400, [{ path: 'url', message: expect.any(String) }]])
})

it('a page of detected rows says what repeats on it and is not a list', async () => {
  const card = (i: number): string => `<li><h3><a href="/p/${i}">Pen number ${i}</a></h3></li>`
  const menu = '<nav><a href="/a">Part a</a><a href="/b">Part b</a></nav>'
  const page = `${menu}<main><ul>${[1, 2, 3, 4].map(card).join('')}</ul></main>`
  const recipe = { start: { urls: [`${SITE}/`] }, page: { keep: true }, extract: 'auto' }
  const { explain } = await ended(recipe, { [`${SITE}/`]: page })
  const { rows, refused } = await explain(`${SITE}/`)
  expect(rows).toHaveLength(4)
  expect(refused).toMatchObject([{ items: 'nav > a', count: 2, text: 'Part a' }])
})
