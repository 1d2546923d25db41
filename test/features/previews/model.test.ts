import type { RecipeInput } from 'seine'
import { expect, it } from 'vitest'
import { ModelFailure } from '../../../src/kernel/failures.ts'
import type { Model } from '../../../src/ports/model.ts'
import { createWorld, OWNER } from '../../support/worlds/world.ts'

const SHOP = 'https://shop.example.com/'
const PAGES = {
  [`${SHOP}1`]: '<h1>Fountain pen</h1><p>For twelve euros</p>',
  [`${SHOP}2`]: '<h1>Ball pen</h1><p>For <b class="price">2</b> euros</p>',
}
const RECIPE: RecipeInput = {
  start: { urls: [`${SHOP}{1..2}`] },
  crawl: { robots: false },
  extract: {
    fields: {
      name: 'h1',
      price: [
        { css: '.price', as: 'number' },
        { model: 'The price', as: 'number' },
      ],
    },
  },
}

async function preview(ask: Model['ask'], recipe: RecipeInput = RECIPE) {
  const world = createWorld(PAGES, { model: { ask } })
  const began = world.clock.now()
  const report = await world.clock.runUntil(
    world.platform.api.previews.run(OWNER, { recipe, scope: 'recipe' }),
  )
  const balance = await world.platform.api.billing.activity(OWNER)
  return { ...report, took: world.clock.now() - began, lines: balance.items }
}

it('a preview shows the values and the questions of the model, for free', async () => {
  const { rows, fields, warnings, lines } = await preview(async () => ({
    json: { price: '12' },
    inputTokens: 1,
    outputTokens: 1,
  }))
  expect(rows).toEqual([
    { name: 'Fountain pen', price: 12 },
    { name: 'Ball pen', price: 2 },
  ])
  expect(fields[1]).toMatchObject({
    field: 'price',
    filled: 2,
    rate: 1,
    sources: [
      { path: 'extract.fields.price.0', source: 'css .price', used: 1 },
      {
        path: 'extract.fields.price.1',
        source: 'model The price',
        matches: 1,
        values: 1,
        used: 1,
        sample: 12,
        failed: null,
        unclear: null,
        pages: [{ url: `${SHOP}1`, matches: 1, values: 1 }],
      },
    ],
  })
  expect([warnings, lines]).toEqual([[], []])
})

it('a preview reports a failure of the model, and shows the rest', async () => {
  const { rows, pages, warnings } = await preview(() =>
    Promise.reject(new ModelFailure('limited', 'The model received too many questions')),
  )
  expect(rows).toEqual([
    { name: 'Fountain pen', price: null },
    { name: 'Ball pen', price: 2 },
  ])
  expect(pages.map(({ outcome, reason }) => [outcome, reason?.code])).toEqual([
    ['fetched', 'model_limited'],
    ['fetched', undefined],
  ])
  expect(warnings).toEqual([
    {
      code: 'model_limited',
      path: 'extract.fields.price.1',
      message: `${SHOP}1: The model received too many questions`,
    },
  ])
})

it('a preview ends in time with the values of the page itself, although the model does not answer', async () => {
  const { rows, pages, took } = await preview(() => new Promise(() => {}), {
    start: { urls: [`${SHOP}1`] },
    crawl: { robots: false },
    extract: { fields: { name: 'h1', price: { model: 'The price' } } },
  })
  expect(rows).toEqual([{ name: 'Fountain pen', price: null }])
  expect(pages).toMatchObject([{ outcome: 'fetched', reason: { code: 'model_timeout' } }])
  expect(took).toBe(60_000)
})

it('a preview with a model counts for the quota like any preview', async () => {
  const world = createWorld(PAGES, {
    model: { ask: async () => ({ json: { price: 1 }, inputTokens: null, outputTokens: null }) },
  })
  const run = () =>
    world.clock.runUntil(
      world.platform.api.previews.run(OWNER, { recipe: RECIPE, scope: 'recipe' }),
    )
  for (let n = 0; n < 20; n++) await run()
  await expect(run()).rejects.toMatchObject({ status: 429 })
})
