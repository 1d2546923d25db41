import { expect, it } from 'vitest'
import { columnTypes } from '../../../src/engine/recipe/column-types.ts'
import { parseRecipe } from '../../../src/engine/recipe/parse-recipe.ts'

const start = { urls: ['https://shop.example/'] }
const typesOf = (recipe: object) =>
  Object.fromEntries(columnTypes(parseRecipe({ start, ...recipe }).recipe))

it('a recipe determines the types of its columns', () => {
  const fields = {
    title: 'h1',
    price: { css: '.price', as: 'number' },
    stock: { css: '.stock', as: 'integer' },
    sold: { css: '.sold', as: 'boolean' },
    since: { meta: 'date', as: 'date' },
    link: { css: 'a', attr: 'href', as: 'url' },
    body: { css: 'main', as: 'markdown' },
    page: { url: true },
    tags: { css: '.tag', many: true },
    numbers: { css: '.n', as: 'number', many: true },
    by: { css: '.by', fields: { name: '.name' } },
    source: { const: 'shop' },
    rank: { const: 3 },
    sku: { jsonld: '$..sku' },
    rating: { jsonld: '$..ratingValue', as: 'number' },
    either: ['.a', '.b'],
    amount: [
      { css: '.a', as: 'number' },
      { css: '.b', as: 'integer' },
    ],
    mixed: ['.a', { css: '.b', as: 'number' }],
  }
  expect(typesOf({ extract: { fields }, formats: ['text', 'links'] })).toEqual({
    title: 'text',
    price: 'number',
    stock: 'integer',
    sold: 'boolean',
    since: 'date',
    link: 'url',
    body: 'text',
    page: 'url',
    tags: 'json',
    numbers: 'json',
    by: 'json',
    source: 'text',
    rank: 'integer',
    rating: 'number',
    either: 'text',
    amount: 'number',
    text: 'text',
    links: 'json',
  })
})

it('a recipe without fields has the columns of its pages', () => {
  expect(typesOf({})).toEqual({ url: 'url', metadata: 'json', markdown: 'text' })
  expect(typesOf({ formats: ['html'] })).toEqual({ url: 'url', html: 'text' })
})
