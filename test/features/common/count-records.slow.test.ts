import { expect, it, vi } from 'vitest'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { countRecords } from '../../../src/features/common/count-records.ts'
import { byId } from '../../../src/features/common/timed-records.ts'
import type { TimedRecords } from '../../../src/features/common/timed-records.ts'
import { idBound } from '../../../src/kernel/id.ts'
import { Change } from '../../../src/records/change.ts'
import { Collection } from '../../../src/records/collection.ts'
import { createServiceHost, recipeOf } from '../../support/worlds/service-host.ts'

interface Thing {
  readonly id: string
  readonly at: number
  readonly kind: string
  readonly text?: string
}

const START = Date.parse('2026-01-01')
const ALL = { begin: -Infinity, end: Infinity }

/** Records whose ids were made some seconds before their times. */
async function open(things: readonly Omit<Thing, 'id'>[], lagMs = 0) {
  const store = createMemoryStore()
  const collection = new Collection<Thing>(store, {
    name: 'things',
    id: ({ id }) => [id],
    indexes: { kind: ({ kind }) => [[kind]] },
  })
  const change = new Change()
  things.forEach((thing, nth) => {
    const id = `${idBound('thing', thing.at - lagMs)}${String(nth).padStart(16, '0')}`
    collection.insert(change, 'acme', { id, ...thing })
  })
  await store.commit(change.toCommit())
  const source: TimedRecords<Thing> = {
    collection,
    keys: byId('thing'),
    timeOf: ({ at }) => at,
  }
  const kinds = [...new Set(things.map(({ kind }) => kind))]
  const countIn = kinds.map((kind) => ({ index: 'kind', within: [kind] }))
  return { store, source, indexed: { ...source, countIn } }
}

const many = (count: number, stepMs = 1_000) =>
  Array.from({ length: count }, (_, nth) => ({
    at: START + nth * stepMs,
    kind: nth % 3 === 0 ? 'a' : 'b',
  }))

it('up to ten thousand records are counted exactly, by index and by reading; more are given as a bound', async () => {
  const exact = await open(many(10_000))
  const beyond = await open(many(10_001))
  for (const kind of ['indexed', 'source'] as const) {
    expect(await countRecords('acme', exact[kind], { range: ALL })).toEqual({
      total: 10_000,
      totalAtLeast: 10_000,
    })
    expect(await countRecords('acme', beyond[kind], { range: ALL })).toEqual({
      total: null,
      totalAtLeast: 10_000,
    })
    expect(await countRecords('other', beyond[kind], { range: ALL })).toEqual({
      total: 0,
      totalAtLeast: 0,
    })
  }
})

it('counting with a filter reads twenty million characters and no more, however few it counts', async () => {
  const text = 'x'.repeat(500_000)
  const { source, store } = await open(many(60).map((thing) => ({ ...thing, text })))
  const list = vi.spyOn(store, 'list')
  const keep = () => false
  expect(await countRecords('acme', source, { range: ALL, keep, firstRead: 5 })).toEqual({
    total: null,
    totalAtLeast: 0,
  })
  const read = list.mock.calls.reduce((sum, [{ limit }]) => sum + limit, 0)
  expect([read >= 40, read <= 45]).toEqual([true, true])
})

it('a list that ends just where counting ends is counted exactly', async () => {
  const text = 'x'.repeat(500_000)
  for (const [count, total] of [
    [40, 3],
    [41, null],
  ] as const) {
    const { source } = await open(many(count).map((thing) => ({ ...thing, text })))
    // The newest are read first.
    const keep = ({ at }: Thing): boolean => at < START + (count - 37) * 1_000
    const counted = await countRecords('acme', source, { range: ALL, keep, firstRead: 4 })
    expect(counted).toEqual({ total, totalAtLeast: 3 })
  }
})

