import { describe, expect, it } from 'vitest'
import type { Row } from '../../../src/kernel/json.ts'
import { mergeAll } from '../../support/worlds/merge-all.ts'
import { createServiceHost, recipeOf } from '../../support/worlds/service-host.ts'

const DATASETS = '/api/v1/datasets'
const TASKS = '/api/v1/tasks'
const recipe = recipeOf({ sku: 'b', price: 'i' })

/** A dataset with a task that names it; `merge` gives it the rows of one more execution. */
async function open(input: object = {}) {
  const host = await createServiceHost()
  const { call } = host
  const dataset = (
    await call('POST', DATASETS, {
      body: { name: 'Shop', keyFields: ['sku'], mergePartial: true, ...input },
    })
  ).body.data
  const task = (await call('POST', TASKS, { body: { recipe, datasetId: dataset.id } })).body.data
  const path = `${DATASETS}/${dataset.id}`
  return {
    ...host,
    dataset,
    task,
    path,
    async merge(rows: readonly Row[]): Promise<string> {
      const { id } = (await call('POST', `${TASKS}/${task.id}/executions`)).body.data
      await host.addSegment(id, rows)
      await host.clock.advance(60_000)
      await call('POST', `/api/v1/executions/${id}/cancel`)
      await mergeAll(host.records, host.blobs, 'acme', dataset.id)
      return id
    },
  }
}

describe('a dataset', () => {
  it('is created, read, listed, changed and deleted', async () => {
    const { call } = await createServiceHost()
    const created = await call('POST', DATASETS, { body: { name: ' Shop ', keyFields: ['sku'] } })
    expect([created.status, created.body.data]).toEqual([
      201,
      {
        id: expect.stringMatching(/^ds_/),
        name: 'Shop',
        description: '',
        keyFields: ['sku'],
        columns: ['sku'],
        gone: 'complete-runs',
        mergePartial: false,
        retention: { changesDays: null, goneDays: null },
        counters: { items: 0, present: 0, gone: 0, changes: 0 },
        totals: { added: 0, changed: 0, gone: 0, returned: 0 },
        lastMerge: null,
        createdAt: '2026-01-01T00:00:00.000Z',
        updatedAt: '2026-01-01T00:00:00.000Z',
      },
    ])
    const path = `${DATASETS}/${created.body.data.id}`
    expect((await call('GET', path)).body.data).toEqual(created.body.data)
    const changed = await call('PATCH', path, {
      body: { name: 'Shops', gone: 'never', retention: { goneDays: 3 } },
    })
    expect(changed.body.data).toEqual({
      ...created.body.data,
      name: 'Shops',
      gone: 'never',
      retention: { changesDays: null, goneDays: 3 },
      updatedAt: expect.any(String),
    })
    const second = await call('POST', DATASETS, { body: { name: 'b', keyFields: ['a', 'b'] } })
    expect((await call('GET', DATASETS)).body.data).toEqual({
      items: [second.body.data, changed.body.data],
      nextCursor: null,
    })
    expect((await call('DELETE', path)).body.data).toEqual({
      id: created.body.data.id,
      deleted: true,
    })
    for (const route of [path, `${path}/items`, `${path}/changes`, `${path}/export`])
      expect((await call('GET', route)).status).toBe(404)
  })

  it.each([
    [{ keyFields: ['a'] }, 'name'],
    [{ name: 'x' }, 'keyFields'],
    [{ name: 'x', keyFields: [] }, 'keyFields'],
    [{ name: 'x', keyFields: ['a', 'a'] }, 'keyFields'],
    [{ name: 'x', keyFields: Array.from({ length: 21 }, (_, i) => `c${i}`) }, 'keyFields'],
    [{ name: 'x', keyFields: ['__proto__'] }, 'keyFields.0'],
    [{ name: 'x', keyFields: ['a'], gone: 'sometimes' }, 'gone'],
    [{ name: 'x', keyFields: ['a'], retention: { goneDays: 0 } }, 'retention.goneDays'],
    [{ name: 'x', keyFields: ['a'], surprise: 1 }, 'surprise'],
  ])('%j is refused at %s', async (body, path) => {
    const { call } = await createServiceHost()
    const answer = await call('POST', DATASETS, { body })
    expect([
      answer.status,
      answer.body.error.issues.map((issue: { path: string }) => issue.path),
    ]).toEqual([400, [path]])
  })

  it('cannot change its key fields, and obeys If-Match', async () => {
    const { call, path } = await open()
    expect(
      (await call('PATCH', path, { body: { keyFields: ['price'] } })).body.error.issues[0].path,
    ).toBe('keyFields')
    const etag = (await call('GET', path)).headers.get('etag') ?? ''
    expect(
      (await call('PATCH', path, { body: { name: 'a' }, headers: { 'If-Match': etag } })).status,
    ).toBe(200)
    expect(
      (await call('PATCH', path, { body: { name: 'b' }, headers: { 'If-Match': etag } })).status,
    ).toBe(412)
    expect((await call('DELETE', path, { headers: { 'If-Match': etag } })).status).toBe(412)
  })
})

