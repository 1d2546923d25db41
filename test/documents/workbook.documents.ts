import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as sheetJs from 'xlsx'
import { writeRows } from '../../src/engine/export/row-source.ts'
import { xlsxFormat } from '../../src/engine/export/formats.ts'
import { assembleWorkbook } from '../../src/engine/export/xlsx/write-workbook.ts'
import type { Json, Row } from '../../src/kernel/json.ts'
import { batches, bytesOf, columnsOf, hostileTable } from '../engine/export/written.ts'
import { AWKWARD, NAMES, TYPES, fileOf } from './files.ts'
import { LibreOffice } from './libre-office.ts'
import type { OfficeCell } from './libre-office.ts'

/** A point in time in the precision of spreadsheets, in UTC. */
const shownDate = (date: Json | undefined) =>
  typeof date === 'string'
    ? new Date(date.length > 10 && !/(Z|[+-]\d\d:\d\d)$/.test(date) ? `${date}Z` : date)
        .toISOString()
        .slice(0, date.length > 10 ? 19 : 10)
    : ''

describe('LibreOffice', () => {
  let office: LibreOffice
  let rows: OfficeCell[][]
  beforeAll(async () => {
    office = await LibreOffice.open()
    rows = (await office.sheets(await fileOf('xlsx', AWKWARD, NAMES, TYPES), 'xlsx'))[0] ?? []
  })
  afterAll(async () => office[Symbol.asyncDispose]())

  it('reads every text unchanged, as a text', () => {
    expect(rows.map((row) => row[0]?.shown ?? '')).toEqual([
      'text',
      ...AWKWARD.map(({ text }) => text ?? ''),
    ])
    expect(new Set(rows.map((row) => row[0]?.type))).toEqual(new Set(['string', 'none']))
  })

  it('finds no formula', () => {
    const formulas = new Set(rows.flatMap((row) => row.flatMap(({ formula }) => formula ?? [])))
    // LibreOffice has a form of its own for the booleans of the file.
    expect([...formulas].toSorted()).toEqual(['of:=FALSE()', 'of:=TRUE()'])
    expect(rows.every((row) => row.slice(0, 3).every(({ formula }) => formula === null))).toBe(true)
  })

  it('reads numbers, dates and booleans as such', () => {
    expect(
      rows.slice(1).map((row) => (row[1]?.type === 'float' ? Number(row[1].value) : null)),
    ).toEqual(AWKWARD.map(({ number }) => number))
    expect(rows.slice(1).map((row) => row[2]?.value ?? '')).toEqual(
      AWKWARD.map(({ date }) => shownDate(date)),
    )
    expect(new Set(rows.slice(1).map((row) => row[2]?.type))).toEqual(new Set(['date', 'none']))
    expect(rows.slice(1).map((row) => row[3]?.shown ?? '')).toEqual(
      AWKWARD.map(({ flag }) => (flag === null ? '' : String(flag).toUpperCase())),
    )
  })

  it('writes the same as CSV, and prints it', async () => {
    const file = await fileOf('xlsx', AWKWARD.slice(0, 3), NAMES, TYPES)
    expect((await office.convert(file, 'xlsx', 'csv')).toString()).toBe(
      'text,number,date,flag\n=1+1,1,2026-01-05,TRUE\n+1-1,-0.5,2026-01-05 14:30:00,FALSE\n' +
        '-2+3,1E+300,2026-01-05 12:30:00,\n',
    )
    const pdf = await office.convert(file, 'xlsx', 'pdf')
    expect([pdf.subarray(0, 5).toString(), pdf.length > 5_000]).toEqual(['%PDF-', true])
  })

  it('opens several sheets, long texts and many columns', async () => {
    const columns = columnsOf(Array.from({ length: 200 }, (_, i) => `column ${i}`))
    const many = Array.from({ length: 5 }, (_, i): Row => ({
      'column 0': i,
      'column 199': 'é'.repeat(40_000),
    }))
    const small = {
      ...xlsxFormat,
      assemble: (...[header, parts]: Parameters<typeof assembleWorkbook>) =>
        assembleWorkbook(header, parts, { rows: 3, bytes: Infinity }),
    }
    const sheets = await office.sheets(
      await bytesOf(writeRows(small, batches([many]), columns)),
      'xlsx',
    )
    expect(sheets.map((sheet) => sheet.map((row) => row[0]?.value))).toEqual([
      ['column 0', '0', '1'],
      ['column 0', '2', '3'],
      ['column 0', '4'],
    ])
    expect(sheets[0]?.[1]?.at(-1)?.shown.length).toBe(32_767)
  })

  it('reads CSV as rows of the same texts, without a formula', async () => {
    // The options of the import: fields separated by commas, quoted by ", in UTF-8, from line 1 on,
    // and formulas are evaluated.
    const [sheet] = await office.sheets(
      await fileOf('csv', AWKWARD, NAMES, TYPES),
      'csv',
      'CSV:44,34,76,1,,0,false,true,false,false,false,0,true',
    )
    const formulas = sheet?.flatMap((row) => row.flatMap(({ formula }) => formula ?? [])) ?? []
    expect(formulas).toEqual([])
    expect(sheet?.length).toBe(AWKWARD.length + 1)
    expect(sheet?.slice(1, 9).map((row) => row[0]?.shown)).toEqual(
      AWKWARD.slice(0, 8).map(({ text }) => (/^['"]/.test(String(text)) ? text : `'${text}`)),
    )
    expect(sheet?.[14]?.[0]?.shown).toBe(AWKWARD[13]?.['text'])
    expect(sheet?.[15]?.[0]?.shown).toBe(AWKWARD[14]?.['text'])
    expect(
      sheet?.slice(1).map((row) => (row[1]?.type === 'float' ? Number(row[1].value) : null)),
    ).toEqual(AWKWARD.map(({ number }) => number))
  })
})

describe('SheetJS', () => {
  const read = (file: Uint8Array) =>
    sheetJs.read(file, { type: 'array', cellFormula: true, cellNF: true })

  it('reads back any rows, and finds no formula', async () => {
    await fc.assert(
      fc.asyncProperty(hostileTable, async ({ names, rows }) => {
        const book = read(await fileOf('xlsx', rows, names))
        const sheet = book.Sheets[book.SheetNames[0] ?? ''] ?? {}
        const cells = [names, ...rows.map((row) => names.map((name) => row[name] ?? null))]
        for (const [r, row] of cells.entries()) {
          for (const [c, value] of row.entries()) {
            const cell: sheetJs.CellObject | undefined = sheet[sheetJs.utils.encode_cell({ r, c })]
            expect(cell?.f).toBeUndefined()
            expect(shown(cell)).toEqual(wanted(value))
          }
        }
      }),
      { numRuns: 150 },
    )
  })

  it('reads dates as such', async () => {
    const book = read(await fileOf('xlsx', AWKWARD, NAMES, TYPES))
    const sheet = book.Sheets['Rows'] ?? {}
    for (const [index, { date }] of AWKWARD.entries()) {
      const cell: sheetJs.CellObject | undefined = sheet[`C${index + 2}`]
      const text =
        cell === undefined
          ? ''
          : sheetJs.SSF.format(
              String(date).length > 10 ? 'yyyy-mm-dd"T"hh:mm:ss' : 'yyyy-mm-dd',
              cell.v,
            )
      expect(text).toBe(shownDate(date))
      expect(cell?.z ?? '').toMatch(/^(|yyyy\\-mm\\-dd(\\ hh:mm:ss)?)$/)
    }
  })
})

function shown(cell: sheetJs.CellObject | undefined): unknown {
  // The reader leaves out cells of empty text.
  return cell?.v === undefined || cell.v === '' ? null : cell.v
}

function wanted(value: Json): unknown {
  if (value === '' || value === null) return null
  if (typeof value === 'number') return value === 0 ? 0 : value
  return typeof value === 'boolean'
    ? value
    : (typeof value === 'object' ? JSON.stringify(value) : value).toWellFormed()
}
