import { describe, expect, it } from 'vitest'
import { createPlatform } from '../../../src/platform/platform.ts'
import type { PlanStep } from '../../../src/features/plan-steps/plan-steps.ts'
import { recipeOf, createServiceHost } from '../../support/worlds/service-host.ts'
import { OWNER, createWorld } from '../../support/worlds/world.ts'
import type { World } from '../../support/worlds/world.ts'

const SHOP = 'https://shop.example.com'
const list = (page: number, next: boolean): string =>
  `<a class="product" href="/pens/${page}1">One</a> <a class="product" href="/pens/${page}` +
  '2">Two</a>' +
  (next ? `<a class="next" href="/list?page=${page + 1}">more</a>` : '')
const pages = {
  [`${SHOP}/list?page=1`]: list(1, true),
  [`${SHOP}/list?page=2`]: list(2, false),
  [`${SHOP}/pens/11`]: '<h1>Fountain</h1>',
  [`${SHOP}/pens/12`]: '<h1>Ball</h1>',
  [`${SHOP}/pens/21`]: '<h1>Gel</h1>',
}
const recipe = {
  start: { urls: [`${SHOP}/list?page=1`] },
  follow: [
    { links: 'a.product', as: 'detail', on: 'start' },
    { next: 'a.next', on: 'start' },
  ],
  extract: { on: 'detail', fields: { title: 'h1' } },
}

const stepsOf = async ({ platform }: World, id: string): Promise<readonly PlanStep[]> =>
  (await platform.api.planSteps.list(OWNER, id)).steps
const short = (steps: readonly PlanStep[]) =>
  steps.map(({ id, state, counts }) => [id, state, counts])

describe('the steps of a plan', () => {
  it('wait at first, and are then done with their counts', async () => {
    const world = createWorld(pages)
    const id = await world.start(recipe)
    expect(short(await stepsOf(world, id))).toEqual([
      ['start', 'pending', { urls: 1 }],
      ['visit-start', 'pending', { found: 0, settled: 0, fetched: 0 }],
      ['visit-detail', 'pending', { found: 0, settled: 0, fetched: 0 }],
      ['follow-0', 'pending', { links: 0 }],
      ['follow-1', 'pending', { links: 0 }],
      ['extract', 'pending', { pages: 0, rows: 0 }],
    ])
    await world.work()
    const steps = await stepsOf(world, id)
    expect(short(steps)).toEqual([
      ['start', 'done', { urls: 1 }],
      ['visit-start', 'done', { found: 2, settled: 2, fetched: 2 }],
      ['visit-detail', 'done', { found: 4, settled: 4, fetched: 3 }],
      ['follow-0', 'done', { links: 4 }],
      ['follow-1', 'done', { links: 1 }],
      ['extract', 'done', { pages: 3, rows: 3 }],
    ])
    expect(steps.map(({ title }) => title)).toEqual([
      `Take the start page ${SHOP}/list?page=1`,
      'Visit the start pages',
      'Visit the pages with the label detail',
      'Follow the links a.product to pages with the label detail',
      'Follow the pagination a.next',
      'Extract title from pages with the label detail',
    ])
  })

  it('show what failed and what was not reached', async () => {
    const world = createWorld({ [`${SHOP}/list?page=1`]: 'nothing' })
    const id = await world.start(recipe)
    await world.work()
    expect(short(await stepsOf(world, id)).map(([step, state]) => [step, state])).toEqual([
      ['start', 'done'],
      ['visit-start', 'done'],
      ['visit-detail', 'skipped'],
      ['follow-0', 'skipped'],
      ['follow-1', 'skipped'],
      ['extract', 'skipped'],
    ])
    const down = createWorld({ [`${SHOP}/list?page=1`]: 'down' })
    const failed = await down.start(recipe)
    await down.work()
    expect(
      (await stepsOf(down, failed)).find(({ id: step }) => step === 'visit-start'),
    ).toMatchObject({ state: 'failed', counts: { found: 1, settled: 1, fetched: 0 } })
  })

  it('name the list that could not be read', async () => {
    const world = createWorld({})
    const id = await world.start({
      start: { sitemap: `${SHOP}/sitemap.xml` },
      extract: { fields: { title: 'h1' } },
    })
    await world.work()
    const [first] = await stepsOf(world, id)
    expect((await world.read(id)).status).toBe('failed')
    expect(first).toMatchObject({
      id: 'sitemap',
      kind: 'list',
      title: `Read the sitemap ${SHOP}/sitemap.xml`,
      state: 'failed',
    })
  })

  it('end with the merge into a dataset', async () => {
    const world = createWorld(pages)
    const dataset = await world.platform.api.datasets.create(OWNER, {
      name: 'pens',
      keyFields: ['title'],
    })
    const task = await world.platform.api.tasks.create(OWNER, { recipe, datasetId: dataset.id })
    const { id } = await world.platform.api.executions.start(OWNER, task.id)
    expect((await stepsOf(world, id)).at(-1)).toMatchObject({
      id: 'merge',
      state: 'pending',
      counts: { rows: 0 },
    })
    await world.work()
    expect((await stepsOf(world, id)).at(-1)).toMatchObject({
      id: 'merge',
      state: 'done',
      counts: { rows: 3 },
    })
  })
})

describe('GET /api/v1/executions/:id/plan/steps', () => {
  it('is 404 for an unknown execution', async () => {
    const host = await createServiceHost()
    expect((await host.call('GET', '/api/v1/executions/none/plan/steps')).body).toEqual({
      success: false,
      error: { code: 'NOT_FOUND', message: 'Execution not found' },
    })
  })

  it('is 404 NOT_FOUND if plans are switched off', async () => {
    const silent = { debug() {}, info() {}, warn() {}, error() {} }
    const platform = createPlatform({ logger: silent, plan: false })
    const { secret } = await platform.api.keys.create(OWNER, { name: 'k', scopes: ['*'] })
    const task = await platform.api.tasks.create(OWNER, { recipe: recipeOf() })
    const { id } = await platform.api.executions.start(OWNER, task.id)
    const ask = (key: string) =>
      platform.fetch(
        new Request(`http://host.test/api/v1/executions/${id}/plan/steps`, {
          headers: { 'X-API-Key': key },
        }),
      )
    const response = await ask(secret)
    expect([response.status, await response.json()]).toEqual([
      404,
      {
        success: false,
        error: { code: 'NOT_FOUND', message: 'Execution plans are not available here' },
      },
    ])
    expect((await ask('nobody')).status).toBe(401)
    await platform.close()
  })
})
