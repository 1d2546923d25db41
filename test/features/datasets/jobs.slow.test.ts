import type { RecipeInput } from 'seine'
import { describe, expect, it } from 'vitest'
import { SYSTEM } from '../../../src/records/collection.ts'
import { createRecords } from '../../../src/features/records.ts'
import { LEASE_MS, OWNER, createWorld } from '../../support/worlds/world.ts'

const SITE = 'https://shop.example.com'
const DAY_MS = 86_400_000
type Shop = Record<string, number>
const pageOf = (shop: Shop) =>
  Object.entries(shop)
    .map(([sku, price]) => `<li><b>${sku}</b><i>${price}</i></li>`)
    .join('')
const recipe = {
  start: { urls: [`${SITE}/`] },
  extract: { items: 'li', fields: { sku: 'b', price: { css: 'i', as: 'number' as const } } },
}
/** A recipe with a second page, which has no rows. */
const twoPages: RecipeInput = {
  ...recipe,
  follow: [{ links: 'a', as: 'more' }],
  extract: { ...recipe.extract, on: 'start' },
}

/**
 * A shop whose stock the test changes, a dataset of it, and a task that gives its rows to the
 * dataset.
 */
async function open(
  settings: Parameters<
    ReturnType<typeof createWorld>['platform']['api']['datasets']['create']
  >[1] extends infer T
    ? Partial<T>
    : never = {},
) {
  const shop: { stock: Shop; also: Record<string, number> } = { stock: {}, also: {} }
  const world = createWorld({
    [`${SITE}/`]: () => `<ul>${pageOf(shop.stock)}</ul><a href="/more">more</a>`,
    [`${SITE}/more`]: () => ({ status: shop.also['status'] ?? 200, body: '<p>nothing</p>' }),
  })
  const { tasks, executions, datasets } = world.platform.api
  const dataset = await datasets.create(OWNER, { name: 'Shop', keyFields: ['sku'], ...settings })
  const task = await tasks.create(OWNER, { name: 'shop', recipe: twoPages, datasetId: dataset.id })
  return {
    ...world,
    shop,
    task,
    id: dataset.id,
    datasets,
    records: createRecords(world.store),
    read: () => datasets.get(OWNER, dataset.id),
    /** Runs the task over a stock, and merges. */
    async visit(stock: Shop, input: Parameters<typeof executions.start>[2] = {}) {
      shop.stock = stock
      const { id } = await executions.start(OWNER, task.id, input)
      await world.work()
      await world.clock.advance(1_000)
      await world.work()
      return executions.get(OWNER, id)
    },
    prices: async (state: 'present' | 'gone' | 'all' = 'present') =>
      Object.fromEntries(
        (await datasets.items(OWNER, dataset.id, { state, limit: 100 })).items.map(({ values }) => [
          values['sku'],
          values['price'],
        ]),
      ),
    changes: async () =>
      (await datasets.changes(OWNER, dataset.id, { limit: 100 })).items.map(
        ({ kind, key, fields }) => [kind, key['sku'], fields['price'] ?? null],
      ),
  }
}

