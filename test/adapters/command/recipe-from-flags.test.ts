import * as v from 'valibot'
import { expect, test } from 'vitest'
import { recipeFromFlags } from '../../../adapters/command/detect/recipe-from-flags.ts'
import { recipeSchema } from '../../../src/engine/recipe/schema.ts'

const URL = 'https://shop.example/list'

test('an address alone makes a recipe that starts there', () => {
  expect(recipeFromFlags([URL], {}).recipe).toEqual({ start: { urls: [URL] } })
})

test('--follow, --next, --pages and --field make a recipe that the engine accepts', () => {
  const { recipe, flagOf } = recipeFromFlags([URL], {
    follow: ['a.item'],
    next: ['a.next'],
    pages: 50,
    concurrency: 4,
    ignoreRobots: true,
    field: ['title=h1', 'image=img@src', 'price:number=.price', 'who=a[rel="@me"]'],
  })
  expect(recipe).toEqual({
    start: { urls: [URL] },
    follow: [
      { links: 'a.item', as: 'detail', on: 'start' },
      { next: 'a.next', on: 'start' },
    ],
    crawl: { concurrency: 4, robots: false },
    extract: {
      on: 'detail',
      fields: {
        title: 'h1',
        image: { css: 'img', attr: 'src', as: 'url' },
        price: { css: '.price', as: 'number' },
        who: 'a[rel="@me"]',
      },
    },
    budget: { pages: 50 },
  })
  expect(v.safeParse(recipeSchema, recipe).success).toBe(true)
  expect(Object.fromEntries(flagOf)).toEqual({
    'start.urls': 'the addresses',
    'start.urls.0': URL,
    'follow.0': '--follow',
    'follow.1': '--next',
    'budget.pages': '--pages',
    'extract.fields.title': '--field title',
    'extract.fields.image': '--field image',
    'extract.fields.price': '--field price',
    'extract.fields.who': '--field who',
  })
})

test('several --follow flags are levels, and --next applies to all levels but the last', () => {
  expect(
    recipeFromFlags([URL], { follow: ['nav a', '.card a'], next: ['.next'] }).recipe['follow'],
  ).toEqual([
    { links: 'nav a', as: 'level-1', on: 'start' },
    { links: '.card a', as: 'detail', on: 'level-1' },
    { next: '.next', on: 'start' },
    { next: '.next', on: 'level-1' },
  ])
})

test('--items makes a row of each match', () => {
  expect(recipeFromFlags([URL], { items: 'li', field: ['t=h2'] }).recipe['extract']).toEqual({
    items: 'li',
    fields: { t: 'h2' },
  })
})

test.for(['title', '=h1', 'title=', ' =h1'])('--field %j is refused with an example', (field) => {
  expect(() => recipeFromFlags([URL], { field: [field] })).toThrow('--field must be name=css')
})

test('an XPath or a JSONPath is accepted in place of a selector', () => {
  const { recipe } = recipeFromFlags([URL], {
    next: ['$.next'],
    items: '$.products[*]',
    field: [
      'name=$.name',
      'price:number=$.price',
      'link=//a/@href',
      'cost:number=.//b[@class="x"]',
    ],
  })
  expect(recipe).toEqual({
    start: { urls: [URL] },
    follow: [{ next: '$.next', on: 'start' }],
    extract: {
      items: '$.products[*]',
      fields: {
        name: '$.name',
        price: { json: '$.price', as: 'number' },
        link: '//a/@href',
        cost: { xpath: './/b[@class="x"]', as: 'number' },
      },
    },
  })
  expect(v.safeParse(recipeSchema, recipe).success).toBe(true)
})

test('an unknown type lists the known ones', () => {
  expect(() => recipeFromFlags([URL], { field: ['price:money=.p'] })).toThrow(
    '--field price: "money" is not a type; known: text, html',
  )
})

test('flags of the crawl, of requests and of rows become parts of the recipe', () => {
  const { recipe } = recipeFromFlags([URL, `${URL}/2`], {
    delay: 500,
    depth: 2,
    scope: 'path',
    unique: ['name'],
    header: ['Accept-Language: de', 'X-A:b: c'],
    cookie: ['a=1', 'b=2=3'],
    render: true,
    field: ['name=h1'],
  })
  expect(recipe).toEqual({
    start: { urls: [URL, `${URL}/2`] },
    crawl: { delayMs: 500, maxDepth: 2, scope: 'path' },
    page: {
      headers: { 'Accept-Language': 'de', 'X-A': 'b: c', Cookie: 'a=1; b=2=3' },
      render: 'browser',
    },
    extract: { fields: { name: 'h1' } },
    output: { unique: ['name'] },
  })
  expect(v.safeParse(recipeSchema, recipe).success).toBe(true)
})

test('a malformed header or cookie is refused with an example', () => {
  expect(() => recipeFromFlags([URL], { header: ['Accept'] })).toThrow('--header must be a name')
  expect(() => recipeFromFlags([URL], { cookie: ['a=1; b=2'] })).toThrow('--cookie must be a name')
})
