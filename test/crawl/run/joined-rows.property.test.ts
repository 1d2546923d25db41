import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import type { Row } from '../../../src/kernel/json.ts'
import { uncheckedRecipe } from '../../support/worlds/unchecked-recipe.ts'
import { OWNER, createWorld } from '../../support/worlds/world.ts'

// Proves that a row may join the fields of a list with those of the pages that the list links to.

const SITE = 'https://shop.example.com'
const LIST = (items: readonly string[], next = '') => `<h1>Pens</h1>${items.join('')}${next}`
const ITEM = (path: string, price: string) =>
  `<div class=i><b>${price}</b><a class=p href="${path}">x</a> <a class=p href="${path}">again</a></div>`
const PAGES = {
  [`${SITE}/`]: LIST(
    [ITEM('/p/1', '2.50'), ITEM('/p/2', '9'), ITEM('/none', '7')],
    '<a class=next href="/2">n</a>',
  ),
  [`${SITE}/2`]: LIST([ITEM('/p/3', '4'), ITEM('/p/1', '99')]),
  [`${SITE}/p/1`]: '<h1>Biro</h1><a class=r href="/p/1/r">r</a>',
  [`${SITE}/p/2`]: '<h1>Nib</h1>',
  [`${SITE}/p/3`]: '<h1>Quill</h1><a class=r href="/p/3/r">r</a>',
  [`${SITE}/p/1/r`]: '<q>Good</q>',
  [`${SITE}/p/3/r`]: '<q>Bad</q>',
}
const CARRY = {
  items: '.i',
  links: 'a.p',
  carry: { price: { css: 'b', as: 'number' } },
  as: 'detail',
} as const
const RECIPE = {
  start: { urls: [`${SITE}/`] },
  follow: [CARRY, { next: 'a.next' }],
  extract: { on: 'detail', fields: { title: 'h1', price: { carried: 'price' } } },
}

async function rowsOf(recipe: object, pages: Record<string, string> = PAGES) {
  const world = createWorld(pages)
  const id = await world.start(JSON.parse(JSON.stringify(recipe)))
  await world.work()
  return { world, id, rows: byTitle(await world.rows(id)) }
}

/** Pages of a run are stored in the order in which they end, which is not fixed. */
function byTitle(rows: Row[]): Row[] {
  return rows.toSorted((a, b) => (String(a.title) < String(b.title) ? -1 : 1))
}

describe('values that are carried along with a link', () => {
  it('are columns in the rows of the linked page; the first link to a page decides', async () => {
    const { rows } = await rowsOf(RECIPE)
    expect(rows).toEqual([
      { title: 'Biro', price: 2.5 },
      { title: 'Nib', price: 9 },
      { title: 'Quill', price: 4 },
    ])
  })

  it('are in the row of a missing page, if the recipe asks for such rows', async () => {
    const { rows } = await rowsOf({
      ...RECIPE,
      extract: { ...RECIPE.extract, failed: true },
    })
    expect(rows).toContainEqual({ title: null, price: 7 })
    expect(rows).toHaveLength(4)
  })

  it('are carried over any depth, with values that later pages add', async () => {
    const { rows } = await rowsOf({
      ...RECIPE,
      follow: [
        CARRY,
        { next: 'a.next' },
        { links: 'a.r', carry: { title: 'h1' }, on: 'detail', as: 'review' },
      ],
      extract: {
        on: 'review',
        fields: { text: 'q', title: { carried: 'title' }, price: { carried: 'price' } },
      },
    })
    expect(rows).toEqual([
      { text: 'Good', title: 'Biro', price: 2.5 },
      { text: 'Bad', title: 'Quill', price: 4 },
    ])
  })

  it('come from the whole page if there are no items, and can be a fallback in a list of sources', async () => {
    const { rows } = await rowsOf({
      ...RECIPE,
      follow: [{ links: 'a.p', carry: { shop: 'h1' }, as: 'detail' }],
      extract: {
        on: 'detail',
        fields: { title: 'h1', note: ['.note', { carried: 'shop' }] },
      },
    })
    expect(rows).toEqual([
      { title: 'Biro', note: 'Pens' },
      { title: 'Nib', note: 'Pens' },
    ])
  })

  it('come from JSON pages and XPaths as well', async () => {
    const items = [
      { url: '/p/1', price: 1 },
      { url: '/p/2', price: 2 },
    ]
    const world = createWorld({
      ...PAGES,
      [`${SITE}/api`]: {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ items }),
      },
    })
    const ids = await Promise.all(
      [
        {
          start: { urls: [`${SITE}/api`] },
          follow: [
            { items: '$.items[*]', links: '$.url', carry: { price: '$.price' }, as: 'detail' },
          ],
          extract: RECIPE.extract,
        },
        {
          ...RECIPE,
          follow: [
            {
              items: '//div[@class="i"]',
              links: './/a/@href',
              carry: { price: './b' },
              as: 'detail',
            },
          ],
        },
      ].map((recipe) => world.start(recipe)),
    )
    await world.work()
    expect(byTitle(await world.rows(ids[0] ?? ''))).toEqual([
      { title: 'Biro', price: 1 },
      { title: 'Nib', price: 2 },
    ])
    expect(byTitle(await world.rows(ids[1] ?? ''))).toEqual([
      { title: 'Biro', price: '2.50' },
      { title: 'Nib', price: '9' },
    ])
  })

  it('are kept with kept pages, so that other rows can be extracted from these', async () => {
    const { world, id } = await rowsOf({ ...RECIPE, page: { keep: true } })
    const requests = world.web.requests.size
    const again = await world.platform.api.executions.extract(OWNER, id, {
      recipe: {
        extract: {
          on: 'detail',
          fields: { name: 'h1', cost: { carried: 'price' } },
        },
      },
    })
    await world.work()
    // Kept pages are unpacked on threads, in real time, so their order is open.
    const rows = await world.rows(again.id)
    expect(rows.toSorted((a, b) => Number(a['cost']) - Number(b['cost']))).toEqual([
      { name: 'Biro', cost: 2.5 },
      { name: 'Quill', cost: 4 },
      { name: 'Nib', cost: 9 },
    ])
    expect(world.web.requests.size).toBe(requests)
  })

  it('are shown by a preview', async () => {
    const world = createWorld(PAGES)
    const preview = await world.platform.api.previews.run(OWNER, {
      recipe: uncheckedRecipe(RECIPE),
      scope: 'run',
    })
    expect(preview.rows).toContainEqual({ title: 'Biro', price: 2.5 })
  })

  it('are bounded: a value that does not fit is null, and the page says so', async () => {
    const long = 'x'.repeat(5_000)
    const { world, id, rows } = await rowsOf(
      {
        ...RECIPE,
        follow: [{ ...CARRY, carry: { price: 'b', long: 'u' } }],
        extract: {
          on: 'detail',
          fields: { title: 'h1', price: { carried: 'price' }, long: { carried: 'long' } },
        },
      },
      {
        ...PAGES,
        [`${SITE}/`]: `<div class=i><b>1</b><u>${long}</u><a class=p href="/p/2">x</a></div>`,
      },
    )
    expect(rows).toEqual([{ title: 'Nib', price: '1', long: null }])
    const [list] = await world.receipt(id)
    expect(list).toMatchObject({ code: 'page_too_costly' })
  })
})

