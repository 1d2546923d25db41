import { expect, it } from 'vitest'
import { createRecords } from '../../../src/features/records.ts'
import { OWNER, createWorld } from '../../support/worlds/world.ts'
import type { World } from '../../support/worlds/world.ts'

const SITE = 'https://shop.example.com/'
const PAGES = {
  [SITE]: '<title>Pens</title><h1>Pens</h1><p>Some words about pens and inks.</p>',
  [`${SITE}gone`]: { status: 404, body: '' },
}
const recipe = {
  start: { urls: [SITE, `${SITE}gone`] },
  crawl: { robots: false },
  extract: { fields: { title: 'h1' } },
}
const SUMS = ['pages', 'fetched', 'failed', 'blocked', 'rows', 'bytes', 'credits'] as const

/** Two tasks that ran, one of which is deleted, a run without a task, a fetch and a preview. */
async function busyWorld(): Promise<World & { readonly tasks: readonly string[] }> {
  const world = createWorld(PAGES, { billing: { prices: { fetched: 2 } } })
  const { api } = world.platform
  const tasks: string[] = []
  for (const name of ['first', 'second', 'third']) {
    const { id } = await api.tasks.create(OWNER, { name, recipe })
    tasks.push(id)
    await api.executions.start(OWNER, id)
  }
  await api.executions.run(OWNER, { recipe })
  await world.work()
  const call = { tool: 'fetch', arguments: { id: SITE } } as const
  await world.clock.runUntil(api.agentic.call(OWNER, call))
  await world.clock.runUntil(api.previews.run(OWNER, { recipe, scope: 'recipe' }))
  await api.tasks.delete(OWNER, tasks[1] ?? '')
  return { ...world, tasks }
}

it.each([100, 3, 2, 1])(
  'the lines of all tasks add up to the summary, with %i lines on a page',
  async (limit) => {
    const { platform, tasks } = await busyWorld()
    const { analytics } = platform.api
    const lines = []
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await analytics.tasks(OWNER, { limit, ...(cursor && { cursor }) })
      lines.push(...page.items)
      cursor = page.nextCursor
    }
    expect(lines.map(({ taskId, name }) => [taskId, name])).toEqual([
      [tasks[2], 'third'],
      [tasks[1], null],
      [tasks[0], 'first'],
      [null, null],
    ])
    // The preview's two pages are free and have no rows.
    expect(lines.at(-1)).toMatchObject({ pages: 5, fetched: 3, rows: 1, credits: 4, executions: 1 })
    const summary = await analytics.summary(OWNER)
    for (const sum of SUMS)
      expect([sum, lines.reduce((all, line) => all + line[sum], 0)]).toEqual([sum, summary[sum]])
    expect((await platform.verify()).differences).toEqual([])
  },
)

it('an execution without a task that an earlier version began is in no line', async () => {
  const world = createWorld(PAGES)
  const { api } = world.platform
  const { id } = await api.executions.run(OWNER, { recipe })
  const records = createRecords(world.store)
  const stored = await records.executions.get(OWNER.account, id)
  if (!stored) return expect.fail('it is not there')
  const { startedBy: _, ...earlier } = stored.value
  await world.store.commit({
    set: [{ key: records.executions.key(OWNER.account, [id]), value: earlier }],
  })
  await world.work()
  expect((await api.analytics.tasks(OWNER)).items).toEqual([])
  expect((await api.analytics.summary(OWNER)).pages).toBe(2)
  expect((await world.platform.verify()).differences).toEqual([])
})
