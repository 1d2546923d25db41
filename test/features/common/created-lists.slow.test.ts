import { expect, it } from 'vitest'
import { createServiceHost, recipeOf } from '../../support/worlds/service-host.ts'

const HOUR = 3_600_000

/** A host with five records an hour apart, and the route that lists them. */
async function open() {
  const host = await createServiceHost()
  const task = (await host.call('POST', '/api/v1/tasks', { body: { recipe: recipeOf() } })).body
    .data
  const executions: string[] = []
  for (let i = 0; i < 5; i++) {
    executions.push((await host.call('POST', `/api/v1/tasks/${task.id}/executions`)).body.data.id)
    await host.clock.advance(HOUR)
  }
  const list = async (path: string, query: string) =>
    (await host.call('GET', `${path}?${query}`)).body.data
  return { ...host, task, executions, list }
}

const idsOf = ({ items }: { items: readonly { id: string }[] }) => items.map(({ id }) => id)

it('a list is limited to a time, and sorted both ways, by every index', async () => {
  const { task, executions, list } = await open()
  for (const [path, filter] of [
    ['/api/v1/executions', ''],
    ['/api/v1/executions', '&status=queued'],
    ['/api/v1/executions', `&taskId=${task.id}`],
    [`/api/v1/tasks/${task.id}/executions`, '&status=queued'],
  ] as const) {
    const of = async (query: string) => idsOf(await list(path, `${query}${filter}`))
    expect(await of('sort=createdAt')).toEqual(executions)
    expect(await of('sort=-createdAt')).toEqual(executions.toReversed())
    const range = 'from=2026-01-01T01:00:00Z&to=2026-01-01T03:00:00Z'
    expect(await of(range)).toEqual([executions[2], executions[1]])
    expect(await of(`${range}&sort=createdAt`)).toEqual([executions[1], executions[2]])
    expect(await of('from=2026-01-01T03:00:00.001Z')).toEqual([executions[4]])
    expect(await of('to=2026-01-01')).toEqual([])
  }
})

it('pages follow each other in each order, and a cursor belongs to its order', async () => {
  const { call, executions, list } = await open()
  for (const sort of ['createdAt', '-createdAt'] as const) {
    const seen: string[] = []
    for (let cursor = ''; ;) {
      const page = await list('/api/v1/executions', `limit=2&sort=${sort}${cursor}`)
      seen.push(...idsOf(page))
      if (page.nextCursor === null) break
      cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`
    }
    expect(seen).toEqual(sort === 'createdAt' ? executions : executions.toReversed())
  }
  const { nextCursor } = await list('/api/v1/executions', 'limit=2')
  const other = `?sort=createdAt&cursor=${encodeURIComponent(nextCursor)}`
  expect((await call('GET', `/api/v1/executions${other}`)).status).toBe(400)
})

it('tasks are limited and sorted as executions are, and wrong times are 400', async () => {
  const { call, task, list } = await open()
  const second = (await call('POST', '/api/v1/tasks', { body: { recipe: recipeOf() } })).body.data
  expect(idsOf(await list('/api/v1/tasks', 'sort=createdAt'))).toEqual([task.id, second.id])
  expect(idsOf(await list('/api/v1/tasks', 'from=2026-01-01T05:00:00Z'))).toEqual([second.id])
  expect(idsOf(await list('/api/v1/tasks', 'to=2026-01-01T05:00:00Z&status=active'))).toEqual([
    task.id,
  ])
  for (const [query, path] of [
    ['from=yesterday', 'from'],
    ['from=2026-02&to=2026-01', 'from'],
    ['to=2026-02-30', 'to'],
    ['sort=name', 'sort'],
  ] as const) {
    const { status, body } = await call('GET', `/api/v1/tasks?${query}`)
    expect([status, body.error.issues[0].path]).toEqual([400, path])
  }
})

it.each([
  ['/api/v1/keys', { name: 'k', scopes: ['tasks:read'] }],
  ['/api/v1/webhooks', { url: 'https://hooks.example.com/', events: ['*'] }],
  ['/api/v1/datasets', { name: 'Prices', keyFields: ['sku'] }],
  ['/api/v1/billing/top-ups', { credits: 5 }],
] as const)('%s accepts the same times and orders', async (path, body) => {
  const { call, clock } = await createServiceHost()
  // The key of the host itself is older.
  await clock.advance(24 * HOUR)
  const ids: string[] = []
  for (let i = 0; i < 4; i++) {
    ids.push((await call('POST', path, { body })).body.data.id)
    await clock.advance(HOUR)
  }
  const of = async (query: string) => idsOf((await call('GET', `${path}?${query}`)).body.data)
  expect(await of('limit=4')).toEqual(ids.toReversed())
  expect(await of('from=2026-01-02&sort=createdAt&limit=3')).toEqual(ids.slice(0, 3))
  const range = 'from=2026-01-02T01:00:00Z&to=2026-01-02T03:00:00Z'
  expect(await of(range)).toEqual([ids[2], ids[1]])
  expect(await of(`${range}&sort=createdAt`)).toEqual([ids[1], ids[2]])
})

it('entries, lines and statements of billing accept them as well', async () => {
  const { call, clock } = await createServiceHost()
  for (let i = 0; i < 3; i++) {
    await call('POST', '/api/v1/billing/top-ups', { body: { credits: i + 1 } })
    await clock.advance(31 * 24 * HOUR)
  }
  const of = async (list: string, query: string): Promise<readonly { id: string; at: string }[]> =>
    (await call('GET', `/api/v1/billing/${list}?limit=100&${query}`)).body.data.items
  await of('statements', '')
  for (const list of ['ledger', 'activity', 'statements']) {
    const all = await of(list, 'sort=createdAt')
    expect(all.length).toBeGreaterThan(2)
    expect(await of(list, '')).toEqual(all.toReversed())
    const february = all.filter(({ id, at }) => (at ?? id).startsWith('2026-02'))
    expect(february.length).toBeGreaterThan(0)
    expect(await of(list, 'sort=createdAt&from=2026-02&to=2026-03')).toEqual(february)
  }
})
