import * as v from 'valibot'
import { defineTemplate } from '../template.ts'
import { urlsOf } from './parameters.ts'
import { SAMPLES } from './samples.ts'

/** The columns besides the address. */
const PARTS = [
  'name',
  'price',
  'currency',
  'availability',
  'sku',
  'gtin',
  'brand',
  'rating',
  'reviews',
  'description',
  'image',
  'reasons',
] as const

/** Pages of single products. */
export const product = defineTemplate({
  id: 'product',
  version: 2,
  updatedAt: '2026-11-23',
  name: 'Product page',
  description:
    'Name, price, stock, brand, rating and pictures of products, from what shops state for ' +
    'search engines (JSON-LD, microdata, Open Graph), from the state that their scripts leave in ' +
    'the page, and from what the page shows; with the reason for each value.',
  categories: ['commerce'],
  parameters: v.strictObject({ urls: urlsOf('Addresses of product pages.') }),
  example: { urls: ['https://lamps.example.com/p/halden'] },
  columns: [
    { name: 'url', type: 'url', description: 'Address of the page.' },
    { name: 'name', type: 'text', description: 'Name of the product.' },
    {
      name: 'price',
      type: 'number',
      description: 'Price; the lowest if there are several.',
    },
    {
      name: 'currency',
      type: 'text',
      description: 'Currency as the page states it, mostly ISO 4217.',
    },
    {
      name: 'availability',
      type: 'text',
      description:
        'Stock as a term of schema.org, such as InStock or OutOfStock. A product with a price or a number ' +
        'is InStock unless the page says otherwise.',
    },
    {
      name: 'sku',
      type: 'text',
      description: 'Article number of the seller: stated, labelled, or in the address.',
    },
    { name: 'gtin', type: 'text', description: 'Trade item number (EAN, UPC).' },
    { name: 'brand', type: 'text', description: 'Brand.' },
    { name: 'rating', type: 'number', description: 'Mean rating.' },
    { name: 'reviews', type: 'integer', description: 'Number of ratings or reviews.' },
    { name: 'description', type: 'text', description: 'Description by the shop.' },
    { name: 'image', type: 'url', description: 'Main picture.' },
    { name: 'reasons', type: 'json', description: 'Where each value was found, by column.' },
  ],
  sample: SAMPLES['product'] ?? [],
  typicalPages: 50,
  recipe: ({ urls }) => ({
    start: { urls },
    extract: {
      fields: {
        url: { url: true },
        ...Object.fromEntries(PARTS.map((part) => [part, { product: part }])),
      },
    },
  }),
})
