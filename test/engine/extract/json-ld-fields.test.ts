import { describe, expect, it } from 'vitest'
import { detect } from '../../../src/engine/extract/auto.ts'
import { compileRecipe } from '../../../src/engine/plan/compile.ts'
import type { Recipe } from '../../../src/engine/recipe/schema.ts'

const PAGE = 'https://shop.example.com/pen'
const pageOf = (...blocks: object[]) => ({
  url: PAGE,
  contentType: 'text/html',
  body: new TextEncoder().encode(
    '<h1>Pen</h1>' +
      blocks
        .map((block) => `<script type="application/ld+json">${JSON.stringify(block)}</script>`)
        .join(''),
  ),
})
const PRODUCT = {
  '@type': 'Product',
  name: 'Pen',
  sku: 'P-1',
  image: 'https://shop.example.com/pen.jpg',
  offers: { '@type': 'Offer', price: '9.50', priceCurrency: 'EUR' },
}
const take = (page: ReturnType<typeof pageOf>, fields: Recipe['extract']) =>
  compileRecipe({ start: { urls: [PAGE] }, ...(fields && { extract: fields }) }).process(page, {
    label: 'start',
    depth: 0,
    hop: 1,
  }).rows[0]

describe('fields from JSON-LD', () => {
  const fields = {
    fields: {
      image: { jsonld: "$..[?(@['@type']=='Product')].image" },
      sku: { jsonld: '$..sku' },
      name: { jsonld: '$.name' },
    },
  }
  it.each([
    ['a block that is the product itself', [PRODUCT], 'Pen'],
    ['a product in a later block', [{ '@type': 'Organization', name: 'Shop' }, PRODUCT], 'Shop'],
    ['a product in a graph', [{ '@graph': [{ '@type': 'WebPage' }, PRODUCT] }], null],
    ['a list of products', [[PRODUCT]], null],
  ])('are found by the type of the product: %s', (_, blocks, name) => {
    expect(take(pageOf(...blocks), fields)).toEqual({ image: PRODUCT.image, sku: 'P-1', name })
  })

  it.each(['application/LD+JSON', 'application/ld&#43;json; charset=utf-8'])(
    'are read from a script of the type %s',
    (type) => {
      const body = `<script type="${type}">${JSON.stringify(PRODUCT)}</script>`
      const page = { ...pageOf(), body: new TextEncoder().encode(body) }
      expect(take(page, fields)).toMatchObject({ sku: 'P-1' })
    },
  )

  it('are the fields that detection proposes for a product page', () => {
    const page = pageOf(PRODUCT)
    const detected = detect(page)
    expect(detected.kind).toBe('product')
    expect(take(page, detected.extract)).toMatchObject({
      name: 'Pen',
      price: 9.5,
      currency: 'EUR',
      sku: 'P-1',
      image: PRODUCT.image,
    })
  })
})
