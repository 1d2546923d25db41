import * as v from 'valibot'
import { defineTemplate } from '../template.ts'
import { urlsOf } from './parameters.ts'
import { SAMPLES } from './samples.ts'
import { marked, stated } from './structured.ts'

const TYPES = ['Product', 'ProductGroup']

/** Pages of single products. */
export const product = defineTemplate({
  id: 'product',
  version: 1,
  updatedAt: '2026-11-21',
  name: 'Product page',
  description:
    'Name, price, stock, brand, rating and pictures of products, from what shops state for ' +
    'search engines (JSON-LD, microdata, Open Graph) and from common markup.',
  categories: ['commerce'],
  parameters: v.strictObject({ urls: urlsOf('Addresses of product pages.') }),
  example: { urls: ['https://lamps.example.com/p/halden'] },
  columns: [
    { name: 'url', type: 'url', description: 'Address of the page.' },
    { name: 'name', type: 'text', description: 'Name of the product.' },
    {
      name: 'price',
      type: 'number',
      description: 'What it costs; the lowest price where there are several.',
    },
    {
      name: 'currency',
      type: 'text',
      description: 'Currency as the page states it, mostly ISO 4217.',
    },
    {
      name: 'availability',
      type: 'text',
      description: 'Stock as the page states it, mostly a term of schema.org.',
    },
    { name: 'sku', type: 'text', description: 'Number of the seller or the maker.' },
    { name: 'gtin', type: 'text', description: 'Trade item number (EAN, UPC).' },
    { name: 'brand', type: 'text', description: 'Brand.' },
    { name: 'rating', type: 'number', description: 'Mean rating.' },
    { name: 'reviews', type: 'integer', description: 'How many have rated or reviewed it.' },
    { name: 'description', type: 'text', description: 'What the shop says of it.' },
    { name: 'image', type: 'url', description: 'Main picture.' },
  ],
  sample: SAMPLES['product'] ?? [],
  typicalPages: 50,
  recipe: ({ urls }) => ({
    start: { urls },
    extract: {
      fields: {
        url: { url: true },
        name: [
          ...stated(TYPES, 'name'),
          '[itemtype$="/Product"] [itemprop~="name"]',
          { meta: 'og:title' },
          'h1',
        ],
        price: [
          ...stated(TYPES, 'offers.price', { as: 'number' }),
          ...stated(TYPES, 'offers.lowPrice', { as: 'number' }),
          ...stated(TYPES, 'offers[*].price', { as: 'number' }),
          marked('price', { as: 'number' }),
          { meta: 'product:price:amount', as: 'number' },
          { meta: 'og:price:amount', as: 'number' },
          {
            css:
              ':is(.price, [class*="price" i]):not(del, del *, [class*="old" i], [class*="was" i], ' +
              ':has([class*="price" i]), [class*="regular" i])',
            as: 'number',
          },
        ],
        currency: [
          ...stated(TYPES, 'offers.priceCurrency'),
          ...stated(TYPES, 'offers[*].priceCurrency'),
          { css: '[itemprop~="priceCurrency"]', attr: 'content' },
          marked('priceCurrency'),
          { meta: 'product:price:currency' },
          { meta: 'og:price:currency' },
        ],
        availability: [
          ...stated(TYPES, 'offers.availability'),
          ...stated(TYPES, 'offers[*].availability'),
          { css: '[itemprop~="availability"][href]', attr: 'href' },
          marked('availability'),
          { meta: 'product:availability' },
          '.availability, .stock, [class*="availability" i], [class*="stock" i]',
        ],
        sku: [
          ...stated(TYPES, 'sku'),
          ...stated(TYPES, 'mpn'),
          marked('sku'),
          marked('mpn'),
          { css: '[data-sku]', attr: 'data-sku' },
          '.sku',
        ],
        gtin: [
          ...stated(['Product'], 'gtin13'),
          ...stated(['Product'], 'gtin'),
          ...stated(['Product'], 'gtin8'),
          ...stated(['Product'], 'gtin12'),
          ...stated(['Product'], 'gtin14'),
          marked('gtin13'),
          marked('gtin'),
        ],
        brand: [
          ...stated(TYPES, 'brand.name'),
          ...stated(['Product'], 'brand', { as: 'text' }),
          '[itemprop~="brand"] [itemprop~="name"]',
          marked('brand'),
          { meta: 'product:brand' },
          { meta: 'og:brand' },
        ],
        rating: [
          ...stated(TYPES, 'aggregateRating.ratingValue', { as: 'number' }),
          marked('ratingValue', { as: 'number' }),
        ],
        reviews: [
          ...stated(TYPES, 'aggregateRating.reviewCount', { as: 'integer' }),
          ...stated(TYPES, 'aggregateRating.ratingCount', { as: 'integer' }),
          marked('reviewCount', { as: 'integer' }),
          marked('ratingCount', { as: 'integer' }),
        ],
        description: [
          ...stated(TYPES, 'description'),
          '[itemtype$="/Product"] [itemprop~="description"]',
          { meta: 'og:description' },
          { meta: 'description' },
        ],
        image: [
          ...stated(TYPES, 'image.url', { as: 'url' }),
          ...stated(TYPES, 'image[0]', { as: 'url' }),
          ...stated(TYPES, 'image', { as: 'url' }),
          { css: '[itemtype$="/Product"] [itemprop~="image"]', as: 'url' },
          { meta: 'og:image', as: 'url' },
        ],
      },
    },
  }),
})
