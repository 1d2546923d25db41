import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import Papa from 'papaparse'
import { expect, it } from 'vitest'
import type { Json } from '../../src/kernel/json.ts'
import { hostileTable } from '../engine/export/written.ts'
import { PageBudget } from '../../src/engine/extract/page/page-budget.ts'
import { readRecords } from '../../src/engine/extract/document/read-csv.ts'
import { looksLikeFormula } from '../../src/engine/export/cells.ts'
import { fileOf } from './files.ts'

function shown(value: Json): string {
  const text =
    value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)
  return (looksLikeFormula(text) ? `'${text}` : text).toWellFormed()
}

it.each<[string, (text: string) => string[][]]>([
  ['csv-parse', (text) => parse(text, { relax_column_count: true, skip_empty_lines: true })],
  [
    'Papa Parse',
    (text) => Papa.parse<string[]>(text, { delimiter: ',', skipEmptyLines: true }).data,
  ],
])('CSV pages are read as %s reads them', (_, read) => {
  const cell = fc.string({
    unit: fc.constantFrom('a', 'b', '1', '.', ' ', '\u00e9', '"', ',', ';', '\n', '\t'),
  })
  const texts = cell.map((text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text))
  // A line of one empty cell is a blank line.
  const line = fc
    .array(texts, { minLength: 1, maxLength: 6 })
    .filter((cells) => cells.join() !== '')
  fc.assert(
    fc.property(
      fc.array(line, { minLength: 1, maxLength: 20 }),
      fc.constantFrom('\n', '\r\n'),
      fc.boolean(),
      (lines, end, isEnded) => {
        const text = lines.map((cells) => cells.join(',')).join(end) + (isEnded ? end : '')
        const ours = [...readRecords(text, ',', new PageBudget())].map((cells) =>
          cells.map((one) => one ?? ''),
        )
        expect(ours).toEqual(read(text))
      },
    ),
    { numRuns: 500 },
  )
})

it.each<[string, (text: string) => string[][]]>([
  ['csv-parse', (text) => parse(text, { record_delimiter: '\r\n', relax_column_count: false })],
  [
    'Papa Parse',
    (text) => Papa.parse<string[]>(text, { delimiter: ',', newline: '\r\n' }).data.slice(0, -1),
  ],
])('%s reads back any rows', async (_, read) => {
  await fc.assert(
    fc.asyncProperty(hostileTable, async ({ names, rows }) => {
      const text = Buffer.from(await fileOf('csv', rows, names)).toString()
      expect(read(text)).toEqual([
        names.map(shown),
        ...rows.map((row) => names.map((name) => shown(row[name] ?? null))),
      ])
    }),
    { numRuns: 300 },
  )
})
