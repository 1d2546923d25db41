import { expect, onTestFinished, test } from 'vitest'
import { createPlatform } from '../../../src/platform/platform.ts'
import { createFakeWeb } from '../../support/fakes/fake-web.ts'
import { mergeAll } from '../../support/worlds/merge-all.ts'
import { createServiceHost, recipeOf } from '../../support/worlds/service-host.ts'
import { OWNER } from '../../support/worlds/world.ts'

// Proves that the size of a list page of a dataset is bounded, however large its items are.

const silent = { debug() {}, info() {}, warn() {}, error() {} }
const URLS = Array.from({ length: 6 }, (_, index) => `https://a.example.com/${index}`)

test('a page of large items, and of their changes, ends early with a cursor', async () => {
  const text = 'word '.repeat(140_000)
  const platform = createPlatform({
    fetcher: createFakeWeb(
      Object.fromEntries(URLS.map((url) => [url, { body: `<h1>${url}</h1><p>${text}</p>` }])),
    ),
    rateLimits: false,
    logger: silent,
  })
  onTestFinished(() => platform.close())
  const { datasets, executions, tasks } = platform.api
  const { id } = await datasets.create(OWNER, { name: 'Large', keyFields: ['name'] })
  const task = await tasks.create(OWNER, {
    name: 'Large',
    datasetId: id,
    recipe: {
      start: { urls: URLS },
      crawl: { robots: false, delayMs: 0 },
      extract: { fields: { name: 'h1', text: 'p' } },
    },
  })
  await executions.start(OWNER, task.id)
  await platform.worker.tick()

  for (const state of ['present', 'all'] as const) {
    const names: unknown[] = []
    let cursor: string | null = null
    do {
      const page = await datasets.items(OWNER, id, { state, limit: 100, ...(cursor && { cursor }) })
      expect(JSON.stringify(page).length).toBeLessThan(2_000_000)
      names.push(...page.items.map(({ values }) => values['name']))
      cursor = page.nextCursor
    } while (cursor !== null)
    expect(names.toSorted()).toEqual(URLS)
  }
  const changes = await datasets.changes(OWNER, id, { limit: 100 })
  expect(changes.items.length).toBeLessThan(3)
})

test('each list over HTTP has only a few large items, in the order of their keys', async () => {
  const { addSegment, blobs, call, clock, records } = await createServiceHost()
  const { id: datasetId } = (
    await call('POST', '/api/v1/datasets', {
      body: { name: 'Shop', keyFields: ['sku'], mergePartial: true },
    })
  ).body.data
  const body = { recipe: recipeOf({ sku: 'b', price: 'i' }), datasetId }
  const task = (await call('POST', '/api/v1/tasks', { body })).body.data
  const { id } = (await call('POST', `/api/v1/tasks/${task.id}/executions`)).body.data
  const skus = Array.from({ length: 12 }, (_, index) => `s${10 + index}`)
  await addSegment(
    id,
    skus.map((sku) => ({ sku, price: 'x'.repeat(400_000) })),
  )
  await clock.advance(60_000)
  await call('POST', `/api/v1/executions/${id}/cancel`)
  await mergeAll(records, blobs, 'acme', datasetId)

  const keys: string[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const from: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const list = await call('GET', `/api/v1/datasets/${datasetId}/items?limit=100${from}`)
    expect(JSON.stringify(list.body).length).toBeLessThan(2_010_000)
    for (const { values } of list.body.data.items) keys.push(values['sku'])
    cursor = list.body.data.nextCursor
  }
  expect(keys).toEqual(skus)
})
