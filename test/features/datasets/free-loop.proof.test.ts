import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFileBlobs } from '../../../adapters/unstorage/index.ts'
import { createSqliteStore } from '../../../adapters/sqlite/index.ts'
import { readChanges, readItems } from '../../../src/features/datasets/items.ts'
import { exportItems } from '../../../src/features/datasets/export-items.ts'
import { createRecords } from '../../../src/features/records.ts'
import { cpuFactor } from '../../support/cpu-ms.ts'
import { longestTurn } from '../../support/longest-turn.ts'
import { ACCOUNT, DATASET, finishRun, makeDataset } from '../../support/worlds/dataset-runs.ts'
import { mergeAll } from '../../support/worlds/merge-all.ts'

// Proves that items of the largest size block the thread that serves no longer than small ones when
// they are merged, listed and exported. Times are processor times of that thread.

/** One item takes some milliseconds; all of them at once took more than 150. */
const LONGEST_MS = 100 * cpuFactor()
const ITEMS = 32
const folder = mkdtempSync(join(tmpdir(), 'seine-items-'))
const store = createSqliteStore({ path: join(folder, 'seine.db') })
const blobs = createFileBlobs({ dir: join(folder, 'blobs') })
const records = createRecords(store)
afterAll(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
})

const rowsOf = (run: number) =>
  Array.from({ length: ITEMS }, (_, index) => ({
    sku: `p${10 + index}`,
    text: `${run}${'word '.repeat(120_000)}`,
    list: Array.from({ length: 40_000 }, (_unused, i) => `${run + i}`),
  }))

/** The least of three times, as garbage of earlier work may be collected during one of them. */
async function leastOf(work: (time: number) => Promise<unknown>): Promise<number> {
  let least = Infinity
  for (let time = 0; time < 3; time++) least = Math.min(least, await longestTurn(() => work(time)))
  return least
}

const merge = async (run: number): Promise<void> => {
  await mergeAll(records, blobs, ACCOUNT, DATASET)
  await finishRun(records, blobs, { id: `e${run}`, at: run, segments: [rowsOf(run)] })
}

beforeAll(async () => {
  await makeDataset(records)
  await merge(0)
  await merge(1)
})

test('items of nearly a million characters are merged in short turns', async () => {
  let least = Infinity
  for (let run = 2; run < 5; run++) {
    least = Math.min(least, await longestTurn(() => mergeAll(records, blobs, ACCOUNT, DATASET)))
    await merge(run)
  }
  expect(least).toBeLessThan(LONGEST_MS)
})

test('items of nearly a million characters are read for lists and changes in short turns', async () => {
  const read = readItems(records, ACCOUNT, DATASET, 'present')
  expect(await leastOf(() => read(null, 5))).toBeLessThan(LONGEST_MS)
  expect(await leastOf(() => readChanges(records, ACCOUNT, DATASET, 0, 100, null))).toBeLessThan(
    LONGEST_MS,
  )
})

test('items of nearly a million characters are exported in short turns', async () => {
  const size = { rows: 4_000, bytes: 262_144 }
  let rows = 0
  const least = await leastOf(async () => {
    const columns = ['sku', 'text', 'list']
    for await (const block of exportItems(records, ACCOUNT, DATASET, 'all', columns, size))
      rows += block.rows
  })
  expect(rows).toBe(3 * ITEMS)
  expect(least).toBeLessThan(LONGEST_MS)
})
