import { beforeEach, describe, expect, it } from 'vitest'
import { createMemoryBlobs } from '../../../src/defaults/memory-blobs.ts'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { fitRow } from '../../../src/features/datasets/merge-rows.ts'
import { createRecords } from '../../../src/features/records.ts'
import type { Row } from '../../../src/kernel/json.ts'
import { ACCOUNT, DATASET, finishRun, makeDataset } from '../../support/worlds/dataset-runs.ts'
import { mergeAll } from '../../support/worlds/merge-all.ts'

const LARGE = 'x'.repeat(600_000)

describe('a row that is too large for an item', () => {
  it('keeps its key, and each column that fits beside the columns before it', () => {
    const row = { a: LARGE, b: LARGE, c: 1, sku: 'p1' }
    expect(Object.keys(fitRow(row, ['sku', 'none']))).toEqual(['sku', 'a', 'c'])
    const small = { a: LARGE, c: 1 }
    expect(fitRow(small)).toBe(small)
  })

  it('is not read to its end', () => {
    let looked = 0
    const list = Array.from({ length: 100_000 }, () => ({}))
    const watched = (): Row[string] => {
      const values: Row[string][] = []
      Object.defineProperty(values, 0, {
        enumerable: true,
        get: () => (looked++, list),
      })
      return values
    }
    fitRow(Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`c${index}`, watched()])))
    expect(looked).toBeLessThan(20)
  })
})

describe('a merge of such rows', () => {
  let records: ReturnType<typeof createRecords>
  let blobs: ReturnType<typeof createMemoryBlobs>
  beforeEach(() => {
    records = createRecords(createMemoryStore())
    blobs = createMemoryBlobs()
  })
  const run = async (id: string, index: number, rows: Row[]) => {
    await finishRun(records, blobs, { id, at: index, segments: [rows] })
    await mergeAll(records, blobs, ACCOUNT, DATASET)
    return (await records.datasetStates.get(ACCOUNT, DATASET))?.value.last
  }
  const item = async () => (await records.items.list(ACCOUNT, { limit: 5 }))[0]?.value.values

  it('counts them, and their items are unchanged', async () => {
    await makeDataset(records)
    await run('e1', 1, [{ sku: 'p1', price: 1 }])
    const row = { huge: LARGE + LARGE, sku: 'p1', price: 2 }
    expect(await run('e2', 2, [row])).toMatchObject({ changed: 1, skipped: 0, cut: 1, gone: 0 })
    expect(await item()).toEqual({ sku: 'p1', price: 2 })
    expect(await run('e3', 3, [row])).toMatchObject({ unchanged: 1, cut: 1, gone: 0 })
  })

  it('skips those whose key is too large', async () => {
    await makeDataset(records)
    const rows = [{ sku: LARGE + LARGE }, { sku: 'p2' }]
    expect(await run('e1', 1, rows)).toMatchObject({ added: 1, skipped: 1, cut: 0 })
  })

  it('drops values of earlier runs that do not fit beside the new ones', async () => {
    await makeDataset(records)
    await run('e1', 1, [{ sku: 'p1', old: LARGE }])
    expect(await run('e2', 2, [{ sku: 'p1', fresh: LARGE }])).toMatchObject({ changed: 1, cut: 0 })
    expect(Object.keys((await item()) ?? {}).toSorted()).toEqual(['fresh', 'sku'])
    const [, second] = await records.itemChanges.list(ACCOUNT, { within: [DATASET], limit: 5 })
    expect(second?.value.fields).toEqual({ fresh: [null, LARGE], old: [LARGE, null] })
  })
})
