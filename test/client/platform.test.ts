import { createClient, SeineError } from 'seine/client'
import { expect, test } from 'vitest'
import { createWorld, OWNER } from '../support/worlds/world.ts'

const page = (name: string, next?: string) =>
  `<h1>${name}</h1>${next ? `<a class="next" href="${next}">next</a>` : ''}`
const PAGES = {
  'https://shop.example.com/1': page('One', '/2'),
  'https://shop.example.com/2': page('Two', '/3'),
  'https://shop.example.com/3': page('Three'),
}
const RECIPE = {
  start: { urls: ['https://shop.example.com/1'] },
  follow: [{ next: 'a.next' }],
  extract: { fields: { name: 'h1', url: { url: true } } },
} as const

/** A platform in process, and a client of it by an API key. */
async function setUp() {
  const world = createWorld(
    Object.fromEntries(Object.entries(PAGES).map(([url, body]) => [url, { body }])),
  )
  const { secret } = await world.platform.api.keys.create(OWNER, { name: 'test', scopes: ['*'] })
  const client = createClient({
    baseUrl: 'http://platform.test',
    apiKey: secret,
    fetch: (request) => world.platform.fetch(request),
    clock: world.clock,
  })
  return { ...world, client }
}

const collect = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'no error',
    (error: unknown) => (error instanceof SeineError ? error.code : error),
  )

test('a task is created, read, changed and deleted', async () => {
  const { client } = await setUp()
  const task = await client.tasks.create({ name: 'Shop', labels: ['a'], recipe: RECIPE })
  expect(task).toMatchObject({ name: 'Shop', labels: ['a'], status: 'active', recipe: RECIPE })
  expect(await client.tasks.get(task.id)).toEqual(task)
  expect(await client.tasks.list({ label: 'a', limit: 1 })).toEqual({
    items: [{ ...task, nextRunAt: null }],
    nextCursor: null,
  })
  expect((await client.tasks.list({ q: 'nothing' })).items).toEqual([])
  expect((await client.tasks.update(task.id, { status: 'paused' })).status).toBe('paused')
  expect(await client.tasks.delete(task.id)).toEqual({ id: task.id, deleted: true })
  await expect(client.tasks.get(task.id)).rejects.toMatchObject({
    code: 'NOT_FOUND',
    status: 404,
    requestId: expect.stringMatching(/^req_/),
  })
})

test('an execution is started and followed to its end, and its pages and rows are read', async () => {
  const { client, clock, work } = await setUp()
  const task = await client.tasks.create({ recipe: RECIPE })
  const { id } = await client.executions.start(task.id, { budget: { pages: 10 } })
  const seen: string[] = []
  const following = (async () => {
    for await (const { status } of client.executions.follow(id)) seen.push(status)
  })()
  const waiting = client.executions.wait(id)
  await clock.advance(0)
  await work()
  const [, last] = await clock.runUntil(Promise.all([following, waiting]))
  expect(seen[0]).toBe('queued')
  expect(seen.at(-1)).toBe('succeeded')
  expect(last).toMatchObject({ id, status: 'succeeded', counters: { fetched: 3, rows: 3 } })
  expect(await client.executions.list({ status: 'succeeded', taskId: task.id })).toEqual({
    items: [last],
    nextCursor: null,
  })
  expect((await client.executions.listOfTask(task.id)).items).toEqual([last])
  expect((await client.executions.pages(id, { outcome: 'fetched', limit: 2 })).items).toHaveLength(
    2,
  )
  expect(
    (await collect(client.executions.iteratePages(id, { limit: 1 })))
      .map(({ url }) => url)
      .toSorted(),
  ).toEqual(Object.keys(PAGES))
  expect((await client.results.list(id, { fields: ['name'], limit: 2 })).items).toEqual([
    { name: 'One' },
    { name: 'Two' },
  ])
  expect(
    (await collect(client.results.iterate(id, { limit: 1, fields: ['name'] }))).map(
      ({ name }) => name,
    ),
  ).toEqual(['One', 'Two', 'Three'])
  expect((await client.executions.retry(id)).retryOf).toBe(id)
})

test('an execution is paused, resumed and cancelled', async () => {
  const { client } = await setUp()
  const task = await client.tasks.create({ recipe: RECIPE })
  const { id } = await client.executions.start(task.id)
  expect((await client.executions.pause(id)).status).toBe('paused')
  expect((await client.executions.resume(id)).status).toBe('queued')
  expect((await client.executions.cancel(id)).status).toBe('cancelled')
  expect(await codeOf(client.executions.resume(id))).toBe('CONFLICT')
  expect(await collect(client.executions.follow(id))).toHaveLength(1)
})

