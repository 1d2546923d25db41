import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import Papa from 'papaparse'
import { expect, it } from 'vitest'
import type { Json } from '../../src/kernel/json.ts'
import { hostileTable } from '../engine/export/written.ts'
import { fileOf } from './files.ts'

const isPlainNumber = (text: string) => /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)

function shown(value: Json): string {
  const text = value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)
  return (/^[=+\-@\t\r]/.test(text) && !isPlainNumber(text) ? `'${text}` : text).toWellFormed()
}

it.each<[string, (text: string) => string[][]]>([
  ['csv-parse', (text) => parse(text, { record_delimiter: '\r\n', relax_column_count: false })],
  ['Papa Parse', (text) => Papa.parse<string[]>(text, { delimiter: ',', newline: '\r\n' }).data.slice(0, -1)],
])('%s reads back any rows', async (_, read) => {
  await fc.assert(
    fc.asyncProperty(hostileTable, async ({ names, rows }) => {
      const text = Buffer.from(await fileOf('csv', rows, names)).toString()
      expect(read(text)).toEqual([names.map(shown), ...rows.map((row) => names.map((name) => shown(row[name] ?? null)))])
    }),
    { numRuns: 300 },
  )
})
