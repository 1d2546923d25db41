import { expect, test } from 'vitest'
import { createWebhookWorld } from './support/worlds/webhook-world.ts'
import { OWNER } from './support/worlds/world.ts'

const SHOP = 'https://shop.example.com/'
const HOUR = 3_600_000

/** A shop that is watched every hour: schedule, dataset and webhook together, like for a user. */
async function watched() {
  let shop: readonly (readonly [sku: string, price: string])[] = []
  const world = createWebhookWorld({
    answer: ({ url }) => {
      if (url !== SHOP) return url.endsWith('/robots.txt') ? { status: 404 } : { status: 204 }
      const items = shop
        .map(([sku, price]) => `<li><i>${sku}</i>${price === '' ? '' : `<b>${price}</b>`}</li>`)
        .join('')
      return {
        headers: { 'content-type': 'text/html' },
        body: new TextEncoder().encode(`<ul>${items}</ul>`),
      }
    },
  })
  const { api } = world.platform
  const hook = await world.add({ events: ['execution.succeeded', 'dataset.changed', 'task.drift'] })
  const dataset = await api.datasets.create(OWNER, { name: 'Pens', keyFields: ['sku'] })
  const task = await api.tasks.create(OWNER, {
    name: 'Pens',
    datasetId: dataset.id,
    schedule: { cron: '0 * * * *', timeZone: 'UTC', missed: 'run', overlap: false },
    recipe: {
      start: { urls: [SHOP] },
      extract: { items: 'li', fields: { sku: 'i', price: { css: 'b', as: 'number' } } },
    },
  })
  let count = 0
  return {
    ...world,
    api,
    dataset: dataset.id,
    task: task.id,
    hook,
    /** Lets an hour pass; returns the events that the webhook got in it. */
    async hour(now: typeof shop): Promise<unknown[]> {
      shop = now
      await world.clock.advance(HOUR)
      await world.work()
      const events = world.got
        .filter(({ url }) => url === hook.url)
        .map(({ body }) => JSON.parse(body))
      const fresh = events.slice(count)
      count = events.length
      return fresh.toSorted((a, b) => String(a.type).localeCompare(b.type))
    },
  }
}

const priced = Array.from({ length: 20 }, (_, index) => [`P${index}`, '5'] as const)

test('the webhook gets an event for an hour with a change, and none for an hour without', async () => {
  const { hour, api, dataset } = await watched()
  expect(await hour(priced.slice(0, 2))).toMatchObject([
    { type: 'dataset.changed', data: { datasetId: dataset, added: 2, changed: 0, gone: 0 } },
    { type: 'execution.succeeded' },
  ])
  expect(await hour(priced.slice(0, 2))).toMatchObject([{ type: 'execution.succeeded' }])
  expect(
    await hour([
      ['P0', '4.5'],
      ['P2', '5'],
    ]),
  ).toMatchObject([
    { type: 'dataset.changed', data: { added: 1, changed: 1, gone: 1 } },
    { type: 'execution.succeeded' },
  ])
  const { items } = await api.datasets.changes(OWNER, dataset)
  expect(
    items
      .slice(2)
      .map(({ kind, key, fields }) => [kind, key['sku'], fields['price']])
      .toSorted(),
  ).toEqual([
    ['added', 'P2', { before: null, after: 5 }],
    ['changed', 'P0', { before: 5, after: 4.5 }],
    ['gone', 'P1', undefined],
  ])
})

test('a site that has moved its prices is reported as drift, with the field', async () => {
  const { hour, api, task } = await watched()
  await hour(priced)
  await hour(priced)
  const events = await hour(priced.map(([sku]) => [sku, ''] as const))
  expect(events).toContainEqual(
    expect.objectContaining({
      type: 'task.drift',
      data: expect.objectContaining({
        taskId: task,
        fields: [{ field: 'price', usual: 1, now: 0 }],
      }),
    }),
  )
  expect((await api.executions.listOfTask(OWNER, task)).items[0]?.drift).toEqual([
    { field: 'price', usual: 1, now: 0 },
  ])
})
