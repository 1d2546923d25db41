import { formatOf } from '../../src/engine/export/formats.ts'
import { writeRows } from '../../src/engine/export/row-source.ts'
import type { Row } from '../../src/kernel/json.ts'
import { batches, bytesOf, columnsOf, inferColumns } from '../engine/export/written.ts'
import type { ExportColumnType } from '../../src/ports/row-work.ts'

/** A file of these rows in a format, with the type of every column known. */
export async function fileOf(
  format: string,
  rows: readonly Row[],
  names: readonly string[],
  types: Readonly<Record<string, ExportColumnType>> = {},
): Promise<Uint8Array<ArrayBuffer>> {
  return bytesOf(
    writeRows(
      formatOf(format),
      batches([rows]),
      await inferColumns(batches([rows]), columnsOf(names, types)),
    ),
  )
}

/** Rows that a spreadsheet, a reader of tables or a database may misread. */
export const AWKWARD: readonly Row[] = [
  { text: '=1+1', number: 1, date: '2026-01-05', flag: true },
  { text: '+1-1', number: -0.5, date: '2026-01-05T14:30:00', flag: false },
  { text: '-2+3', number: 1e300, date: '2026-01-05T14:30:00+02:00', flag: null },
  { text: '@SUM(A1:A2)', number: 123_456_789_012, date: '1999-12-31T23:59:59Z', flag: true },
  { text: '\t=1+1', number: 0.1, date: null, flag: true },
  { text: "'=1+1", number: null, date: '2400-02-29', flag: true },
  { text: '=HYPERLINK("http://a.example/","x")', number: 5, date: '1900-03-01', flag: true },
  { text: "=cmd|' /C calc'!A0", number: 6, date: '2026-12-31', flag: true },
  { text: '00123', number: 7, date: '2026-12-31', flag: true },
  { text: '1e5', number: 8, date: '2026-12-31', flag: true },
  { text: '2026-01-05', number: 9, date: '2026-12-31', flag: true },
  { text: 'TRUE', number: 10, date: '2026-12-31', flag: true },
  { text: '1/2', number: 11, date: '2026-12-31', flag: true },
  { text: 'Größe: 5 €, 价格 😀 עברית', number: 12, date: '2026-12-31', flag: true },
  { text: 'a "quoted", text;\nof two lines', number: 13, date: '2026-12-31', flag: true },
  { text: '  spaces  around ', number: 14, date: '2026-12-31', flag: true },
  { text: '<b>&amp;</b> ]]>', number: 15, date: '2026-12-31', flag: true },
  { text: '_x0041_', number: 16, date: '2026-12-31', flag: true },
  { text: '\n=1+1', number: 16, date: '2026-12-31', flag: true },
  { text: ' =1+1', number: 16, date: '2026-12-31', flag: true },
  { text: '\u00a0=1+1', number: 16, date: '2026-12-31', flag: true },
  { text: '＝1+1', number: 16, date: '2026-12-31', flag: true },
  { text: 'a;=1+1', number: 16, date: '2026-12-31', flag: true },
  { text: 'a\t=1+1', number: 16, date: '2026-12-31', flag: true },
  { text: '', number: 17, date: '2026-12-31', flag: true },
  { text: null, number: 18, date: '2026-12-31', flag: true },
]
export const NAMES = ['text', 'number', 'date', 'flag'] as const
export const TYPES = { text: 'text', number: 'number', date: 'date', flag: 'boolean' } as const
