import type { Fields } from '../recipe/recipe-input.ts'

/** The row of a page about one product. */
export const PRODUCT: Fields = {
  name: { product: 'name' },
  price: { product: 'price' },
  currency: { product: 'currency' },
  sku: { product: 'sku' },
  brand: { product: 'brand' },
  availability: { product: 'availability' },
  description: { product: 'description' },
  image: { product: 'image' },
  url: { url: true },
}

/** The row of a page of no known kind. */
export const PLAIN: Fields = {
  title: ['h1', 'title'],
  description: { meta: 'description' },
  text: 'body',
  url: { url: true },
}

/** The row of a whole document. */
export const DOCUMENT: Fields = {
  title: '$.title',
  author: '$.author',
  date: { json: '$.date', as: 'date' },
  pages: '$.pageCount',
  url: { url: true },
  text: '$.text',
}
