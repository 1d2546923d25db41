import { expect, test } from 'vitest'
import { linesOf } from '../../../src/engine/export/row-lines.ts'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { exportItems } from '../../../src/features/datasets/export-items.ts'
import type { Store } from '../../../src/ports/store.ts'
import { Change } from '../../../src/records/change.ts'
import { createRecords } from '../../../src/features/records.ts'

const SIZE = { rows: 4_000, bytes: 262_144 }

/**
 * A dataset whose items have texts of these lengths, with the number of entries of each list of the
 * store.
 */
async function datasetOf(lengths: readonly number[]) {
  const memory = createMemoryStore()
  const reads: number[] = []
  const store: Store = {
    get: (keys) => memory.get(keys),
    commit: (change) => memory.commit(change),
    close: () => memory.close(),
    async list(range) {
      const entries = await memory.list(range)
      if (entries.length > 0) reads.push(entries.length)
      return entries
    },
  }
  const records = createRecords(store)
  const change = new Change()
  for (const [index, length] of lengths.entries()) {
    const key = String(index).padStart(6, '0')
    records.items.put(change, 'acme', {
      dataset: 'd',
      key,
      values: { id: key, text: 'x'.repeat(length) },
      task: 't',
      first: 1,
      changed: 1,
      gone: null,
    })
  }
  expect(await records.commit(change)).toBe(true)
  return { records, reads }
}

const idsOf = (body: Uint8Array): string[] =>
  [...linesOf(body)].flat().map((line) => /"id":"(\d+)"/.exec(line)?.[1] ?? line.slice(0, 40))

test('large items are read only a few at a time', async () => {
  const { records, reads } = await datasetOf(Array.from({ length: 60 }, () => 400_000))
  const ids: string[] = []
  for await (const { body, rows } of exportItems(
    records,
    'acme',
    'd',
    'all',
    ['id', 'text'],
    SIZE,
  )) {
    expect(rows).toBe(1)
    ids.push(...idsOf(body))
  }
  expect(ids).toEqual(Array.from({ length: 60 }, (_, index) => String(index).padStart(6, '0')))
  expect(reads[0]).toBe(4)
  expect(Math.max(...reads.slice(1))).toBeLessThan(6)
})

test('small items are read by the hundred, each once and in order', async () => {
  const { records, reads } = await datasetOf(
    Array.from({ length: 1_200 }, (_, index) => index % 700),
  )
  const ids: string[] = []
  let blocks = 0
  for await (const { body } of exportItems(records, 'acme', 'd', 'all', ['id', 'text'], SIZE)) {
    blocks++
    ids.push(...idsOf(body))
  }
  expect(ids).toEqual(Array.from({ length: 1_200 }, (_, index) => String(index).padStart(6, '0')))
  expect(blocks).toBeLessThan(4)
  expect(reads.length).toBeLessThan(6)
})
