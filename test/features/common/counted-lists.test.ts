import { expect, it } from 'vitest'
import { createWorld, OWNER } from '../../support/worlds/world.ts'

// Lists of rows, items and page reports are too long to be counted by reading them. Their totals
// come from counters, and agree with the lists.

const SITE = 'https://shop.example.com'
const page = (names: readonly string[]): string =>
  `${names.map((name) => `<li><b>${name}</b></li>`).join('')}<a href="/2">2</a><a href="/none">0</a>`

it('the totals of rows, items and page reports come from counters that agree with the lists', async () => {
  let second = page(['Lime', 'Copying'])
  const { platform, clock } = createWorld({
    [`${SITE}/`]: page(['Cedar', 'Red']),
    [`${SITE}/2`]: () => second,
  })
  const { datasets, executions, results, tasks } = platform.api
  const dataset = await datasets.create(OWNER, { name: 'Pencils', keyFields: ['name'] })
  const task = await tasks.create(OWNER, {
    recipe: {
      start: { urls: [`${SITE}/`] },
      follow: [{ links: 'a' }],
      extract: { items: 'li', fields: { name: 'b' } },
    },
    datasetId: dataset.id,
  })
  const run = async () => {
    const { id } = await executions.start(OWNER, task.id)
    await clock.runUntil(platform.worker.tick({ budgetMs: 600_000 }))
    return id
  }
  await run()
  second = page(['Lime'])
  const id = await run()

  const rows = await results.list(OWNER, id, { count: true, limit: 1 })
  expect([rows.items.length, rows.total, rows.totalAtLeast]).toEqual([1, 3, 3])
  expect(await results.list(OWNER, id)).not.toHaveProperty('total')

  for (const outcome of [undefined, 'fetched', 'failed', 'pending'] as const) {
    const query = { count: true, ...(outcome && { outcome }) }
    const { items, total } = await executions.pages(OWNER, id, query)
    expect([outcome, total]).toEqual([outcome, items.length])
  }
  expect((await executions.pages(OWNER, id, { count: true })).total).toBe(3)

  for (const [state, count] of [
    ['present', 3],
    ['gone', 1],
    ['all', 4],
  ] as const) {
    const { items, total } = await datasets.items(OWNER, dataset.id, { count: true, state })
    expect([state, items.length, total]).toEqual([state, count, count])
  }
})
