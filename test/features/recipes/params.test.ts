import { describe, expect, it } from 'vitest'
import { createClient } from '../../../src/client/create-client.ts'
import { createServiceHost } from '../../support/worlds/service-host.ts'
import { OWNER, createWorld } from '../../support/worlds/world.ts'

const recipe = {
  params: {
    city: { description: 'Where' },
    pages: { type: 'integer', default: 1 },
  },
  start: { urls: ['https://shop.example.com/{{city}}?page={1..{{pages}}}'] },
  extract: { fields: { title: 'h1', city: { const: '{{city}}' } } },
} as const
const ghent = { city: 'Ghent' }
const PAGES = {
  'https://shop.example.com/Ghent?page=1': '<h1>Pens</h1>',
  'https://shop.example.com/Bruges?page=1': '<h1>Ink</h1>',
  'https://shop.example.com/Bruges?page=2': '<h1>More ink</h1>',
}

async function open() {
  const host = await createServiceHost()
  const post = async (path: string, body?: unknown) => {
    const answer = await host.call('POST', `/api/v1${path}`, body === undefined ? {} : { body })
    return { status: answer.status, data: answer.body.data, issues: answer.body.error?.issues }
  }
  const { data: task } = await post('/tasks', { recipe })
  return { ...host, post, task }
}

describe('params of a recipe', async () => {
  const host = await open()
  const { post, task } = host
  const template = '/templates/article'
  /** Every operation with params, and the other members of its body. */
  const WAYS = [
    ['a start of a task', `/tasks/${task.id}/executions`, {}],
    ['a run without a task', '/executions', { recipe }],
    ['an estimate of a recipe', '/tasks/estimate', { recipe }],
    ['an estimate of a task', `/tasks/${task.id}/estimate`, {}],
    ['a preview of a recipe', '/tasks/preview', { recipe }],
    ['a preview of a task', `/tasks/${task.id}/preview`, {}],
  ] as const

  it.each(WAYS)('are given to %s', async (_, path, body) => {
    expect((await post(path, { ...body, params: ghent })).status).toBeLessThan(300)
  })

  it.each(WAYS)(
    'are refused by %s if they are wrong, and nothing is charged',
    async (_, path, body) => {
      const before = await host.call('GET', '/api/v1/billing/balance')
      const issuesOf = async (params: unknown) => {
        const { status, issues } = await post(path, { ...body, params })
        expect(status).toBe(400)
        return issues
      }
      expect(await issuesOf({})).toEqual([{ path: 'params.city', message: 'is required' }])
      expect(await issuesOf({ city: 'Ghent', pagges: 2 })).toEqual([
        { path: 'params.pagges', message: 'unknown field; did you mean pages?' },
      ])
      expect(await issuesOf({ city: 7, pages: 'x' })).toEqual([
        { path: 'params.city', message: 'must be a text' },
        { path: 'params.pages', message: 'must be a number' },
      ])
      expect(await issuesOf('Ghent')).toEqual([{ path: 'params', message: 'must be an object' }])
      // An error of the filled recipe names the parameter that caused it.
      expect(await issuesOf({ city: 'Ghent', pages: 99_999 })).toMatchObject([
        { path: 'params', message: expect.stringMatching(/^recipe.start.urls.0: .* 10,000 URLs/) },
      ])
      const after = await host.call('GET', '/api/v1/billing/balance')
      expect(after.body.data).toEqual(before.body.data)
    },
  )

  it('are shown with the execution, and a retry has the same', async () => {
    const { data: run } = await post(`/tasks/${task.id}/executions`, { params: ghent })
    expect(run.params).toEqual({ city: 'Ghent', pages: 1 })
    await post(`/executions/${run.id}/cancel`)
    const { data: retried } = await post(`/executions/${run.id}/retry`)
    expect(retried).toMatchObject({ params: run.params, retryOf: run.id })
    const [first, again] = await Promise.all(
      [run.id, retried.id].map((id) => host.records.executions.get('acme', id)),
    )
    expect(again?.value.recipe).toEqual(first?.value.recipe)
    expect(first?.value.recipe).toMatchObject({
      start: { urls: ['https://shop.example.com/Ghent?page={1..1}'] },
    })
    expect(first?.value.recipe).not.toHaveProperty('params')
  })

  it('count as a part of the request for an idempotency key', async () => {
    const start = (params: unknown) =>
      host.call('POST', `/api/v1/tasks/${task.id}/executions`, {
        body: { params },
        headers: { 'idempotency-key': 'one' },
      })
    const first = await start(ghent)
    expect((await start(ghent)).body).toEqual(first.body)
    expect((await start({ city: 'Bruges' })).status).toBe(422)
  })

  it('of a template are also shown, and refused with the nearest name', async () => {
    const params = { urls: ['https://news.example.com/1'] }
    expect((await post(`${template}/executions`, { params })).data.params).toEqual(params)
    const { issues } = await post(`${template}/executions`, { params: { ...params, url: 'x' } })
    expect(issues).toEqual([{ path: 'params.url', message: 'unknown field; did you mean urls?' }])
    const many = {
      urls: Array.from({ length: 400 }, (_, index) => `https://news.example.com/${index}`),
    }
    expect((await post(`${template}/executions`, { params: many })).data.params).toBeNull()
  })

  it('are refused if a recipe is saved with declarations that cannot work', async () => {
    const wrong = { ...recipe, extract: { items: '.{{city}}' } }
    for (const path of ['/tasks', '/executions', '/tasks/preview'])
      expect(
        (await post(path, { recipe: wrong, ...(path !== '/tasks' && { params: ghent }) })).issues,
      ).toMatchObject([
        { path: 'recipe.extract.items', message: expect.stringContaining('cannot be here') },
      ])
    expect((await post('/tasks', { recipe: { ...recipe, params: { 'a b': {} } } })).issues).toEqual(
      [{ path: 'recipe.params.a b', message: expect.stringContaining('must be a letter') }],
    )
  })

  it('are refused for a recipe without params', async () => {
    const { data } = await post('/tasks', {
      recipe: { start: { urls: ['https://a.example.com/'] } },
    })
    expect((await post(`/tasks/${data.id}/executions`)).data.params).toBeNull()
    expect((await post(`/tasks/${data.id}/executions`, { params: ghent })).issues).toEqual([
      { path: 'params.city', message: 'the recipe declares no parameters' },
    ])
  })

  it('do not name a task after a placeholder', async () => {
    const withParam = { params: { site: { type: 'url' } }, start: { urls: ['{{site}}'] } }
    expect(task.name).toBe('shop.example.com')
    expect((await post('/tasks', { recipe: withParam })).data.name).toBe('Untitled')
  })
})

