import { expect, onTestFinished, test } from 'vitest'
import { createPlatform } from '../../../src/platform/platform.ts'
import { createFakeWeb } from '../../support/fakes/fake-web.ts'
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