describe('a task', () => {
  it('can name only an existing dataset of its account, whose keys are among its columns', async () => {
    const { call, keyOf, dataset } = await open()
    const issuesOf = async (body: object, key?: string) => {
      const answer = await call('POST', TASKS, { body, ...(key !== undefined && { key }) })
      return [answer.status, answer.body.error?.issues]
    }
    const none = [400, [{ path: 'datasetId', message: 'the dataset was not found' }]]
    expect(await issuesOf({ recipe, datasetId: 'ds_none' })).toEqual(none)
    expect(await issuesOf({ recipe, datasetId: dataset.id }, await keyOf('umbra'))).toEqual(none)
    expect(await issuesOf({ recipe: recipeOf({ title: 'h1' }), datasetId: dataset.id })).toEqual([
      400,
      [{ path: 'datasetId', message: 'the recipe has no column for its key: sku' }],
    ])
    expect(
      await issuesOf({
        recipe: { start: { urls: ['https://shop.example.com/'] }, extract: 'auto' },
        datasetId: dataset.id,
      }),
    ).toEqual([201, undefined])
  })

  it('must have a recipe with the keys while it names the dataset', async () => {
    const { call, task, dataset } = await open()
    const path = `${TASKS}/${task.id}`
    const other = recipeOf({ title: 'h1' })
    expect((await call('PATCH', path, { body: { recipe: other } })).body.error.issues[0].path).toBe(
      'datasetId',
    )
    expect(
      (await call('PATCH', path, { body: { recipe: other, datasetId: null } })).body.data.datasetId,
    ).toBeNull()
    expect((await call('PATCH', path, { body: { datasetId: dataset.id } })).status).toBe(400)
  })

  it('prevents the deletion of its dataset, in every order of the writes', async () => {
    const { call, path, task, dataset } = await open()
    expect((await call('DELETE', path)).body.error).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('task'),
    })
    await call('PATCH', `${TASKS}/${task.id}`, { body: { datasetId: null } })
    const [tied, deleted] = await Promise.all([
      call('PATCH', `${TASKS}/${task.id}`, { body: { datasetId: dataset.id } }),
      call('DELETE', path),
    ])
    expect([
      [200, 409],
      [400, 200],
    ]).toContainEqual([tied.status, deleted.status])
  })

  it('passes its dataset to its executions, and a retry keeps it', async () => {
    const { call, task, dataset } = await open()
    const started = (await call('POST', `${TASKS}/${task.id}/executions`)).body.data
    expect(started.datasetId).toBe(dataset.id)
    await call('PATCH', `${TASKS}/${task.id}`, { body: { datasetId: null } })
    await call('POST', `/api/v1/executions/${started.id}/cancel`)
    expect((await call('POST', `/api/v1/executions/${started.id}/retry`)).body.data).toMatchObject({
      retryOf: started.id,
      datasetId: dataset.id,
    })
  })
})