test('an export is a stream with a name', async () => {
  const { client, clock, work } = await setUp()
  const task = await client.tasks.create({ name: 'Läden/2', recipe: RECIPE })
  const { id } = await client.executions.start(task.id)
  await work()
  await clock.runUntil(client.executions.wait(id))
  const file = await client.results.export(id, { format: 'csv', fields: ['name'] })
  expect(file).toMatchObject({
    name: `Läden-2-${id}.csv`,
    contentType: expect.stringContaining('text/csv'),
  })
  expect((await file.response.text()).trim().split(/\r?\n/).slice(1)).toEqual([
    'One',
    'Two',
    'Three',
  ])
  const chunks = await collect((await client.results.download(id, { format: 'jsonl' })).body)
  expect(new TextDecoder().decode(chunks[0])).toContain('"name":"One"')
  await expect(
    client.results.export(id, { format: 'xlsx', fields: ['colour'] }),
  ).rejects.toMatchObject({ code: 'BAD_REQUEST', issues: [{ path: 'fields' }] })
})

test('iteration gives every item once, with pages of any size, and stops when the loop is left', async () => {
  const { client } = await setUp()
  for (let i = 0; i < 7; i++) await client.tasks.create({ name: `Task ${i}`, recipe: RECIPE })
  const names = ['Task 6', 'Task 5', 'Task 4', 'Task 3', 'Task 2', 'Task 1', 'Task 0']
  for (const limit of [1, 3, 7, 100])
    expect((await collect(client.tasks.iterate({ limit }))).map(({ name }) => name)).toEqual(names)
  const { nextCursor } = await client.tasks.list({ limit: 5 })
  expect(
    (await collect(client.tasks.iterate({ limit: 1, cursor: nextCursor ?? '' }))).map(
      ({ name }) => name,
    ),
  ).toEqual(names.slice(5))
  for await (const { name } of client.tasks.iterate({ limit: 1 })) if (name === 'Task 5') break
  expect(await codeOf(collect(client.tasks.iterate({ cursor: 'nonsense' })))).toBe('BAD_REQUEST')
})

test('keys are created, listed and revoked', async () => {
  const { client, platform } = await setUp()
  const key = await client.keys.create({ name: 'ci', scopes: ['tasks:read'] })
  const limited = createClient({
    baseUrl: 'http://platform.test',
    token: key.secret,
    fetch: (request) => platform.fetch(request),
  })
  expect((await limited.tasks.list()).items).toEqual([])
  expect(await codeOf(limited.tasks.create({ recipe: RECIPE }))).toBe('FORBIDDEN')
  expect((await collect(client.keys.iterate())).map(({ name }) => name)).toEqual(['ci', 'test'])
  expect((await client.keys.revoke(key.id)).revokedAt).not.toBeNull()
  expect(await codeOf(limited.tasks.list())).toBe('UNAUTHORIZED')
})

test('the error of wrong input names its place', async () => {
  const { client } = await setUp()
  await expect(
    client.tasks.create({ recipe: { start: { urls: ['ftp://shop.example.com/'] } } }),
  ).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    status: 400,
    issues: [{ path: 'recipe.start.urls.0' }],
  })
})

test('a write whose answer was lost has its effect once', async () => {
  const { platform, clock } = await setUp()
  const { secret } = await platform.api.keys.create(OWNER, { name: 'lossy', scopes: ['*'] })
  let lost = 0
  const client = createClient({
    baseUrl: 'http://platform.test',
    apiKey: secret,
    clock,
    async fetch(request) {
      const response = await platform.fetch(request)
      if (request.method !== 'GET' && lost++ % 2 === 0) throw new TypeError('connection reset')
      return response
    },
  })
  const task = await clock.runUntil(client.tasks.create({ name: 'once', recipe: RECIPE }))
  expect((await client.tasks.list()).items).toEqual([{ ...task, nextRunAt: null }])
  expect(await clock.runUntil(client.tasks.delete(task.id))).toEqual({ id: task.id, deleted: true })
  expect(lost).toBe(4)
})

test('a change can be made conditional on the version that was read', async () => {
  const { client } = await setUp()
  const { id } = await client.tasks.create({ name: 'A', recipe: RECIPE })
  const read = await client.tasks.get(id)
  expect((await client.tasks.update(id, { name: 'B' }, { ifMatch: read })).name).toBe('B')
  expect(await codeOf(client.tasks.update(id, { name: 'C' }, { ifMatch: read }))).toBe(
    'PRECONDITION_FAILED',
  )
  await expect(client.tasks.update(id, { name: 'C' }, { ifMatch: { ...read } })).rejects.toThrow(
    TypeError,
  )
  expect((await client.tasks.get(id)).name).toBe('B')
})
