import { expect, it } from 'vitest'
import { OWNER, createWorld } from '../../support/worlds/world.ts'

const recipe = {
  start: { urls: ['https://shop.example.com/', 'https://shop.example.com/gone'] },
  crawl: { robots: false },
  extract: { fields: { title: 'h1' } },
}
it('a period is summed up, and given as points', async () => {
  const world = createWorld({
    'https://shop.example.com/': '<h1>Pens</h1>',
    'https://shop.example.com/gone': { status: 404, body: '' },
  })
  const analytics = world.platform.api.analytics
  await world.start(recipe)
  await world.work()
  const summary = await analytics.summary(OWNER)
  expect(summary).toMatchObject({
    pages: 2,
    fetched: 1,
    failed: 1,
    blocked: 0,
    rows: 1,
    executions: 1,
    successRate: 0.5,
    previous: { pages: 0, successRate: null },
  })
  const { points } = await analytics.series(OWNER, { timeZone: 'Asia/Kathmandu' })
  expect(points).toHaveLength(30)
  expect(points.reduce((sum, { pages }) => sum + pages, 0)).toBe(2)
  expect(points.at(-1)).toMatchObject({ fetched: 1, failed: 1, executions: 1 })
  expect(await analytics.summary({ ...OWNER, account: 'other' })).toMatchObject({
    pages: 0,
    executions: 0,
  })
})

it.each([
  [{ timeZone: 'Mars/Base' }, 'timeZone'],
  [{ timeZone: '+05:37' }, 'timeZone'],
  [{ from: '2030-02-31' }, 'from'],
  [{ to: 'tomorrow' }, 'to'],
  [{ from: '2030-02-02', to: '2030-02-02' }, 'from'],
  [{ from: '2020-01-01', to: '2030-01-01' }, 'granularity'],
] as const)('%j is refused with the name of the parameter', async (query, path) => {
  const world = createWorld({})
  const analytics = world.platform.api.analytics
  await expect(analytics.series(OWNER, query)).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    issues: [{ path }],
  })
})
