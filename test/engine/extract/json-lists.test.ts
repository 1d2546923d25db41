import { describe, expect, it } from 'vitest'
import { detect } from '../../../src/engine/extract/auto.ts'
import { detectRecipe } from '../../../src/engine/plan/auto-extract.ts'
import { compileRecipe } from '../../../src/engine/plan/compile.ts'
import { parseRecipe } from '../../../src/engine/recipe/parse-recipe.ts'
import type { Page } from '../../../src/ports/page-processor.ts'

// Proves what detection reads from JSON: from documents of APIs, and from data of scripts in a page.

const URL = 'https://api.example.com/v1/products?page=1'
const START = { label: 'start', depth: 0, hop: 1 }
const pageOf = (value: object, url = URL): Page => ({
  url,
  contentType: 'application/json',
  body: new TextEncoder().encode(JSON.stringify(value)),
})
const htmlOf = (body: string): Page => ({
  url: 'https://shop.example.com/',
  contentType: 'text/html',
  body: new TextEncoder().encode(body),
})
const rowsOf = (page: Page) =>
  compileRecipe(
    parseRecipe({ start: { urls: [page.url] }, extract: detect(page).extract }),
  ).process(page, START).rows

const PRODUCTS = [
  {
    id: 1,
    name: 'Pen',
    price: { amount: '2.50', currency: 'EUR' },
    added: '2026-01-02',
    tags: ['a'],
  },
  { id: 2, name: 'Ink', price: { amount: '3.00', currency: 'EUR' }, added: '2026-01-03', tags: [] },
  { id: 3, name: 'Cap', price: { amount: '1', currency: 'EUR' }, added: '2026-02-01', tags: [] },
]

describe('detection in a JSON document', () => {
  it('reads paths as addresses in members that are named as such', () => {
    const items = ['a', 'b', 'c'].map((id) => ({ id, productUrl: `/p/${id}`, path: `/p/${id}` }))
    expect(rowsOf(pageOf(items))[0]).toEqual({
      id: 'a',
      productUrl: 'https://api.example.com/p/a',
      path: '/p/a',
    })
  })

  it('finds the list with most objects and values, also within others', () => {
    const page = pageOf({
      total: 3,
      facets: [{ name: 'colour' }, { name: 'size' }, { name: 'brand' }, { name: 'shop' }],
      data: { groups: [{ products: PRODUCTS.slice(0, 2) }, { products: PRODUCTS.slice(2) }] },
    })
    const { kind, extract, reason } = detect(page)
    expect([kind, extract.items]).toEqual(['list', '$.data.groups[*].products[*]'])
    expect(reason).toBe('The document has 3 objects at $.data.groups[*].products[*].')
    expect(rowsOf(page)[0]).toEqual({
      id: 1,
      name: 'Pen',
      added: '2026-01-02',
      price_amount: 2.5,
      price_currency: 'EUR',
    })
    expect(rowsOf(page)).toHaveLength(3)
  })

  it('finds the content of wrappers', () => {
    const page = pageOf({
      data: { products: { edges: PRODUCTS.map((node) => ({ cursor: `c${node.id}`, node })) } },
    })
    expect(detect(page).extract.items).toBe('$.data.products.edges[*].node')
  })

  it('finds one row if there is no list', () => {
    expect(detect(pageOf({ name: 'Pen', price: 2 }))).toMatchObject({
      kind: 'page',
      extract: { fields: { data: { jsonld: '$' } } },
    })
  })

  it('keeps names that are not identifiers', () => {
    const page = pageOf({ "it's": [1, 2].map((i) => ({ 'a b': i, 'c\\d': `${i}x` })) })
    expect(rowsOf(page)).toEqual([
      { 'a b': 1, 'c\\d': '1x' },
      { 'a b': 2, 'c\\d': '2x' },
    ])
  })

  it.for<[string, object, object, string?]>([
    ['an address', { next: '/v1/products?page=2' }, { next: '$.next' }],
    ['an address in links', { links: { next: '/p?page=2' } }, { next: '$.links.next' }],
    ['HAL', { _links: { next: { href: '/p?page=2' } } }, { next: '$._links.next.href' }],
    ['OData', { '@odata.nextLink': 'https://a.example/2' }, { next: "$['@odata.nextLink']" }],
    ['a cursor', { meta: { next_cursor: 'abc' } }, { next: '$.meta.next_cursor', param: 'cursor' }],
    ['a token', { nextPageToken: 'abc' }, { next: '$.nextPageToken', param: 'pageToken' }],
    [
      'a cursor of the parameter that the URL has',
      { next_cursor: 'abc' },
      { next: '$.next_cursor', param: 'after' },
      'https://api.example.com/?after=x',
    ],
    ['a number', { nextPage: 2 }, { next: '$.nextPage', param: 'page' }],
  ])('finds the next page by %s', ([, parts, next, url]) => {
    const page = pageOf({ ...parts, data: PRODUCTS }, url)
    const { items: _, ...detected } = detect(page).extract
    expect(detected).toHaveProperty('fields')
    const { next: nextSelector, param } = detect(page)
    expect({ next: nextSelector, ...(param !== undefined && { param }) }).toEqual(next)
    const { follow } = detectRecipe(
      parseRecipe({ start: { urls: [URL] }, follow: [{ next: 'auto' }], extract: 'auto' }).recipe,
      page,
    )
    expect(follow).toEqual([next])
  })

  it('finds no next page on the last page', () => {
    const last = detect(pageOf({ next: null, next_cursor: '', data: PRODUCTS }))
    expect([last.next, last.param]).toEqual([undefined, undefined])
  })
})

describe('data of scripts in a page', () => {
  const state = `<script id="__NEXT_DATA__" type="application/json">${JSON.stringify({
    props: { pageProps: { products: PRODUCTS } },
  })}</script>`

  it('is the list of a page that shows nothing else', () => {
    const page = htmlOf(`<div id="root"></div>${state}`)
    expect(detect(page)).toMatchObject({
      kind: 'list',
      extract: { items: ':state($.props.pageProps.products[*])' },
    })
    expect(rowsOf(page).map(({ name }) => name)).toEqual(['Pen', 'Ink', 'Cap'])
  })

  it('comes after the shown content of the page', () => {
    const cards = PRODUCTS.map(
      ({ id, name }) =>
        `<li class="card"><a href="/${id}">${name} of the shop</a><b>2 EUR</b></li>`,
    ).join('')
    expect(detect(htmlOf(`<ul>${cards}${cards}</ul>${state}`)).extract.items).not.toContain('state')
  })

  it('is refused if the path is not valid', () => {
    expect(() =>
      compileRecipe(
        parseRecipe({
          start: { urls: [URL] },
          extract: { items: ':state($.a[)', fields: { a: '$.a' } },
        }),
      ),
    ).toThrow(/extract\.items/)
  })
})
