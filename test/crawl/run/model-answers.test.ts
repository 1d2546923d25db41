import { describe, expect, it } from 'vitest'
import { ModelFailure } from '../../../src/kernel/failures.ts'
import type { Model } from '../../../src/ports/model.ts'
import { createWorld, OWNER } from '../../support/worlds/world.ts'
import { LIST, modelOf, page, PEN, PRICE, SHOP } from '../../support/fakes/model-pages.ts'

describe('a model that gives no answer', () => {
  it.each<readonly [string, Model['ask'], string]>([
    ['refuses', () => Promise.reject(new ModelFailure('refused', 'no')), 'model_refused'],
    ['is busy', () => Promise.reject(new ModelFailure('limited', 'later')), 'model_limited'],
    ['declines', () => Promise.reject(new ModelFailure('declined', 'no')), 'model_declined'],
    ['breaks', () => Promise.reject(new TypeError('bug')), 'model_failed'],
    ['never answers, not even to an abort', () => new Promise(() => {}), 'model_timeout'],
    [
      'answers something else',
      async () => ({ json: { cost: 1 }, inputTokens: 1, outputTokens: 1 }),
      'model_unusable',
    ],
    [
      'answers with a value that is not an object',
      async () => ({ json: [1], inputTokens: 1, outputTokens: 1 }),
      'model_unusable',
    ],
    [
      'answers a value of another shape',
      async () => ({ json: { price: { amount: 1 } }, inputTokens: 1, outputTokens: 1 }),
      'model_unusable',
    ],
  ])(
    'because it %s: the page keeps its other values, says so, and costs its price without a model',
    async (_, ask, code) => {
      const world = createWorld({ [SHOP]: PEN }, { model: { ask } })
      const id = await world.start(page({ name: 'h1', ...PRICE }))
      await world.work()
      expect(await world.rows(id)).toEqual([{ name: 'Fountain pen', price: null }])
      expect(await world.receipt(id)).toEqual([{ url: SHOP, outcome: 'fetched', code }])
      expect(await world.read(id)).toMatchObject({
        status: 'succeeded',
        cost: { credits: 1 },
        model: null,
        errors: {},
      })
    },
  )

  it('gives no rows', async () => {
    const world = createWorld({ [SHOP]: LIST }, { model: modelOf(() => 'no') })
    const id = await world.start(page({ shop: 'h1', ...PRICE }, { items: ':model(every pen)' }))
    await world.work()
    expect([await world.rows(id), await world.receipt(id)]).toEqual([
      [],
      [{ url: SHOP, outcome: 'fetched', code: 'model_unusable' }],
    ])
  })
})

describe('prices', () => {
  it.each([
    [undefined, 3, 6],
    [0, 3, 3],
    [5, 3, 8],
  ] as const)('a model of %s on a page of %i credits costs %i', async (model, fetched, spent) => {
    const world = createWorld(
      { [SHOP]: PEN },
      {
        model: modelOf(() => ({ price: 1 })),
        billing: { prices: { fetched, ...(model !== undefined && { model }) } },
      },
    )
    const recipe = page(PRICE)
    expect(await world.platform.api.estimates.recipe(OWNER, recipe)).toMatchObject({
      credits: spent,
    })
    const id = await world.start(recipe)
    await world.work()
    expect(await world.read(id)).toMatchObject({ cost: { credits: spent, reserved: spent } })
    expect((await world.platform.api.executions.pages(OWNER, id)).items).toMatchObject([
      { credits: spent },
    ])
    expect((await world.platform.api.billing.activity(OWNER)).items).toMatchObject([
      { credits: -spent, execution: { spent, pages: 1 } },
    ])
  })

  it('a budget counts every page as if the model read it', async () => {
    const pages = Object.fromEntries(
      Array.from({ length: 9 }, (_, index) => [`${SHOP}${index}`, PEN]),
    )
    const world = createWorld(pages, { model: modelOf(() => ({ price: 1 })) })
    const id = await world.start({ ...page(PRICE, {}, [`${SHOP}{0..8}`]), budget: { credits: 7 } })
    await world.work()
    expect((await world.receipt(id)).filter(({ outcome }) => outcome === 'fetched')).toHaveLength(3)
    expect(await world.read(id)).toMatchObject({ cost: { credits: 6 } })
  })
})

it('kept pages cost the price of the model alone', async () => {
  const model = modelOf(() => ({ price: 4 }))
  const world = createWorld(
    { [SHOP]: PEN, [`${SHOP}b`]: PEN.replace('Fountain', 'Ball') },
    { model },
  )
  const first = await world.start({
    start: { urls: [SHOP, `${SHOP}b`] },
    page: { keep: true },
    extract: { fields: { name: 'h1' } },
  })
  await world.work()
  expect(await world.read(first)).toMatchObject({ cost: { credits: 2 }, kept: { pages: 2 } })
  const { id } = await world.platform.api.executions.extract(OWNER, first, {
    recipe: { extract: { fields: { name: 'h1', ...PRICE } } },
  })
  await world.work()
  // Both pages are read at the same time, so either may end first.
  expect((await world.rows(id)).map(({ name, price }) => [name, price]).toSorted()).toEqual([
    ['Ball pen', 4],
    ['Fountain pen', 4],
  ])
  expect(await world.read(id)).toMatchObject({
    status: 'succeeded',
    cost: { credits: 2, reserved: 2 },
    counters: { unchanged: 2 },
    model: { pages: 2 },
  })
  expect((await world.platform.api.billing.activity(OWNER)).items[0]).toMatchObject({
    execution: { spent: 2, pages: 2 },
  })
  const { id: free } = await world.platform.api.executions.extract(OWNER, first, {
    recipe: { extract: { fields: { name: 'h1' } } },
  })
  await world.work()
  expect(await world.read(free)).toMatchObject({ cost: { credits: 0, reserved: 0 } })
})

it('no more questions than the limit are asked at the same time', async () => {
  let [now, most] = [0, 0]
  const pages = Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [`https://shop${index}.example.com/`, PEN]),
  )
  const world = createWorld(pages, {
    modelLimits: { concurrency: 2 },
    model: modelOf(async () => {
      most = Math.max(most, ++now)
      await world.clock.sleep(1_000)
      now--
      return { price: 1 }
    }),
  })
  const id = await world.start(page(PRICE, {}, Object.keys(pages)))
  await world.work()
  expect([most, (await world.rows(id)).length]).toEqual([2, 12])
})

it.each([{ concurrency: 0 }, { concurrency: 1.5 }, { timeoutMs: 0 }])(
  'the limits %j are refused',
  (modelLimits) => {
    expect(() => createWorld({}, { model: modelOf(() => null), modelLimits })).toThrow(
      /modelLimits\.\w+ must be a whole number from 1/,
    )
  },
)

it('the platform closes the model when it closes', async () => {
  const model = modelOf(() => null)
  await createWorld({}, { model }).platform.close()
  expect(model.closed).toBe(1)
})

it('a cancelled execution aborts its question', async () => {
  let reason: unknown = null
  const world = createWorld(
    { [SHOP]: PEN },
    {
      model: modelOf(
        ({ signal }) =>
          new Promise((_, reject) =>
            signal.addEventListener('abort', () => reject((reason = signal.reason))),
          ),
      ),
    },
  )
  const id = await world.start(page(PRICE))
  const working = world.platform.worker.tick()
  await world.clock.advance(5_000)
  await world.platform.api.executions.cancel(OWNER, id)
  await world.clock.runUntil(working)
  expect(reason).not.toBeNull()
  expect(await world.read(id)).toMatchObject({ status: 'cancelled', cost: { credits: 0 } })
})