it('a row joins the fields of any list with those of its details', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.record({ detail: fc.nat(9), price: fc.nat(99) }), { maxLength: 6 }), {
        minLength: 1,
        maxLength: 4,
      }),
      async (lists) => {
        const pages: Record<string, string> = {}
        const expected = new Map<number, number>()
        for (const [index, items] of lists.entries()) {
          pages[`${SITE}/${index}`] = LIST(
            items.map(({ detail, price }) => ITEM(`/p/${detail}`, String(price))),
            index + 1 < lists.length ? `<a class=next href="/${index + 1}">n</a>` : '',
          )
          for (const { detail, price } of items) {
            pages[`${SITE}/p/${detail}`] = `<h1>${detail}</h1>`
            if (!expected.has(detail)) expected.set(detail, price)
          }
        }
        const { rows } = await rowsOf(
          { ...RECIPE, start: { urls: [`${SITE}/0`] }, crawl: { concurrency: 1 } },
          pages,
        )
        expect(new Map(rows.map(({ title, price }) => [Number(title), price]))).toEqual(expected)
        expect(rows).toHaveLength(expected.size)
      },
    ),
    { numRuns: 100 },
  )
})

describe('a carry that is refused', () => {
  it.each([
    [{ follow: [{ items: '.i', links: 'a', as: 'detail' }] }, 'follow.0', 'items needs carry'],
    [
      { follow: [{ links: 'a', as: 'detail', carry: { a: { css: 'img', as: 'media' } } }] },
      'follow.0.carry.a.as',
      'cannot be carried along: carry the url, or take the media in extract.fields',
    ],
    [
      { follow: [{ links: 'a', as: 'detail', carry: { a: { model: 'What?' } } }] },
      'follow.0.carry.a.model',
      'cannot be carried along: a model reads a page after its links are found',
    ],
    [
      { follow: [{ links: 'a', as: 'detail' }] },
      'extract.fields.price.carried',
      'needs a rule in follow with carry, which names the carried values',
    ],
    [
      { follow: [{ links: 'a', as: 'detail', carry: { prize: 'b' } }] },
      'extract.fields.price.carried',
      'no rule in follow carries "price"; carried: prize',
    ],
  ])('%j', async (change, path, message) => {
    const world = createWorld(PAGES)
    const creation = world.platform.api.tasks.create(OWNER, {
      name: 'x',
      recipe: uncheckedRecipe({ ...RECIPE, ...change }),
    })
    await expect(creation).rejects.toMatchObject({
      issues: expect.arrayContaining([{ path: `recipe.${path}`, message }]),
    })
  })
})
