import { describe, expect, it } from 'vitest'
import { createMemoryBlobs } from '../../../src/defaults/memory-blobs.ts'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { shortDigest } from '../../../src/defaults/short-digest.ts'
import { DatasetMerge } from '../../../src/features/datasets/merge.ts'
import { weighRows } from '../../../src/features/datasets/weigh-rows.ts'
import { storedBytes } from '../../../src/features/limits/stored-bytes.ts'
import { createRecords } from '../../../src/features/records.ts'
import type { Row } from '../../../src/kernel/json.ts'
import type { Store } from '../../../src/ports/store.ts'
import { ACCOUNT, DATASET, finishRun, makeDataset } from '../../support/worlds/dataset-runs.ts'

/** A dataset, and what was asked of its store at once. */
async function open() {
  const base = createMemoryStore()
  const most = { keys: 0, characters: 0 }
  const store: Store = {
    get: async (keys) => {
      const entries = await base.get(keys)
      most.keys = Math.max(most.keys, keys.length)
      // A value is read when it is asked for, and so is in no text of its entry.
      const values = entries.map((entry) => entry?.value)
      most.characters = Math.max(most.characters, JSON.stringify(values).length)
      return entries
    },
    list: (range) => base.list(range),
    commit: (change) => base.commit(change),
    close: () => base.close(),
  }
  const records = createRecords(store)
  const blobs = createMemoryBlobs()
  await makeDataset(records)
  let runs = 0
  return {
    most,
    weigh(rows: readonly Row[]) {
      Object.assign(most, { keys: 0, characters: 0 })
      return weighRows(
        { records, digest: shortDigest },
        {
          account: ACCOUNT,
          dataset: DATASET,
          task: 'task_1',
          rows: rows.map((row, page) => [page, row] as const),
          now: 1_000 + runs,
        },
      )
    },
    /** Merges rows, and returns the bytes that this added. */
    async merge(rows: readonly Row[]) {
      const before = await storedBytes(records, ACCOUNT)
      await finishRun(records, blobs, {
        id: `e${runs}`,
        at: 1_000 + runs++,
        segments: [rows],
        progress: { outcomes: {} },
      })
      const merge = new DatasetMerge({ records, blobs }, ACCOUNT, DATASET)
      while ((await merge.step()) === 'more');
      return (await storedBytes(records, ACCOUNT)) - before
    },
  }
}

const things = (count: number, more: (index: number) => Row): Row[] =>
  Array.from({ length: count }, (_, index) => ({ sku: `p${index}`, ...more(index) }))

describe('rows of one commit', () => {
  it('weigh what their merge adds, a key in several batches once', async () => {
    const { weigh, merge } = await open()
    const first = [...things(700, (i) => ({ price: i })), ...things(300, (i) => ({ price: -i }))]
    const weight = await weigh(first)
    expect(weight).toBeGreaterThan(0)
    expect(await merge(first)).toBe(weight)
    const second = [
      ...things(900, (i) => ({ price: i % 3, text: 'long '.repeat(i) })),
      ...things(10, () => ({ sku: null })),
      ...things(500, (i) => ({ price: i, text: null })),
    ]
    const heavier = await weigh(second)
    expect(heavier).toBeGreaterThan(0)
    expect(await merge(second)).toBe(heavier)
  })

  it('are weighed a few at once, however many they are', async () => {
    const { weigh, most } = await open()
    await weigh(things(2_000, (i) => ({ price: i })))
    expect(most.keys).toBeLessThanOrEqual(250)
  })

  it('are weighed fewer at once where they or their items are large', async () => {
    const { weigh, merge, most } = await open()
    const rows = things(100, () => ({ text: 'x'.repeat(50_000) }))
    await weigh(rows)
    expect(most.keys).toBeLessThan(15)
    await merge(rows)
    await weigh(things(100, () => ({ price: 1 })))
    expect(most.characters).toBeLessThan(2_000_000)
  })
})