it('counting by index reads only the records near the ends of a time', async () => {
  const { store, indexed, source } = await open(many(2_000), 30_000)
  const read = vi.spyOn(store, 'get')
  const list = vi.spyOn(store, 'list')
  const records = () => list.mock.calls.filter(([{ prefix }]) => prefix[1] === 'things')
  expect((await countRecords('acme', indexed, { range: ALL })).total).toBe(2_000)
  expect([read.mock.calls, records()]).toEqual([[], []])
  for (const [from, to] of [
    [100, 1_900],
    [100, 130],
    [0, 2_000],
    [1_999, 2_000],
    [700, 700],
  ] as const) {
    const range = { begin: START + from * 1_000, end: START + to * 1_000 }
    read.mockClear()
    expect((await countRecords('acme', indexed, { range })).total).toBe(to - from)
    // It reads the ids of two minutes at each end.
    expect(read.mock.calls.reduce((sum, [keys]) => sum + keys.length, 0)).toBeLessThanOrEqual(240)
    expect((await countRecords('acme', source, { range })).total).toBe(to - from)
  }
  expect(
    await countRecords('acme', indexed, { range: { begin: START + 500_500, end: Infinity } }),
  ).toEqual({ total: 1_499, totalAtLeast: 1_499 })
})

it('counting ends if too many ids near the end of a time are uncertain', async () => {
  const { indexed } = await open(many(2_000, 100))
  const range = { begin: START + 60_000, end: START + 150_000 }
  expect((await countRecords('acme', indexed, { range })).total).toBeNull()
})

it('large records are counted up to ten pages', async () => {
  const { source } = await open(
    Array.from({ length: 40 }, (_, nth) => ({
      at: START + nth,
      kind: 'a',
      text: 'x'.repeat(900_000),
    })),
  )
  expect(await countRecords('acme', source, { range: ALL, firstRead: 1 })).toEqual({
    total: null,
    totalAtLeast: 20,
  })
})

it('the total equals the number of items on all pages, with each filter, time and order', async () => {
  const { call, clock } = await createServiceHost()
  const task = (await call('POST', '/api/v1/tasks', { body: { recipe: recipeOf() } })).body.data.id
  for (let nth = 0; nth < 12; nth++) {
    const body = nth % 3 === 0 ? { recipe: recipeOf() } : undefined
    const path = body ? '/api/v1/executions' : `/api/v1/tasks/${task}/executions`
    const { id } = (await call('POST', path, { body })).body.data
    if (nth % 2 === 0) await call('POST', `/api/v1/executions/${id}/cancel`)
    await clock.advance(nth < 6 ? 10_000 : 3_600_000)
  }
  const totals: number[] = []
  for (const filter of [
    '',
    '&status=cancelled',
    `&taskId=${task}`,
    `&taskId=${task}&status=queued`,
  ])
    for (const time of [
      '',
      '&from=2026-01-01T00:00:20Z',
      '&to=2026-01-01T02:00:00Z&sort=createdAt',
      '&from=2026-01-01T00:00:20Z&to=2026-01-01T00:00:40.001Z',
    ]) {
      const query = `count=true&limit=5${filter}${time}`
      let [seen, cursor] = [0, '']
      for (;;) {
        const { data } = (await call('GET', `/api/v1/executions?${query}${cursor}`)).body
        seen += data.items.length
        if (cursor === '') totals.push(data.total)
        expect([query, data.total]).toEqual([query, totals.at(-1)])
        if (data.nextCursor === null) break
        cursor = `&cursor=${encodeURIComponent(data.nextCursor)}`
      }
      expect([query, totals.at(-1)]).toEqual([query, seen])
    }
  expect(totals).toEqual([12, 10, 8, 3, 6, 5, 4, 2, 8, 7, 5, 2, 4, 3, 3, 0])
  const uncounted = (await call('GET', '/api/v1/executions')).body.data
  expect(Object.keys(uncounted)).toEqual(['items', 'nextCursor'])
})
