import fc from 'fast-check'
import { expect, it } from 'vitest'
import { rowsOf } from '../../../src/engine/export/row-lines.ts'
import { partSizeOf, RowParts, typesOfRows } from '../../../src/features/common/row-parts.ts'
import { PageFailure } from '../../../src/kernel/failures.ts'
import type { OpenRows, RowBlock } from '../../../src/ports/row-work.ts'

const encoder = new TextEncoder()
const blockOf = (from: number, rows: number): RowBlock => ({
  rows,
  body: encoder.encode(
    Array.from({ length: rows }, (_, index) => `[0,{"id":${from + index}}]\n`).join(''),
  ),
})

/** Blocks of so many rows each, numbered through. */
async function* blocksOf(sizes: readonly number[]): AsyncGenerator<RowBlock> {
  let from = 0
  for (const size of sizes) {
    yield blockOf(from, size)
    from += size
  }
}

/** Writes each row with its number. */
const numbering: OpenRows = {
  async ask(question) {
    if (question.ask !== 'part') return {}
    const rows = [...rowsOf(question.block.body)]
    return {
      part: {
        chunks: [
          encoder.encode(rows.map(({ id }, index) => `${question.first + index}:${id}`).join(' ')),
        ],
        rows: rows.length,
      },
    }
  },
  close() {},
}

it('each row comes once, in order and with its number, wherever sheets end', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 12 }),
      fc.array(fc.tuple(fc.integer({ min: 1, max: 12 }), fc.boolean()), {
        minLength: 60,
        maxLength: 60,
      }),
      async (sizes, sheets) => {
        const parts = new RowParts({ blocks: blocksOf(sizes), rows: numbering })
        const texts: string[] = []
        const expected: string[] = []
        let row = 0
        // A sheet has this number of rows, or ends after its first part.
        for (const [most, endsEarly] of sheets) {
          for (let number = 2, left = most; left > 0;) {
            const part = await parts.next(number, left)
            if (part === null) break
            texts.push(
              ...part.chunks.flatMap((chunk) => new TextDecoder().decode(chunk).split(' ')),
            )
            for (let index = 0; index < part.rows; index++)
              expected.push(`${number + index}:${row++}`)
            expect(part.rows).toBeLessThanOrEqual(left)
            number += part.rows
            left = endsEarly ? 0 : left - part.rows
          }
        }
        expect(texts).toEqual(expected)
        if (sheets.length >= sizes.reduce((sum, size) => sum + size, 0))
          expect(row).toBe(sizes.reduce((sum, size) => sum + size, 0))
        await parts.close()
      },
    ),
  )
})

it('one block is converted in advance, and no more', async () => {
  let read = 0
  const counted = async function* (): AsyncGenerator<RowBlock> {
    for (; ; read++) yield blockOf(read, 1)
  }
  const parts = new RowParts({ blocks: counted(), rows: numbering })
  await parts.next(0, Infinity)
  await new Promise((resolve) => setImmediate(resolve))
  expect(read).toBeLessThanOrEqual(2)
  await parts.close()
})

it('rows that need too much memory are an error of the caller; broken rows are an internal error', async () => {
  const failing = (error: Error): RowParts =>
    new RowParts({
      blocks: blocksOf([1, 1]),
      rows: { ask: () => Promise.reject(error), close() {} },
    })
  await expect(
    failing(
      new PageFailure('time', 'A part of the rows took longer than 10,000 ms and was stopped'),
    ).next(0, 1),
  ).rejects.toMatchObject({
    code: 'UNPROCESSABLE_CONTENT',
    message: expect.stringMatching(/was stopped\. Ask for fewer columns/),
  })
  await expect(failing(new Error('broken')).next(0, 1)).rejects.toThrow('broken')
})

it('types that are not known are inferred from all rows', async () => {
  const columns = [
    { name: 'a', type: 'date' },
    { name: 'id', type: null },
    { name: 'none', type: null },
  ] as const
  const rowReader: OpenRows = {
    ask: async (question) =>
      question.ask === 'types'
        ? { types: question.block.rows > 1 ? { id: 'number' } : { id: 'integer' } }
        : {},
    close() {},
  }
  const typed = [columns[0], { name: 'id', type: 'number' }, { name: 'none', type: 'text' }]
  expect(await typesOfRows(blocksOf([1, 2, 1]), rowReader, columns)).toEqual(typed)
  expect(await typesOfRows(blocksOf([2, 1]), rowReader, columns)).toEqual(typed)
  const unread = (async function* (): AsyncGenerator<RowBlock> {
    yield expect.fail('the rows were read')
  })()
  expect(await typesOfRows(unread, rowReader, [columns[0]])).toEqual([columns[0]])
  // A column that can only be JSON is not examined further.
  let read = 0
  const endless = async function* (): AsyncGenerator<RowBlock> {
    for (; ; read++) yield blockOf(read, 1)
  }
  const mixed: OpenRows = {
    ask: async () => ({ types: { id: read === 0 ? 'text' : 'integer' } }),
    close() {},
  }
  expect(await typesOfRows(endless(), mixed, [{ name: 'id', type: null }])).toEqual([
    { name: 'id', type: 'json' },
  ])
  expect(read).toBe(1)
})

it('rows of many columns make smaller parts', () => {
  expect(partSizeOf({ rows: 4_000, bytes: 1 }, 10)).toEqual({ rows: 4_000, bytes: 1 })
  expect(partSizeOf({ rows: 4_000, bytes: 1 }, 200)).toEqual({ rows: 1_000, bytes: 1 })
  expect(partSizeOf({ rows: 4_000, bytes: 1 }, 1_000_000)).toEqual({ rows: 1, bytes: 1 })
})