describe('an execution of a task with a dataset', () => {
  it('is merged when it has succeeded: added, changed, gone, returned', async () => {
    const { visit, read, prices, changes, id } = await open()
    const first = await visit({ a: 1, b: 2 })
    expect([first.status, first.datasetId]).toEqual(['succeeded', id])
    expect((await read()).lastMerge).toEqual({
      executionId: first.id,
      at: first.finishedAt,
      added: 2,
      changed: 0,
      returned: 0,
      unchanged: 0,
      duplicate: 0,
      skipped: 0,
      cut: 0,
      gone: 0,
    })
    await visit({ a: 1, b: 3 })
    await visit({ b: 3 })
    expect(await prices('gone')).toEqual({ a: 1 })
    await visit({ a: 5, b: 3, c: 4 })
    expect(await prices()).toEqual({ a: 5, b: 3, c: 4 })
    expect(await changes()).toEqual([
      ['added', 'a', { before: null, after: 1 }],
      ['added', 'b', { before: null, after: 2 }],
      ['changed', 'b', { before: 2, after: 3 }],
      ['gone', 'a', null],
      ['returned', 'a', { before: 1, after: 5 }],
      ['added', 'c', { before: null, after: 4 }],
    ])
    expect(await read()).toMatchObject({
      columns: ['sku', 'price'],
      counters: { items: 3, present: 3, gone: 0, changes: 6 },
      totals: { added: 3, changed: 1, gone: 1, returned: 1 },
      lastMerge: { unchanged: 1 },
    })
  })

  it('marks no item as gone if it did not cover everything', async () => {
    const { visit, shop, prices } = await open()
    await visit({ a: 1, b: 2 })
    shop.also['status'] = 500
    await visit({ b: 2 })
    expect(await prices()).toEqual({ a: 1, b: 2 })
    shop.also['status'] = 403
    await visit({ b: 2 })
    expect(await prices()).toEqual({ a: 1, b: 2 })
    shop.also['status'] = 200
    await visit({ b: 2 }, { budget: { pages: 1 } })
    await visit({ b: 2 }, { urls: [`${SITE}/`] })
    expect(await prices()).toEqual({ a: 1, b: 2 })
    // A deleted page counts as an answer.
    shop.also['status'] = 404
    await visit({ b: 2 })
    expect(await prices()).toEqual({ b: 2 })
  })

  it('marks no item as gone if the limit of its task cut it short', async () => {
    const { platform, task, visit, prices } = await open()
    await visit({ a: 1, b: 2 })
    await platform.api.tasks.update(OWNER, task.id, {
      recipe: { ...twoPages, budget: { pages: 1 } },
    })
    expect(await visit({ b: 2 })).toMatchObject({
      status: 'succeeded',
      counters: { fetched: 1, skipped_limit: 1 },
    })
    expect(await prices()).toEqual({ a: 1, b: 2 })
  })

  it('marks items as gone always or never, if the dataset says so', async () => {
    const always = await open({ gone: 'always' })
    await always.visit({ a: 1, b: 2 })
    always.shop.also['status'] = 500
    await always.visit({ b: 2 })
    expect(await always.prices()).toEqual({ b: 2 })
    const never = await open({ gone: 'never' })
    await never.visit({ a: 1, b: 2 })
    await never.visit({ b: 2 })
    expect(await never.prices()).toEqual({ a: 1, b: 2 })
  })

  it.each([
    [false, {}],
    [true, { a: 1 }],
  ] as const)(
    'is merged without success only if the dataset allows it: %s',
    async (mergePartial, expected) => {
      const { platform, clock, task, prices, shop, records, work, read } = await open({
        mergePartial,
      })
      await platform.api.tasks.update(OWNER, task.id, {
        recipe: { ...twoPages, crawl: { delayMs: 60_000 } },
      })
      shop.stock = { a: 1 }
      const { id } = await platform.api.executions.start(OWNER, task.id)
      const ticking = platform.worker.tick()
      while ((await platform.api.executions.get(OWNER, id)).counters.rows === 0)
        await clock.advance(100)
      expect((await platform.api.executions.cancel(OWNER, id)).status).toBe('cancelled')
      await clock.runUntil(ticking)
      await work()
      expect(await records.pendingMerges.list('acme', { limit: 1 })).toEqual([])
      expect(await prices()).toEqual(expected)
      expect((await read()).counters.gone).toBe(0)
    },
  )

  it('never marks an item as gone that another task sees', async () => {
    const { platform, visit, prices, id, clock, work, web } = await open()
    await visit({ a: 1, b: 2 })
    const other = await platform.api.tasks.create(OWNER, {
      name: 'other',
      recipe: { start: { urls: ['https://other.example.com/'] }, extract: recipe.extract },
      datasetId: id,
    })
    expect(web.requests.get('https://other.example.com/')).toBeUndefined()
    await platform.api.executions.start(OWNER, other.id)
    await work()
    await clock.advance(1_000)
    await visit({ a: 1 })
    expect(await prices()).toEqual({ a: 1 })
  })
})

describe('retention', () => {
  it('drops changes and gone items that are too old, day by day, and a new period takes effect', async () => {
    const { visit, read, clock, work, prices, datasets, id } = await open({
      retention: { changesDays: 2, goneDays: 4 },
    })
    await visit({ a: 1, b: 2 })
    await visit({ b: 2 })
    expect((await read()).counters).toEqual({ items: 2, present: 1, gone: 1, changes: 3 })
    const { nextCursor } = await datasets.changes(OWNER, id, { limit: 1 })
    for (let day = 0; day < 3; day++) {
      await clock.advance(DAY_MS)
      await work()
    }
    expect((await read()).counters).toEqual({ items: 2, present: 1, gone: 1, changes: 0 })
    expect(await datasets.changes(OWNER, id, { cursor: nextCursor })).toMatchObject({
      items: [],
      missed: 2,
    })
    for (let day = 0; day < 2; day++) {
      await clock.advance(DAY_MS)
      await work()
    }
    expect(await prices('all')).toEqual({ b: 2 })
    await datasets.update(OWNER, id, { retention: {} })
    await visit({})
    await visit({ c: 3 })
    await clock.advance(30 * DAY_MS)
    await work()
    expect((await read()).counters).toEqual({ items: 2, present: 1, gone: 1, changes: 2 })
    // An item that comes back after it was dropped is new.
    await visit({ a: 1, c: 3 })
    expect((await read()).totals).toEqual({ added: 4, changed: 0, gone: 2, returned: 0 })
  })

  it('has one daily job, however often the period is set', async () => {
    const { datasets, id, clock, work, records } = await open({ retention: { goneDays: 1 } })
    for (const goneDays of [2, 3, 4]) await datasets.update(OWNER, id, { retention: { goneDays } })
    await work()
    await clock.advance(DAY_MS)
    await work()
    const jobs = await records.jobs.list(SYSTEM, { limit: 10 })
    expect(jobs.map(({ value }) => value.kind)).toEqual(['retention'])
    await datasets.update(OWNER, id, { retention: { goneDays: null } })
    await clock.advance(DAY_MS + LEASE_MS)
    await work()
    expect(await records.jobs.list(SYSTEM, { limit: 10 })).toEqual([])
  })
})

it('a deleted dataset leaves no records behind, and a late execution is dropped', async () => {
  const { visit, datasets, platform, task, id, work, clock, store, shop } = await open()
  await visit(Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`p${i}`, i])))
  shop.stock = { x: 1 }
  await platform.api.executions.start(OWNER, task.id)
  await platform.api.tasks.update(OWNER, task.id, { datasetId: null })
  await datasets.delete(OWNER, id)
  await work()
  await clock.advance(LEASE_MS)
  await work()
  const left = await store.list({ prefix: ['acme'], limit: 10_000 })
  expect(left.filter(({ key }) => key.includes(id)).map(({ key }) => key)).toEqual([])
})
