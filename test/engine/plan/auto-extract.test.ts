import { describe, expect, it } from 'vitest'
import { detectRecipe, isDetected } from '../../../src/engine/plan/auto-extract.ts'
import { compileRecipe } from '../../../src/engine/plan/compile.ts'
import { parseRecipe } from '../../../src/engine/recipe/parse-recipe.ts'

const start = { urls: ['https://shop.example.com/pens'] }
const card = (name: string, price: string) =>
  `<article class="card"><a href="/p/${name.toLowerCase()}"><h3>${name} for everyday ` +
  `writing</h3></a><span class="price">€ ${price}</span></article>`
const page = (body: string) => ({
  url: 'https://shop.example.com/pens',
  contentType: 'text/html',
  body: new TextEncoder().encode(`<!doctype html><title>Pens</title><main>${body}</main>`),
})
const shop = page(
  `<section class="grid">${card('Ada', '4.50')}${card('Bea', '7.25')}${card('Cyd', '9.00')}` +
    '</section><nav class="pagination"><a class="next" href="/pens?page=2">Next</a></nav>',
)
const table = page(
  '<table id="t"><thead><tr><th>City</th><th>People</th></tr></thead><tbody><tr><td>Bern' +
    '</td><td>134</td></tr><tr><td>Basel</td><td>173</td></tr></tbody></table>',
)
const visit = { label: 'start', depth: 0, hop: 1 }
const rowsOf = (recipe: unknown, from = shop) =>
  compileRecipe(detectRecipe(parseRecipe(recipe).recipe, from)).process(from, visit)

describe('the part that a recipe leaves to its first page', () => {
  it('can be the whole extraction', () => {
    const { rows } = rowsOf({ start, extract: 'auto' })
    expect(rows).toHaveLength(3)
    expect(rows[0]).toMatchObject({
      title: 'Ada for everyday writing',
      url: 'https://shop.example.com/p/ada',
      price: 4.5,
    })
  })

  it('can be the items: a list, a table, or either', () => {
    expect(rowsOf({ start, extract: { items: ':auto(list)' } }).rows).toHaveLength(3)
    expect(rowsOf({ start, extract: { items: ':auto(table)' } }, table).rows).toEqual([
      { city: 'Bern', people: 134 },
      { city: 'Basel', people: 173 },
    ])
    expect(rowsOf({ start, extract: { items: ':auto' } }, table).rows).toHaveLength(2)
    expect(rowsOf({ start, extract: { items: ':auto(table)' } }).rows).toEqual([])
  })

  it('does not add fields to those that the recipe names', () => {
    const { rows } = rowsOf({
      start,
      extract: {
        items: ':auto',
        fields: { title: '.no-such', price: { css: '.price' }, stock: '.stock' },
      },
    })
    expect(rows[1]).toEqual({ title: 'Bea for everyday writing', price: '€ 7.25', stock: null })
  })

  it('can be the link to the next page, in both notations', () => {
    for (const next of ['auto', ':auto']) {
      const recipe = {
        start,
        follow: [{ next, maxPages: 3 }],
        extract: { items: '.card', fields: { title: 'h3' } },
      }
      expect(rowsOf(recipe).links.map(({ url }) => url)).toEqual([
        'https://shop.example.com/pens?page=2',
      ])
    }
  })

  it('can be a link to the next page that is absent', () => {
    const recipe = {
      start,
      follow: [{ next: ':auto', maxPages: 3 }],
      extract: { items: '.card', fields: { title: 'h3' } },
    }
    expect(rowsOf(recipe).links).toEqual([
      { url: 'https://shop.example.com/pens?page=2', label: 'start', depth: 0, hop: 2 },
    ])
    expect(rowsOf(recipe, table).links).toEqual([])
  })
})

it('a recipe with detection is recognised by its words alone', () => {
  const detected = (rest: object) => isDetected(parseRecipe({ start, ...rest }).recipe)
  expect([
    detected({}),
    detected({ extract: { items: 'li', fields: { a: 'b' } }, follow: [{ next: 'a' }] }),
  ]).toEqual([true, true])
  expect([
    detected({ extract: 'auto' }),
    detected({ extract: { items: ':auto' } }),
    detected({ follow: [{ next: ':auto' }] }),
  ]).toEqual([false, false, false])
})

describe('a recipe before its detection', () => {
  it('is checked as far as it is complete', () => {
    expect(() =>
      compileRecipe(parseRecipe({ start, extract: { items: ':auto', fields: { a: 'b[' } } })),
    ).toThrow('extract.fields.a')
    expect(() => parseRecipe({ start, extract: 'everything' })).toThrow(
      'extract: must be an object or "auto"',
    )
    expect(() => parseRecipe({ start, extract: { items: ':auto', fieldz: {} } })).toThrow(
      'extract.fieldz',
    )
  })

  it('has its known columns', () => {
    const columnsOf = (rest: object) => compileRecipe(parseRecipe({ start, ...rest })).columns
    expect(columnsOf({ extract: { items: ':auto', fields: { a: 'b' } } })).toEqual(['a'])
    expect(columnsOf({ extract: 'auto', output: { unique: ['url'] } })).toEqual([])
    expect(columnsOf({ follow: [{ next: ':auto' }] })).toEqual(['url', 'metadata', 'markdown'])
  })

  it('detects each page by itself', () => {
    const plan = compileRecipe(parseRecipe({ start, extract: 'auto' }))
    expect(plan.detects).toBe(true)
    expect([plan.process(shop, visit).rows.length, plan.process(table, visit).rows.length]).toEqual(
      [3, 2],
    )
  })
})
