import { expect, it } from 'vitest'
import type { Model } from '../../src/ports/model.ts'
import { createWorld, OWNER } from '../support/worlds/world.ts'

const SHOP = 'https://shop.example.com/'
const recipe = {
  start: { urls: [SHOP] },
  extract: { fields: { name: 'h1', price: { model: 'The price', as: 'number' } } },
}
const model: Model = {
  ask: async () => ({ json: { price: 12.5 }, inputTokens: 50, outputTokens: 5 }),
}

async function open(options: { model?: Model } = {}) {
  const world = createWorld({ [SHOP]: '<h1>Pen</h1><p>For 12.50</p>' }, options)
  const { secret } = await world.platform.api.keys.create(OWNER, { name: 'test', scopes: ['*'] })
  const call = async (method: string, path: string, body?: unknown) => {
    const response = await world.platform.fetch(
      new Request(`http://localhost/api/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    )
    return { status: response.status, body: await response.json() }
  }
  return { world, call }
}

it('a task with a field for a model is refused with the place of the field if there is no model', async () => {
  const { call } = await open()
  for (const [path, body] of [
    ['/tasks', { name: 'pens', recipe }],
    ['/tasks/estimate', { recipe }],
    ['/tasks/preview', { recipe }],
  ] as const) {
    expect([path, await call('POST', path, body)]).toEqual([
      path,
      {
        status: 404,
        body: expect.objectContaining({ error: expect.objectContaining({ code: 'NOT_FOUND' }) }),
      },
    ])
    expect(JSON.stringify((await call('POST', path, body)).body)).toContain(
      'recipe.extract.fields.price.model',
    )
  }
})

it('a recipe that asks for rendering is refused with 404 in the same way if there is no browser', async () => {
  const { call } = await open()
  const start = { urls: ['https://a.com/'] }
  for (const render of ['browser', 'auto']) {
    const rendered = { start, page: { render }, extract: { fields: { title: 'h1' } } }
    expect(await call('POST', '/tasks', { recipe: rendered })).toEqual({
      status: 404,
      body: expect.objectContaining({
        error: expect.objectContaining({
          code: 'NOT_FOUND',
          issues: [{ path: 'recipe.page.render', message: expect.stringContaining('browser') }],
        }),
      }),
    })
  }
})

it('a recipe with such a field is estimated, run and charged over HTTP', async () => {
  const { world, call } = await open({ model })
  expect((await call('POST', '/tasks/estimate', { recipe })).body.data).toMatchObject({
    pages: 1,
    credits: 2,
  })
  const task = (await call('POST', '/tasks', { name: 'pens', recipe })).body.data
  const { id } = (await call('POST', `/tasks/${task.id}/executions`, {})).body.data
  await world.work()
  expect((await call('GET', `/executions/${id}`)).body.data).toMatchObject({
    status: 'succeeded',
    model: { pages: 1, inputTokens: 50, outputTokens: 5 },
    cost: { credits: 2 },
  })
  expect((await call('GET', `/executions/${id}/results`)).body.data.items).toEqual([
    { name: 'Pen', price: 12.5 },
  ])
  expect((await call('GET', `/executions/${id}/plan/steps`)).body.data.steps.at(-1)).toMatchObject({
    kind: 'extract',
    counts: { readByModel: 1 },
  })
})

it('the description of the API has such fields', async () => {
  const { call } = await open()
  const { components } = (await call('GET', '/openapi.json')).body
  expect(components.schemas.FieldSource.properties.model).toMatchObject({
    type: 'string',
    description: expect.stringContaining('language model'),
  })
})
