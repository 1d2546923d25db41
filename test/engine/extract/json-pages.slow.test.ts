import { describe, expect, it } from 'vitest'
import { compileRecipe } from '../../../src/engine/plan/compile.ts'
import { parseRecipe } from '../../../src/engine/recipe/parse-recipe.ts'
import type { Json } from '../../../src/kernel/json.ts'
import { cpuMs } from '../../support/cpu-ms.ts'

const API = 'https://api.example.com/v1/products?page=1'
const DOCUMENT = {
  total: 3,
  next: '/v1/products?page=2',
  cursor: 'abc=',
  products: [
    {
      name: 'Pen',
      price: '1,299.00',
      tags: ['blue', 'thin'],
      maker: { name: 'Quill & Co' },
      reviews: [
        { by: 'Ann', stars: 5 },
        { by: 'Ben', stars: 3 },
      ],
      url: 'pen',
    },
    { name: 'Cup', price: 4.5, tags: [], maker: null, url: 'https://api.example.com/v1/cup' },
    { other: true },
  ],
}
const START = { label: 'start', depth: 0, hop: 1 }
const pageOf = (value: unknown, contentType = 'application/json', url = API) => ({
  url,
  contentType,
  body: new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value)),
})
const compile = (parts: object) => compileRecipe(parseRecipe({ start: { urls: [API] }, ...parts }))
const rows = (extract: object, page = pageOf(DOCUMENT)) =>
  compile({ extract }).process(page, START).rows
const refusals = (parts: object): { path: string; message: string }[] => {
  try {
    compile(parts)
    return []
  } catch (error) {
    return (error as { issues: { path: string; message: string }[] }).issues
  }
}

describe('items of a JSON page', () => {
  it('are rows, and the paths of fields begin at the item', () => {
    expect(
      rows({
        items: '$.products[*]',
        fields: {
          name: { json: '$.name' },
          price: { json: '$.price', as: 'number' },
          maker: '$.maker.name',
          tags: { json: '$.tags[*]', many: true },
          page: { url: true },
        },
      }),
    ).toEqual([
      { name: 'Pen', price: 1299, maker: 'Quill & Co', tags: ['blue', 'thin'], page: API },
      { name: 'Cup', price: 4.5, maker: null, tags: [], page: API },
    ])
  })

  it('have nested fields, fallbacks, and absolute links', () => {
    const fields = {
      label: ['$.title', { json: '$.name' }],
      reviews: {
        json: '$.reviews[*]',
        many: true,
        fields: { author: '$.by', stars: { json: '$.stars', as: 'integer' } },
      },
      link: { json: '$.url', as: 'url' },
    }
    expect(rows({ items: '$.products[:2]', fields })).toEqual([
      {
        label: 'Pen',
        reviews: [
          { author: 'Ann', stars: 5 },
          { author: 'Ben', stars: 3 },
        ],
        link: 'https://api.example.com/v1/pen',
      },
      { label: 'Cup', reviews: [], link: 'https://api.example.com/v1/cup' },
    ])
  })

  it('may be plain values, or the document itself', () => {
    expect(rows({ items: '$[*]', fields: { value: '$' } }, pageOf(['a', 2]))).toEqual([
      { value: 'a' },
      { value: 2 },
    ])
    expect(rows({ items: '$', fields: { total: '$.total' } })).toEqual([{ total: 3 }])
  })

  it('can come from the JSON-LD of a page', () => {
    const html =
      '<script type="application/ld+json">{"@type":"ItemList",' +
      '"itemListElement":[{"name":"A"},{"name":"B"}]}</script>'
    expect(
      rows(
        { items: '$.itemListElement[*]', fields: { name: '$.name' } },
        pageOf(html, 'text/html'),
      ),
    ).toEqual([{ name: 'A' }, { name: 'B' }])
  })
})

