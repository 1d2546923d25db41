import { beforeEach, describe, expect, it } from 'vitest'
import { createMemoryBlobs } from '../../../src/defaults/memory-blobs.ts'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { itemKeyOf, oldDigest, oldItemKeyOf } from '../../../src/features/datasets/item-key.ts'
import { shortDigest } from '../../../src/defaults/short-digest.ts'
import type { Row } from '../../../src/kernel/json.ts'
import type { Store } from '../../../src/ports/store.ts'
import { Change } from '../../../src/records/change.ts'
import { createRecords } from '../../../src/features/records.ts'
import { DatasetMerge } from '../../../src/features/datasets/merge.ts'
import { ACCOUNT, DATASET, finishRun, makeDataset } from '../../support/worlds/dataset-runs.ts'
import { digestOf } from '../../../src/features/datasets/merge-rows.ts'
import { mergeAll } from '../../support/worlds/merge-all.ts'
import { oldTwin } from '../../support/worlds/old-twin.ts'

let commits = 0
let records: ReturnType<typeof createRecords>
let blobs: ReturnType<typeof createMemoryBlobs>
beforeEach(() => {
  const base = createMemoryStore()
  const store: Store = {
    get: (keys) => base.get(keys),
    list: (range) => base.list(range),
    commit: (change) => ((commits += change.set?.length ?? 0), base.commit(change)),
    close: () => base.close(),
  }
  records = createRecords(store)
  blobs = createMemoryBlobs()
})

const LONG = 'x'.repeat(300)
/** A row of a page, and a row that a hostile site can make with the same old digest. */
const row: Row = { sku: 'a', text: LONG }
const twin: Row = JSON.parse(oldTwin(JSON.stringify(row), 100))
/** Two long keys with the same old digest. */
const twinKey: string = JSON.parse(oldTwin(JSON.stringify([LONG]), 150))[0]

const run = async (n: number, rows: readonly Row[]): Promise<void> => {
  await finishRun(records, blobs, {
    id: `e${n}`,
    at: n,
    segments: [rows],
    progress: { outcomes: { fetched: 1 } },
  })
  await mergeAll(records, blobs, ACCOUNT, DATASET)
}
const last = async () => (await records.datasetStates.get(ACCOUNT, DATASET))?.value.last
const keys = async () =>
  (await records.items.list(ACCOUNT, { within: [DATASET], limit: 100 })).map(
    ({ value }) => value.key,
  )

/** A dataset of an earlier version: with old digests, and without the mark of this version. */
async function oldDataset(rows: readonly Row[]): Promise<void> {
  await makeDataset(records)
  const stored = await records.datasets.get(ACCOUNT, DATASET)
  if (!stored) throw new Error('There is no dataset')
  const { keyDigest: _, ...old } = stored.value
  const change = new Change()
  records.datasets.update(change, ACCOUNT, stored, old)
  await records.commit(change)
  await finishRun(records, blobs, {
    id: 'e1',
    at: 1,
    segments: [rows],
    progress: { outcomes: { fetched: 1 } },
  })
  // With the digest and the keys of that version.
  const merge = new DatasetMerge({ records, blobs, digest: oldDigest }, ACCOUNT, DATASET)
  while ((await merge.step()) !== 'idle');
}

describe('a hostile page', () => {
  it('can have equal old digests, or these tests would prove nothing', () => {
    expect(twin).not.toEqual(row)
    expect(oldDigest(JSON.stringify(twin))).toBe(oldDigest(JSON.stringify(row)))
    expect(twinKey).not.toBe(LONG)
    expect(oldItemKeyOf([twinKey])).toBe(oldItemKeyOf([LONG]))
    expect(itemKeyOf([twinKey], shortDigest)).not.toBe(itemKeyOf([LONG], shortDigest))
  })

  it('has new digests that are too long for a search of equal ones', () => {
    const digest = (text: string): string => `${text.length}`.padEnd(64, '0')
    expect(digestOf(row, digest)).toHaveLength(40)
    expect(itemKeyOf([LONG], digest).split('#')[1]).toHaveLength(40)
    expect(shortDigest(LONG).length).toBeGreaterThanOrEqual(40)
  })

  it('cannot change an item without a change of its digest', async () => {
    await makeDataset(records)
    await run(1, [row])
    await run(2, [twin])
    expect(await last()).toMatchObject({ changed: 1, unchanged: 0 })
    expect((await records.items.get(ACCOUNT, DATASET, '["a"]'))?.value.values).toEqual(twin)
  })

  it('cannot replace another item', async () => {
    await makeDataset(records)
    await run(1, [
      { sku: LONG, price: 1 },
      { sku: twinKey, price: 2 },
    ])
    expect(await last()).toMatchObject({ added: 2, duplicate: 0 })
  })
})

describe('a dataset of an earlier version', () => {
  const rows: Row[] = [
    row,
    { sku: LONG, price: 1 },
    ...Array.from({ length: 50 }, (_, i) => ({ sku: `p${i}`, price: i })),
  ]

  it('keeps its items and keys without a change, and is written anew once', async () => {
    await oldDataset(rows)
    const before = await keys()
    expect(before).toContain(oldItemKeyOf([LONG]))
    const writes = []
    for (const n of [2, 3, 4]) {
      commits = 0
      await run(n, rows)
      writes.push(commits)
      expect(await last()).toMatchObject({
        added: 0,
        changed: 0,
        returned: 0,
        gone: 0,
        unchanged: rows.length,
      })
      expect(await keys()).toEqual(before)
    }
    const [first = 0, second = 0, third = 0] = writes
    // The first time one sighting for each item, but no item; then one note for all, as usual.
    expect(first - second).toBeGreaterThanOrEqual(rows.length - 1)
    expect(first - second).toBeLessThanOrEqual(rows.length)
    expect(third).toBe(second)
    expect(
      await records.itemChanges.list(ACCOUNT, { within: [DATASET], limit: 1_000 }),
    ).toHaveLength(rows.length)
  })

  it('stores a long key with an equal old digest as an item of its own', async () => {
    await oldDataset(rows)
    await run(2, [...rows, { sku: twinKey, price: 2 }])
    expect(await last()).toMatchObject({ added: 1, changed: 0, gone: 0, unchanged: rows.length })
    expect(await keys()).toContain(itemKeyOf([twinKey], shortDigest))
  })

  it('notices a change that the old digest would miss', async () => {
    await oldDataset(rows)
    await run(2, [twin, ...rows.slice(1)])
    expect(await last()).toMatchObject({ changed: 1, unchanged: rows.length - 1 })
  })
})