describe('items', () => {
  it('are listed by key with their times, a page at a time', async () => {
    const { call, path, merge } = await open()
    const first = await merge([
      { sku: 'b', price: 1 },
      { sku: 'a', price: null },
    ])
    const second = await merge([
      { sku: 'c', price: 3 },
      { sku: 'b', price: 2 },
    ])
    const page = (await call('GET', `${path}/items?limit=2`)).body.data
    expect(page).toEqual({
      columns: ['sku', 'price'],
      nextCursor: expect.any(String),
      items: [
        {
          id: '["a"]',
          state: 'present',
          values: { sku: 'a', price: null },
          firstSeenAt: '2026-01-01T00:01:00.000Z',
          lastSeenAt: '2026-01-01T00:01:00.000Z',
          changedAt: '2026-01-01T00:01:00.000Z',
          goneAt: null,
          firstExecutionId: first,
          lastExecutionId: first,
        },
        {
          id: '["b"]',
          state: 'present',
          values: { sku: 'b', price: 2 },
          firstSeenAt: '2026-01-01T00:01:00.000Z',
          lastSeenAt: '2026-01-01T00:02:00.000Z',
          changedAt: '2026-01-01T00:02:00.000Z',
          goneAt: null,
          firstExecutionId: first,
          lastExecutionId: second,
        },
      ],
    })
    const rest = (await call('GET', `${path}/items?limit=2&cursor=${page.nextCursor}`)).body.data
    expect([rest.items.map((item: { id: string }) => item.id), rest.nextCursor]).toEqual([
      ['["c"]'],
      null,
    ])
    expect((await call('GET', `${path}/items?state=all&cursor=${page.nextCursor}`)).status).toBe(
      400,
    )
    expect((await call('GET', `${path}/items?state=gone`)).body.data.items).toEqual([])
    expect((await call('GET', `${path}/items?fields=price&limit=1`)).body.data).toMatchObject({
      columns: ['price'],
      items: [{ values: { price: null } }],
    })
    expect((await call('GET', `${path}/items?fields=colour`)).body.error.issues[0].path).toBe(
      'fields',
    )
  })
})