describe('a JSON page as one row', () => {
  it('has fields by path', () => {
    expect(
      rows({
        fields: { total: '$.total', first: { json: '$.products[0].name' }, none: '$.nothing' },
      }),
    ).toEqual([{ total: 3, first: 'Pen', none: null }])
  })

  it('gives no row if its text is not JSON, or if the page is of another kind', () => {
    expect(rows({ fields: { total: '$.total' } }, pageOf('{"total":'))).toEqual([])
    expect(rows({ fields: { total: '$.total' } }, pageOf('<p>3</p>', 'text/html'))).toEqual([])
  })
})

describe('following a JSON page', () => {
  const links = (follow: object[], document: Json = DOCUMENT, url = API) =>
    compile({ follow }).process(pageOf(document, 'application/json', url), START).links

  it('continues if a path gives a URL', () => {
    expect(links([{ next: '$.next' }])).toEqual([
      { url: 'https://api.example.com/v1/products?page=2', label: 'start', depth: 0, hop: 2 },
    ])
    expect(links([{ links: '$.products[*].url', as: 'product' }])).toEqual([
      { url: 'https://api.example.com/v1/pen', label: 'product', depth: 1, hop: 1 },
      { url: 'https://api.example.com/v1/cup', label: 'product', depth: 1, hop: 1 },
    ])
  })

  it.each<[string, Json]>([
    ['null', null],
    ['nothing', {}],
    ['an empty text', { next: '' }],
    ['a number', { next: 2 }],
    ['another scheme', { next: 'javascript:alert(1)' }],
    ['an object', { next: { href: '/x' } }],
  ])('ends if the path gives %s', (_, document) => {
    expect(links([{ next: '$.next' }], document)).toEqual([])
  })

  it('can put a cursor or a page number into the URL of the page', () => {
    expect(links([{ next: '$.cursor', param: 'page' }])[0]?.url).toBe(
      'https://api.example.com/v1/products?page=abc%3D',
    )
    expect(links([{ next: '$.after', param: 'after' }], { after: 40 })[0]?.url).toBe(
      'https://api.example.com/v1/products?page=1&after=40',
    )
    expect(links([{ next: '$.after', param: 'after' }], { after: null })).toEqual([])
  })
})

describe('a recipe for JSON pages that is refused', () => {
  it.each<[string, object, string]>([
    ['a broken path', { extract: { fields: { a: { json: '$[' } } } }, 'extract.fields.a.json'],
    ['a broken path of items', { extract: { items: '$..', fields: { a: '$' } } }, 'extract.items'],
    [
      'a selector below JSON items',
      { extract: { items: '$[*]', fields: { a: 'h1' } } },
      'extract.fields.a',
    ],
    [
      'a path below elements',
      { extract: { items: 'li', fields: { a: '$.x' } } },
      'extract.fields.a.json',
    ],
    ['a broken path to follow', { follow: [{ next: '$[' }] }, 'follow.0.next'],
    [
      'a parameter without a path',
      { follow: [{ next: 'a.next', param: 'page' }] },
      'follow.0.param',
    ],
    ['two sources', { extract: { fields: { a: { json: '$', jsonld: '$' } } } }, 'extract.fields.a'],
  ])('%s', (_, parts, path) => {
    expect(refusals(parts).map((issue) => issue.path)).toContain(path)
  })
})

it('the work of paths on one page is bounded, whatever the items', () => {
  let nested: Json = 1
  for (let depth = 0; depth < 60; depth++) nested = [nested, nested === 1 ? 1 : depth]
  const document = Array.from({ length: 5_000 }, () => nested)
  const begin = cpuMs()
  rows(
    {
      items: '$..*',
      fields: Object.fromEntries(
        Array.from({ length: 20 }, (_, index) => [`f${index}`, { json: '$..*..*', many: true }]),
      ),
    },
    pageOf(document),
  )
  expect(cpuMs() - begin).toBeLessThan(8_000)
})
