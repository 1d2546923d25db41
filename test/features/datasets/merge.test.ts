import { beforeEach, describe, expect, it } from 'vitest'
import { createMemoryBlobs } from '../../../src/defaults/memory-blobs.ts'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import type { Row } from '../../../src/kernel/json.ts'
import type { Store } from '../../../src/ports/store.ts'
import { SYSTEM } from '../../../src/records/collection.ts'
import { createRecords } from '../../../src/features/records.ts'
import { datasetJobs } from '../../../src/features/datasets/jobs.ts'
import { ACCOUNT, DATASET, finishRun, makeDataset } from '../../support/worlds/dataset-runs.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { jobContext } from '../../support/fakes/job-context.ts'
import { mergeAll } from '../../support/worlds/merge-all.ts'

let commits = 0
let read = 0
let store: Store
let records: ReturnType<typeof createRecords>
let blobs: ReturnType<typeof createMemoryBlobs>
beforeEach(async () => {
  const base = createMemoryStore()
  store = {
    get: (keys) => ((read += keys.length), base.get(keys)),
    list: async (range) => {
      const entries = await base.list(range)
      read += entries.length
      return entries
    },
    commit: (change) => (
      (commits += (change.set?.length ?? 0) + (change.delete?.length ?? 0)),
      base.commit(change)
    ),
    close: () => base.close(),
  }
  records = createRecords(store)
  blobs = createMemoryBlobs()
})

const things = (from: number, to: number, price = 1): Row[] =>
  Array.from({ length: to - from }, (_, i) => ({ sku: `p${from + i}`, price }))
const merge = () => mergeAll(records, blobs, ACCOUNT, DATASET)
const state = async () => (await records.datasetStates.get(ACCOUNT, DATASET))?.value
const changes = async () =>
  (await records.itemChanges.list(ACCOUNT, { within: [DATASET], limit: 1_000 })).map(
    ({ value: { kind, keyValues, fields } }) => [kind, ...keyValues, fields],
  )

