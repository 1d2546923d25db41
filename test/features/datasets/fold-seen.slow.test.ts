import { beforeEach, expect, it } from 'vitest'
import { createMemoryBlobs } from '../../../src/defaults/memory-blobs.ts'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { readItems } from '../../../src/features/datasets/items.ts'
import { TABLE_SLOTS } from '../../../src/features/datasets/last-seen.ts'
import type { Store } from '../../../src/ports/store.ts'
import { createRecords } from '../../../src/features/records.ts'
import { DatasetMerge } from '../../../src/features/datasets/merge.ts'
import { ACCOUNT, DATASET, finishRun, makeDataset } from '../../support/worlds/dataset-runs.ts'
import { mergeAll } from '../../support/worlds/merge-all.ts'

/** More tables than one commit of a fold moves. */
const ITEMS = 34 * TABLE_SLOTS
const BATCH = 4_096

let store: Store
let blobs: ReturnType<typeof createMemoryBlobs>
let runs = 0

beforeEach(async () => {
  store = createMemoryStore()
  blobs = createMemoryBlobs()
  runs = 0
  await makeDataset(createRecords(store))
})

const skuOf = (i: number) => `p${String(i).padStart(6, '0')}`

async function finish(ids: readonly number[], complete = false): Promise<void> {
  const n = ++runs
  const segments = [ids.map((i) => ({ sku: skuOf(i), price: 1 }))]
  await finishRun(createRecords(store), blobs, {
    id: `exec_${n}`,
    task: 'one',
    at: n,
    segments,
    progress: { outcomes: complete ? { fetched: 1 } : { fetched: 1, failed: 1 } },
  })
}

const all = (step = 1) => Array.from({ length: Math.ceil(ITEMS / step) }, (_, i) => i * step)
const state = async () => (await createRecords(store).datasetStates.get(ACCOUNT, DATASET))?.value

async function lastSeen(): Promise<number[]> {
  const read = readItems(createRecords(store), ACCOUNT, DATASET, 'present')
  const merges: number[] = []
  for (let after: Parameters<typeof read>[0] = null; ;) {
    const sightings = await read(after, 5_000)
    merges.push(...sightings.map(({ item }) => item.last))
    const last = sightings.at(-1)
    if (!last) return merges
    after = last.position
  }
}

it('unchanged rows cost one write for each batch, and last sightings stay right from log to tables', async () => {
  const records = createRecords(store)
  await finish(all())
  await mergeAll(records, blobs, ACCOUNT, DATASET, BATCH, ITEMS)
  await finish(all(7))
  let commits = 0
  const counting: Store = {
    get: (keys) => store.get(keys),
    list: (range) => store.list(range),
    commit: (change) => ((commits += change.set?.length ?? 0), store.commit(change)),
    close: async () => undefined,
  }
  await mergeAll(createRecords(counting), blobs, ACCOUNT, DATASET, BATCH, ITEMS)
  expect(commits).toBeLessThan(10)
  const expected = all().map((i) => (i % 7 === 0 ? 2 : 1))
  expect(await lastSeen()).toEqual(expected)

  // The next run makes the log longer than allowed. It is moved although a new worker makes each
  // commit.
  await finish(all(5))
  for (let step = 0, came = 'more'; came !== 'idle' && step < 30; step++)
    came = await new DatasetMerge(
      { records, blobs, batch: BATCH, seenRows: ITEMS / 4 },
      ACCOUNT,
      DATASET,
    ).step()
  const moved = await state()
  expect(moved).toMatchObject({ fold: null, slots: ITEMS, seenLog: { rows: 0 } })
  expect(moved?.seenLog.from).toBe(moved?.seenLog.to)
  expect(await records.seenLog.list(ACCOUNT, { within: [DATASET], limit: 1 })).toEqual([])
  expect(await lastSeen()).toEqual(all().map((i) => (i % 5 === 0 ? 3 : i % 7 === 0 ? 2 : 1)))

  // The sightings in the tables stay.
  await finish(all(11))
  await mergeAll(records, blobs, ACCOUNT, DATASET, BATCH, 0)
  expect(await state()).toMatchObject({ fold: null, seenLog: { rows: 0 } })
  expect(await lastSeen()).toEqual(
    all().map((i) => (i % 11 === 0 ? 4 : i % 5 === 0 ? 3 : i % 7 === 0 ? 2 : 1)),
  )
})

it('the last sighting of a gone item comes from the tables or the log', async () => {
  const records = createRecords(store)
  const merge = (seenRows: number) => mergeAll(records, blobs, ACCOUNT, DATASET, 2, seenRows)
  await finish([1, 2, 3, 4])
  await merge(0)
  await finish([2, 3, 4])
  await merge(0)
  await finish([3, 4])
  await merge(100)
  await finish([4], true)
  await merge(100)
  const items = await readItems(records, ACCOUNT, DATASET, 'gone')(null, 10)
  expect(items.map(({ item: { stored, last } }) => [stored.value.key, last])).toEqual(
    [1, 2, 3].map((i) => [JSON.stringify([skuOf(i)]), i]),
  )
  await finish([1, 4])
  await merge(100)
  expect(await lastSeen()).toEqual([5, 5])
})

it('a log of many entries goes in several commits', async () => {
  const records = createRecords(store)
  await finish(Array.from({ length: 600 }, (_, i) => i))
  await mergeAll(records, blobs, ACCOUNT, DATASET)
  await finish(Array.from({ length: 600 }, (_, i) => i))
  await mergeAll(records, blobs, ACCOUNT, DATASET, 1)
  expect(await state()).toMatchObject({ fold: null, seenLog: { from: 600, to: 600, rows: 0 } })
  expect(new Set(await lastSeen())).toEqual(new Set([2]))
})