describe('changes', () => {
  it('are a feed: the cursor at its end gives later changes, each once', async () => {
    const { call, path, merge } = await open()
    const read = async (query: string) => (await call('GET', `${path}/changes?${query}`)).body.data
    const before = await read('')
    expect(before).toEqual({
      items: [],
      nextCursor: expect.any(String),
      hasMore: false,
      missed: 0,
    })
    const first = await merge([
      { sku: 'a', price: 1 },
      { sku: 'b', price: 1 },
    ])
    const now = await read('from=now')
    const met: number[] = []
    let cursor = before.nextCursor
    for (let i = 0; i < 4; i++) {
      const part = await read(`limit=1&cursor=${cursor}`)
      met.push(...part.items.map((change: { sequence: number }) => change.sequence))
      cursor = part.nextCursor
    }
    expect(met).toEqual([1, 2])
    const second = await merge([
      { sku: 'a', price: 1 },
      { sku: 'b', price: ['x', { y: 1 }] },
    ])
    const change = {
      sequence: 3,
      kind: 'changed',
      itemId: '["b"]',
      key: { sku: 'b' },
      fields: { price: { before: 1, after: ['x', { y: 1 }] } },
      executionId: second,
      at: '2026-01-01T00:02:00.000Z',
    }
    expect((await read(`cursor=${cursor}`)).items).toEqual([change])
    expect((await read(`cursor=${now.nextCursor}`)).items).toEqual([change])
    expect((await read('')).items[0]).toMatchObject({
      kind: 'added',
      executionId: first,
      fields: { sku: { before: null, after: 'a' } },
    })
  })

  it('can be read newest first, each once, while new changes come', async () => {
    const { call, path, merge } = await open()
    const read = async (query: string) => (await call('GET', `${path}/changes?${query}`)).body
    const sequences = (data: { readonly items: readonly { readonly sequence: number }[] }) =>
      data.items.map(({ sequence }) => sequence)
    expect((await read('sort=-at')).data).toMatchObject({ items: [], hasMore: false })
    await merge(['a', 'b', 'c', 'd', 'e'].map((sku) => ({ sku, price: 1 })))
    const first = (await read('sort=-at&limit=2')).data
    expect([sequences(first), first.hasMore]).toEqual([[5, 4], true])
    await merge([{ sku: 'a', price: 2 }])
    const second = (await read(`sort=-at&limit=2&cursor=${first.nextCursor}`)).data
    expect([sequences(second), second.hasMore]).toEqual([[3, 2], true])
    const third = (await read(`sort=-at&limit=2&cursor=${second.nextCursor}`)).data
    expect([sequences(third), third.hasMore, third.missed]).toEqual([[1], false, 0])
    expect(sequences((await read('sort=-at&kinds=changed')).data)).toEqual([6])
    // Exactly as many as were asked for.
    expect((await read('limit=6')).data.hasMore).toBe(false)
    expect((await read('limit=5')).data.hasMore).toBe(true)
    expect((await read('sort=-at&limit=6')).data.hasMore).toBe(false)
    // A cursor is valid for its order only.
    expect((await call('GET', `${path}/changes?cursor=${first.nextCursor}`)).status).toBe(400)
    expect((await read('sort=-at&from=now')).error.issues[0].path).toBe('from')
  })

  it('can be filtered by kind', async () => {
    const { call, path, merge } = await open()
    await merge(Array.from({ length: 40 }, (_, i) => ({ sku: `p${i}`, price: 1 })))
    await merge([{ sku: 'p7', price: 2 }])
    const changed = (await call('GET', `${path}/changes?kinds=changed,gone&limit=5`)).body.data
    expect(changed.items.map((item: { itemId: string }) => item.itemId)).toEqual(['["p7"]'])
    expect(
      (await call('GET', `${path}/changes?kinds=changed,gone&cursor=${changed.nextCursor}`)).body
        .data.items,
    ).toEqual([])
    expect((await call('GET', `${path}/changes?cursor=${changed.nextCursor}`)).status).toBe(400)
    expect(
      (await call('GET', `${path}/changes?kinds=changed,lost`)).body.error.issues[0].path,
    ).toBe('kinds.1')
  })
})

describe('export', () => {
  it('has the columns of the rows, and on request the times when items were seen', async () => {
    const { send, path, merge } = await open()
    await merge([
      { sku: 'b', price: 1 },
      { sku: 'a', price: null },
    ])
    await merge([{ sku: 'b', price: 2 }])
    const text = async (query: string) => (await send('GET', `${path}/export?${query}`)).text()
    expect(await text('')).toBe('sku,price\r\na,\r\nb,2\r\n')
    expect(await text('format=jsonl&fields=_lastSeenAt,sku,_state&state=all')).toBe(
      '{"_lastSeenAt":"2026-01-01T00:01:00.000Z","sku":"a","_state":"present"}\n' +
        '{"_lastSeenAt":"2026-01-01T00:02:00.000Z","sku":"b","_state":"present"}\n',
    )
    expect(await text('format=json&state=gone')).toBe('[]')
    expect((await send('GET', `${path}/export?fields=colour`)).status).toBe(400)
    expect((await send('GET', `${path}/export?format=doc`)).status).toBe(400)
  })

  it('is complete over many batches, and empty before the first merge', async () => {
    const { send, path, merge } = await open()
    expect(await (await send('GET', `${path}/export`)).text()).toBe('sku\r\n')
    const rows = Array.from({ length: 1_234 }, (_, i) => ({
      sku: `p${String(i).padStart(5, '0')}`,
      price: i,
    }))
    await merge(rows)
    expect(JSON.parse(await (await send('GET', `${path}/export?format=json`)).text())).toEqual(rows)
  })
})
