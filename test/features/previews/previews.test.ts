import { describe, expect, it } from 'vitest'
import type { Preview } from '../../../src/features/previews/preview.ts'
import type { PreviewInput } from '../../../src/features/previews/service.ts'
import { OWNER, createWorld } from '../../support/world.ts'
import type { Answer } from '../../support/fake-web.ts'

const SHOP = 'https://shop.example.com'
const pen = (name: string, price: string): string => `<title>${name}</title><h1>${name}</h1><p class="price">${price}</p><ul><li>ink</li><li>steel</li></ul>`
const list = (page: number): string =>
  `<a class="product" href="/pens/${page}1">One</a> <a class="product" href="/pens/${page}2">Two</a> <a class="next" href="/list?page=${page + 1}">more</a>`
const shop: Record<string, Answer> = {
  [`${SHOP}/list?page=1`]: list(1),
  [`${SHOP}/list?page=2`]: list(2),
  [`${SHOP}/list?page=3`]: list(3),
  [`${SHOP}/pens/11`]: pen('Fountain', '12.50 EUR'),
  [`${SHOP}/pens/12`]: pen('Ball', 'on request'),
  [`${SHOP}/pens/21`]: pen('Gel', '3 EUR'),
}
const recipe = {
  start: { urls: [`${SHOP}/list?page=1`] },
  follow: [{ links: 'a.product', as: 'detail', on: 'start' }, { next: 'a.next', on: 'start' }],
  extract: { on: 'detail', fields: { title: 'h1', price: [{ css: '.offer', as: 'number' }, { css: '.price', as: 'number' }], colour: '.colour', parts: { css: 'li', many: true } } },
} as const

async function preview(pages: Record<string, Answer>, input: Omit<PreviewInput, 'scope'>): Promise<Preview & { readonly requests: Map<string, number>; readonly took: number }> {
  const world = createWorld(pages)
  const began = world.clock.now()
  const found = await world.clock.runUntil(world.platform.api.previews.run(OWNER, { ...input, scope: 'recipe' }))
  return { ...found, requests: world.web.requests, took: world.clock.now() - began }
}

describe('a preview', () => {
  it('shows rows, and what each part of the recipe found', async () => {
    const found = await preview(shop, { recipe })
    expect(found.columns).toEqual(['title', 'price', 'colour', 'parts'])
    expect(found.rows).toEqual([
      { title: 'Fountain', price: 12.5, colour: null, parts: ['ink', 'steel'] },
      { title: 'Ball', price: null, colour: null, parts: ['ink', 'steel'] },
      { title: 'Gel', price: 3, colour: null, parts: ['ink', 'steel'] },
    ])
    expect(found.totals).toMatchObject({ pages: 5, rows: 3 })
    expect(found.fields.map(({ field, filled, rate }) => [field, filled, rate])).toEqual([['title', 3, 1], ['price', 2, 2 / 3], ['colour', 0, 0], ['parts', 3, 1]])
  })
})
