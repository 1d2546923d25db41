import * as v from 'valibot'
import { defineTemplate } from '../template.ts'
import { listRecipe } from './lists.ts'
import { pagesOf, selectorOf, urlOf } from './parameters.ts'
import { SAMPLES } from './samples.ts'

/** Category pages of shops. */
export const productList = defineTemplate({
  id: 'product-list',
  version: 1,
  updatedAt: '2026-11-21',
  name: 'Product list',
  description:
    'Products of a category, brand or search page of a shop: name, address, price, rating ' +
    'and picture, page after page. The products are detected.',
  categories: ['commerce', 'lists'],
  parameters: v.strictObject({
    url: urlOf('Address of the first page of the list.'),
    items: selectorOf('CSS selector of one product; absent: products are detected.'),
    next: selectorOf('CSS selector of the link to the next page; absent: it is detected.'),
    maxPages: pagesOf(10, 'Maximum number of pages of the list.'),
  }),
  example: { url: 'https://lamps.example.com/desk-lamps', maxPages: 5 },
  columns: [
    { name: 'title', type: 'text', description: 'Name of the product.' },
    { name: 'url', type: 'url', description: 'Address of its page.' },
    { name: 'price', type: 'number', description: 'Price in the currency of the page.' },
    { name: 'rating', type: 'number', description: 'Mean rating.' },
    { name: 'image', type: 'url', description: 'Picture.' },
  ],
  sample: SAMPLES['product-list'] ?? [],
  typicalPages: 10,
  recipe: (parameters) => listRecipe(parameters, ['title', 'url', 'price', 'rating', 'image']),
})