describe('a merge', () => {
  it('uses the last row of a key, over segments and batches, and counts the others', async () => {
    await makeDataset(records)
    const again = Array.from({ length: 300 }, (_, i): Row => ({ sku: 'p0', price: i }))
    await finishRun(records, blobs, {
      id: 'e1',
      at: 1,
      segments: [
        again,
        things(0, 300, 7),
        [
          { sku: 'p1', price: 8 },
          { sku: null, price: 9 },
          { sku: '', price: 9 },
        ],
      ],
    })
    await merge()
    expect((await state())?.last).toEqual({
      execution: 'e1',
      at: 1,
      added: 300,
      changed: 0,
      returned: 0,
      unchanged: 0,
      duplicate: 301,
      skipped: 2,
      cut: 0,
      gone: 0,
    })
    const [first, second] = await records.items.getMany(ACCOUNT, [
      [DATASET, '["p0"]'],
      [DATASET, '["p1"]'],
    ])
    expect([first?.value.values, second?.value.values]).toEqual([
      { sku: 'p0', price: 7 },
      { sku: 'p1', price: 8 },
    ])
  })

  it('does not change columns that the run does not have, and adds new columns', async () => {
    await makeDataset(records)
    await finishRun(records, blobs, { id: 'e1', at: 1, segments: [[{ sku: 'a', price: 1 }]] })
    await finishRun(records, blobs, {
      id: 'e2',
      task: 'task_2',
      at: 2,
      segments: [[{ sku: 'a', stars: 5 }]],
    })
    await finishRun(records, blobs, { id: 'e3', at: 3, segments: [[{ sku: 'a', price: null }]] })
    await merge()
    expect((await state())?.columns).toEqual(['sku', 'price', 'stars'])
    expect((await records.items.get(ACCOUNT, DATASET, '["a"]'))?.value.values).toEqual({
      sku: 'a',
      stars: 5,
    })
    expect(await changes()).toEqual([
      ['added', 'a', { sku: [null, 'a'], price: [null, 1] }],
      ['changed', 'a', { stars: [null, 5] }],
      ['changed', 'a', { price: [1, null] }],
    ])
  })

  it('merges runs in the order of their ends', async () => {
    await makeDataset(records)
    await finishRun(records, blobs, { id: 'e2', at: 2, segments: [[{ sku: 'a', price: 2 }]] })
    await finishRun(records, blobs, { id: 'e1', at: 1, segments: [[{ sku: 'a', price: 1 }]] })
    await merge()
    expect((await records.items.get(ACCOUNT, DATASET, '["a"]'))?.value).toMatchObject({
      values: { price: 2 },
      first: 1,
      changed: 2,
    })
  })

  it('emits one event, in its last commit, and none if nothing changed', async () => {
    await makeDataset(records)
    await finishRun(records, blobs, { id: 'e1', at: 1, segments: [things(0, 300)] })
    await finishRun(records, blobs, { id: 'e2', at: 2, segments: [things(0, 300)] })
    await merge()
    expect(
      (await records.outbox.list(SYSTEM, { limit: 10 })).map(({ value }) => [
        value.kind,
        value.data,
      ]),
    ).toEqual([
      [
        'event',
        {
          account: ACCOUNT,
          type: 'dataset.changed',
          id: `evt_${DATASET}_1`,
          at: 1,
          taskId: 'task_1',
          data: {
            datasetId: DATASET,
            executionId: 'e1',
            added: 300,
            changed: 0,
            returned: 0,
            gone: 0,
          },
        },
      ],
    ])
  })

  it('writes one small record for an unchanged item, and reads no values', async () => {
    await makeDataset(records)
    const long = things(0, 200).map((row) => ({ ...row, text: 'x'.repeat(5_000) }))
    for (const [i, id] of ['e1', 'e2'].entries())
      await finishRun(records, blobs, {
        id,
        at: i,
        segments: [long],
        progress: { outcomes: { fetched: 1, failed: 1 } },
      })
    const merging =
      datasetJobs({ records, blobs, clock: createFakeClock() })['merge'] ?? expect.fail()
    await merging({ account: ACCOUNT, dataset: DATASET }, jobContext())
    await finishRun(records, blobs, {
      id: 'e3',
      at: 3,
      segments: [long],
      progress: { outcomes: { fetched: 1, failed: 1 } },
    })
    read = commits = 0
    await merge()
    expect((await state())?.last).toMatchObject({ unchanged: 200 })
    expect(commits).toBeLessThan(200 + 10)
    expect(read).toBeLessThan(200 + 20)
  })

  it('assigns an item to the task that saw it last, also if it is unchanged', async () => {
    await makeDataset(records)
    await finishRun(records, blobs, { id: 'e1', at: 1, segments: [things(0, 3)] })
    await finishRun(records, blobs, { id: 'e2', at: 2, task: 'task_2', segments: [things(2, 3)] })
    await finishRun(records, blobs, { id: 'e3', at: 3, segments: [things(0, 2)] })
    await merge()
    expect(await state()).toMatchObject({ present: 3, gone: 0 })
    await finishRun(records, blobs, { id: 'e4', at: 4, task: 'task_2', segments: [] })
    await merge()
    expect(await state()).toMatchObject({ present: 2, gone: 1 })
  })

  it('reads only newly gone items, not items that were gone before or belong to another task', async () => {
    await makeDataset(records)
    await finishRun(records, blobs, { id: 'e1', at: 1, segments: [things(0, 500)] })
    await finishRun(records, blobs, {
      id: 'e2',
      at: 2,
      task: 'task_2',
      segments: [things(5_000, 5_500)],
    })
    await finishRun(records, blobs, { id: 'e3', at: 3, segments: [things(0, 20)] })
    await merge()
    expect(await state()).toMatchObject({ present: 520, gone: 480 })
    await finishRun(records, blobs, { id: 'e4', at: 4, segments: [things(0, 19)] })
    read = commits = 0
    await merge()
    expect((await state())?.last).toMatchObject({ unchanged: 19, gone: 1 })
    expect(read).toBeLessThan(150)
    expect(commits).toBeLessThan(50)
  })
})
