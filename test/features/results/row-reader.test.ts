import fc from 'fast-check'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createMemoryBlobs } from '../../../src/defaults/memory-blobs.ts'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { RowReader } from '../../../src/features/results/row-reader.ts'
import type { Row } from '../../../src/kernel/json.ts'
import { createRecords } from '../../../src/records/records.ts'
import { finishRun } from '../../support/dataset-runs.ts'

async function readerOf(segments: readonly (readonly Row[])[], ending = '', spoil = (text: string) => text): Promise<RowReader> {
  const records = createRecords(createMemoryStore())
  const blobs = createMemoryBlobs()
  const put = async (name: string, bytes: Uint8Array) => blobs.put(name, new TextEncoder().encode(spoil(new TextDecoder().decode(bytes)) + ending))
  await finishRun(records, { ...blobs, put }, { id: 'exec_1', at: 1, segments })
  return new RowReader(records, blobs, 'acme', 'exec_1')
}

async function all<T>(batches: AsyncIterable<readonly T[]>): Promise<T[]> {
  const rows: T[] = []
  for await (const batch of batches) rows.push(...batch)
  return rows
}

const row = fc.record({ a: fc.string({ unit: 'grapheme', maxLength: 30 }), n: fc.constantFrom(1, 40, 900) }).map(({ a, n }): Row => ({ a: a.repeat(n) }))

it('all rows are all rows, however many bytes they are', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(row, { minLength: 1, maxLength: 40 }), { maxLength: 4 }), fc.constantFrom('', '\n'), async (segments, ending) => {
      const reader = await readerOf(segments, ending)
      expect(await all(reader.all())).toEqual(segments.flat())
      expect(await all(reader.lines(['a']))).toEqual(segments.flat().map((one) => JSON.stringify(one)))
      expect((await reader.slice([0, 0], 1_000)).rows).toEqual(segments.flat())
    }),
    { numRuns: 50 },
  )
})

it('a segment that has lost rows, or has more, breaks the reading', async () => {
  const rows = Array.from({ length: 1_000 }, (_, i): Row => ({ a: `row ${i} of many` }))
  const short = await readerOf([rows], '', (text) => text.slice(0, text.lastIndexOf('\n')))
  await expect(all(short.all())).rejects.toThrow(/damaged: blob .* has 999 of 1000/)
  const long = await readerOf([rows], '\n[1,{}]')
  await expect(all(long.lines(['a']))).rejects.toThrow(/damaged: blob .* has 1001 of 1000/)
  const empty = await readerOf([rows], '', () => '')
  await expect(all(empty.all())).rejects.toThrow(/damaged: blob .* has 0 of 1000/)
})

it('a page of rows is made of its own lines, and not of all that are in their segment', async () => {
  const rows = Array.from({ length: 2_000 }, (_, i): Row => ({ a: `row ${i} `.repeat(100) }))
  const reader = await readerOf([rows])
  const decode = vi.spyOn(TextDecoder.prototype, 'decode')
  onTestFinished(() => decode.mockRestore())
  expect((await reader.slice([0, 1_000], 20)).rows).toEqual(rows.slice(1_000, 1_020))
  const bytes = decode.mock.calls.reduce((sum, [part]) => sum + (part?.byteLength ?? 0), 0)
  expect(bytes).toBeLessThan(30_000)
})
