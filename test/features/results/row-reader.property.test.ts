import fc from 'fast-check'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createMemoryBlobs } from '../../../src/defaults/memory-blobs.ts'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { RowReader } from '../../../src/features/results/row-reader.ts'
import type { RowPosition } from '../../../src/features/results/row-reader.ts'
import { rowsOf } from '../../../src/engine/export/row-lines.ts'
import type { Row } from '../../../src/kernel/json.ts'
import type { RowBlock } from '../../../src/ports/row-work.ts'
import { createRecords } from '../../../src/features/records.ts'
import { finishRun } from '../../support/worlds/dataset-runs.ts'

async function readerOf(
  segments: readonly (readonly Row[])[],
  ending = '',
  spoil = (text: string) => text,
): Promise<RowReader> {
  const records = createRecords(createMemoryStore())
  const blobs = createMemoryBlobs()
  const put = async (name: string, bytes: Uint8Array) =>
    blobs.put(name, new TextEncoder().encode(spoil(new TextDecoder().decode(bytes)) + ending))
  await finishRun(records, { ...blobs, put }, { id: 'exec_1', at: 1, segments })
  return new RowReader(records, blobs, 'acme', 'exec_1')
}

const SIZE = { rows: 7, bytes: 2_000 }

/** All rows. Checks that each block has the stated number of lines, and is not too large. */
async function all(blocks: AsyncIterable<RowBlock>): Promise<Row[]> {
  const rowsSoFar: Row[] = []
  for await (const { body, rows } of blocks) {
    const inside = [...rowsOf(body)]
    expect(inside).toHaveLength(rows)
    expect(rows).toBeLessThanOrEqual(SIZE.rows)
    if (rows > 1) expect(body.lastIndexOf(10, body.length - 2)).toBeLessThan(SIZE.bytes)
    rowsSoFar.push(...inside)
  }
  return rowsSoFar
}

const row = fc
  .record({ a: fc.string({ unit: 'grapheme', maxLength: 30 }), n: fc.constantFrom(1, 40, 900) })
  .map(({ a, n }): Row => ({ a: a.repeat(n) }))

it('every row is read, however many bytes the rows have', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(row, { minLength: 1, maxLength: 40 }), { maxLength: 4 }),
      fc.constantFrom('', '\n'),
      async (segments, ending) => {
        const reader = await readerOf(segments, ending)
        expect(await all(reader.blocks(SIZE))).toEqual(segments.flat())
        // Once more, from the first row.
        expect(await all(reader.blocks(SIZE))).toEqual(segments.flat())
        expect((await reader.slice([0, 0], 1_000)).rows).toEqual(segments.flat())
      },
    ),
    { numRuns: 50 },
  )
})

it('a segment that has lost rows, or has more, breaks the reading', async () => {
  const rows = Array.from({ length: 1_000 }, (_, i): Row => ({ a: `row ${i} of many` }))
  const short = await readerOf([rows], '', (text) => text.slice(0, text.lastIndexOf('\n')))
  await expect(all(short.blocks(SIZE))).rejects.toThrow(/damaged: blob .* has 999 of 1000/)
  const long = await readerOf([rows], '\n[1,{}]')
  await expect(all(long.blocks(SIZE))).rejects.toThrow(/damaged: blob .* has 1001 of 1000/)
  const empty = await readerOf([rows], '', () => '')
  await expect(all(empty.blocks(SIZE))).rejects.toThrow(/damaged: blob .* has 0 of 1000/)
})

it('a page of rows parses its own lines, not all lines of their segment', async () => {
  const rows = Array.from({ length: 2_000 }, (_, i): Row => ({ a: `row ${i} `.repeat(100) }))
  const reader = await readerOf([rows])
  const decode = vi.spyOn(TextDecoder.prototype, 'decode')
  onTestFinished(() => decode.mockRestore())
  expect((await reader.slice([0, 1_000], 20)).rows).toEqual(rows.slice(1_000, 1_020))
  const bytes = decode.mock.calls.reduce((sum, [part]) => sum + (part?.byteLength ?? 0), 0)
  expect(bytes).toBeLessThan(30_000)
})

it('large rows are read backwards a few at a time, up to the first one', async () => {
  const segments = [3, 1, 5].map((count, segment) =>
    Array.from({ length: count }, (_, i): Row => ({
      at: `${segment}.${i}`,
      text: 'x'.repeat(900_000),
    })),
  )
  const reader = await readerOf(segments)
  const readBack: Row[] = []
  const counts: number[] = []
  for (let position: RowPosition | null = [segments.length, 0]; position !== null;) {
    const { rows, next } = await reader.before(position, 100)
    if (rows.length > 0) counts.push(rows.length)
    readBack.unshift(...rows.map(([, read]) => read))
    position = next
  }
  expect(readBack).toEqual(segments.flat())
  expect(counts).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1])
})

it('no step parses much of a large row', async () => {
  const large: Row = {
    a: 'x"'.repeat(1_000_000),
    b: Array.from({ length: 200_000 }, (_, index) => index),
  }
  const reader = await readerOf([[{ a: '1' }, large, { a: '2' }]])
  const parse = vi.spyOn(JSON, 'parse')
  onTestFinished(() => parse.mockRestore())
  const first = await reader.slice([0, 0], 3)
  expect(first).toEqual({ rows: [{ a: '1' }], next: [0, 1] })
  expect(await reader.slice([0, 1], 3)).toEqual({ rows: [large], next: [0, 2] })
  expect(await reader.before([0, 2], 2)).toEqual({ rows: [[1, large]], next: [0, 1] })
  expect(Math.max(...parse.mock.calls.map(([text]) => text.length))).toBeLessThan(70_000)
})
