import { expect, it } from 'vitest'
import { DAY_MS } from '../../../src/kernel/time.ts'
import { createWorld, OWNER } from '../../support/worlds/world.ts'
import type { World } from '../../support/worlds/world.ts'
import { modelOf, page, PEN, PRICE, SHOP } from '../../support/fakes/model-pages.ts'

const RECIPE = page({ name: 'h1', ...PRICE })

/** Runs a recipe, and returns what it has cost, and its rows. */
async function run(world: World, recipe = RECIPE) {
  const id = await world.start(recipe)
  await world.work()
  const { cost, model } = await world.read(id)
  return { credits: cost.credits, pages: model?.pages ?? 0, rows: await world.rows(id) }
}

const ROWS = [{ name: 'Fountain pen', price: 12.5 }]

it('an answer of a model is not asked for again, and costs nothing: by a preview, by another run', async () => {
  const model = modelOf(() => ({ price: 12.5 }))
  const world = createWorld({ [SHOP]: PEN }, { model })
  expect(await run(world)).toEqual({ credits: 2, pages: 1, rows: ROWS })
  expect(await run(world)).toEqual({ credits: 1, pages: 0, rows: ROWS })
  const { rows } = await world.clock.runUntil(
    world.platform.api.previews.run(OWNER, { recipe: RECIPE, scope: 'recipe' }),
  )
  expect([rows, model.asked.length]).toEqual([ROWS, 1])
})

it('a process does not repeat the question of another process, and it costs nothing there', async () => {
  const model = modelOf(() => ({ price: 12.5 }))
  const world = createWorld({ [SHOP]: PEN }, { model })
  await run(world)
  const { clock, store, blobs } = world
  const other = createWorld({ [SHOP]: PEN }, { clock, store, blobs, model })
  const id = await world.start(RECIPE)
  await other.work()
  const { cost, model: reading } = await world.read(id)
  expect([cost.credits, reading, await world.rows(id)]).toEqual([1, null, ROWS])
  expect(model.asked).toHaveLength(1)
  expect(await world.platform.verify()).toMatchObject({ ok: true })
})

it('is asked again: other words, a changed page, an answer that was unusable, a week later', async () => {
  const pages = { [SHOP]: PEN }
  const model = modelOf((_, nth) => (nth === 1 ? { cost: 1 } : { price: nth }))
  const world = createWorld(pages, { model })
  const priceOf = async (recipe?: Parameters<typeof run>[1]) => {
    const { credits, rows } = await run(world, recipe)
    return [rows[0]?.['price'], credits, model.asked.length]
  }
  expect(await priceOf()).toEqual([null, 1, 1])
  expect(await priceOf()).toEqual([2, 2, 2])
  expect(await priceOf(page({ price: { model: 'What it costs', as: 'number' } }))).toEqual([
    3, 2, 3,
  ])
  pages[SHOP] = PEN.replace('12,50', '13,50')
  expect(await priceOf()).toEqual([4, 2, 4])
  expect(await priceOf()).toEqual([4, 1, 4])
  await world.clock.advance(7 * DAY_MS)
  expect(await priceOf()).toEqual([5, 2, 5])
})

it('an account is not answered from what another has asked', async () => {
  const model = modelOf(() => ({ price: 12.5 }))
  const world = createWorld({ [SHOP]: PEN }, { model })
  await run(world)
  const other = { ...OWNER, account: 'globex' }
  const { rows } = await world.clock.runUntil(
    world.platform.api.previews.run(other, { recipe: RECIPE, scope: 'recipe' }),
  )
  expect([rows, model.asked.length]).toEqual([ROWS, 2])
})

it('pages of one text are a question each, and a page that others lead to is asked and paid once', async () => {
  const led = { status: 302, headers: { location: '/c' } }
  const pages = { a: led, b: led, c: PEN, d: PEN }
  const model = modelOf(() => ({ price: 12.5 }))
  const web = Object.fromEntries(Object.entries(pages).map(([name, body]) => [SHOP + name, body]))
  const world = createWorld(web, { model })
  const urls = Object.keys(web)
  const id = await world.start({ ...page(PRICE, {}, urls), crawl: { concurrency: 1 } })
  await world.work()
  expect((await world.receipt(id)).map(({ outcome }) => outcome)).toEqual([
    'duplicate',
    'duplicate',
    'fetched',
    'fetched',
  ])
  // The first that leads to `c` asks, its run may not use it, and `c` pays.
  expect(model.asked.map(({ text }) => /Address: (.*)/.exec(text)?.[1])).toEqual(urls.slice(2))
  expect(await world.read(id)).toMatchObject({
    cost: { credits: 4 },
    model: { pages: 2, inputTokens: 200, outputTokens: 20 },
  })
})

it('an answer for a run that is cancelled before its commit is free, also for the next run', async () => {
  let answered = async (): Promise<void> => {}
  const model = modelOf(async () => {
    await answered()
    return { price: 12.5 }
  })
  const world = createWorld({ [SHOP]: PEN }, { model })
  const { clock, store, blobs } = world
  // Another process cancels, so the run learns of it only by its commit.
  const other = createWorld({}, { clock, store, blobs, model })
  const id = await world.start(RECIPE)
  answered = async () => {
    await other.platform.api.executions.cancel(OWNER, id)
  }
  await world.work()
  expect(await world.read(id)).toMatchObject({ status: 'cancelled', cost: { credits: 0 } })
  expect(await run(world)).toEqual({ credits: 1, pages: 0, rows: ROWS })
  expect(model.asked).toHaveLength(1)
})
