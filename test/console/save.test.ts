import { expect, it } from 'vitest'
import { rowCounter } from '../../src/console/app/parts/save.ts'

// Proves that the rows of a file are counted while it arrives, in parts of any size.

/** The rows after each byte of a file. */
function countsOf(format: string, file: string): readonly number[] {
  const count = rowCounter(format)
  if (count === null) return []
  return [...new TextEncoder().encode(file)].map((byte) => count(Uint8Array.of(byte)))
}

it('each row of a file is counted once, and texts with line ends and quotes are not rows', () => {
  const csv = 'name,note\r\nPen,"two\nlines, ""quoted"""\r\nInk,é\r\n'
  const json = '[\n{"note":"two\\nlines, \\""},\n{"note":"é"}\n]'
  const jsonl = '{"note":"two\\nlines, \\""}\n{"note":"é"}\n'
  for (const [format, file] of Object.entries({ csv, json, jsonl })) {
    const counts = countsOf(format, file)
    expect([format, counts[0], counts.at(-1)]).toEqual([format, 0, 2])
    expect(counts).toEqual(counts.toSorted((one, other) => one - other))
    // All in one part.
    expect(rowCounter(format)?.(new TextEncoder().encode(file))).toBe(2)
  }
})

it('rows of formats without a line a row are not counted', () => {
  for (const format of ['xlsx', 'parquet', 'xml', 'html']) expect(rowCounter(format)).toBeNull()
})