describe('a schedule', () => {
  const NINE = { cron: '0 9 * * *' }

  it('has params, which are checked when it is saved', async () => {
    const { call, post } = await open()
    const issuesOf = async (schedule: unknown) =>
      (await post('/tasks', { recipe, schedule })).issues
    expect(await issuesOf(NINE)).toEqual([{ path: 'schedule.params.city', message: 'is required' }])
    expect(await issuesOf({ ...NINE, params: { ...ghent, citty: 'x' } })).toEqual([
      { path: 'schedule.params.citty', message: 'unknown field; did you mean city?' },
    ])
    const { data } = await post('/tasks', { recipe, schedule: { ...NINE, params: ghent } })
    expect(data.schedule).toMatchObject({ ...NINE, params: ghent })
    const patch = async (body: unknown) =>
      (await call('PATCH', `/api/v1/tasks/${data.id}`, { body })).body.error?.issues
    expect(await patch({ schedule: NINE })).toMatchObject([{ path: 'schedule.params.city' }])
    expect(
      await patch({
        recipe: { ...recipe, params: { ...recipe.params, city: { type: 'number' } } },
      }),
    ).toEqual([{ path: 'schedule.params.city', message: 'must be a number' }])
    expect(await patch({ schedule: { ...NINE, params: { city: 'Bruges' } } })).toBeUndefined()
  })

  it('starts runs with its params', async () => {
    const world = createWorld(PAGES)
    const { tasks, executions } = world.platform.api
    const schedule = { cron: '* * * * *', timeZone: 'UTC', missed: 'run', overlap: true } as const
    const params = { city: 'Bruges', pages: 2 }
    const task = await tasks.create(OWNER, { recipe, schedule: { ...schedule, params } })
    await world.clock.advance(60_000)
    await world.work()
    const { items } = await executions.listOfTask(OWNER, task.id)
    expect(items).toMatchObject([{ params, status: 'succeeded' }])
    expect(await world.rows(items[0]?.id ?? '')).toMatchObject([
      { title: 'Ink', city: 'Bruges' },
      { title: 'More ink', city: 'Bruges' },
    ])
  })
})

it('a recipe with params runs over HTTP by the typed client, from save to rows', async () => {
  const world = createWorld(PAGES)
  const { secret: key } = await world.platform.api.keys.create(OWNER, { name: 'k', scopes: ['*'] })
  const client = createClient({
    baseUrl: 'http://host.test',
    apiKey: key,
    fetch: (request) => world.platform.fetch(request),
  })
  const task = await client.tasks.create({ recipe })
  const run = await client.executions.start(task.id, { params: ghent })
  await world.work()
  expect((await client.executions.get(run.id)).params).toEqual({ city: 'Ghent', pages: 1 })
  expect((await client.results.list(run.id)).items).toMatchObject([
    { title: 'Pens', city: 'Ghent' },
  ])
})

it('a run whose params cover a part does not change the items of other parts in a dataset', async () => {
  const world = createWorld(PAGES)
  const { tasks, executions, datasets } = world.platform.api
  const dataset = await datasets.create(OWNER, { name: 'd', keyFields: ['title'] })
  const task = await tasks.create(OWNER, { recipe, datasetId: dataset.id })
  for (const params of [{ city: 'Bruges', pages: 2 }, ghent]) {
    await executions.start(OWNER, task.id, { params })
    await world.work()
  }
  const { items } = await datasets.items(OWNER, dataset.id)
  expect(items.map(({ state }) => state)).toEqual(['present', 'present', 'present'])
})

it('params stay in the recipe that a preview proposes', async () => {
  const list = ['a', 'b', 'c', 'd']
    .map(
      (one, index) =>
        `<li class="card"><h2><a href="/${one}">Pen ${one}</a></h2><p class="price">${index}.50 EUR</p></li>`,
    )
    .join('')
  const world = createWorld({ 'https://shop.example.com/Ghent': `<ul class="cards">${list}</ul>` })
  const { proposal } = await world.platform.api.previews.run(OWNER, {
    recipe: {
      params: { city: {} },
      start: { urls: ['https://shop.example.com/{{city}}'] },
      extract: 'auto',
    },
    params: ghent,
    scope: 'recipe',
  })
  expect(proposal?.recipe).toMatchObject({
    params: { city: {} },
    start: { urls: ['https://shop.example.com/{{city}}'] },
    extract: { fields: { title: expect.anything() } },
  })
})
