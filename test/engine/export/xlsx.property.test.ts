import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Column, ExportColumnType } from '../../../src/ports/row-work.ts'
import { xlsxFormat } from '../../../src/engine/export/formats.ts'
import { assembleWorkbook } from '../../../src/engine/export/xlsx/write-workbook.ts'
import type { SheetLimits } from '../../../src/engine/export/xlsx/write-workbook.ts'
import { writeRows } from '../../../src/engine/export/row-source.ts'
import type { Json, Row } from '../../../src/kernel/json.ts'
import { readXml } from '../../support/strict-xml.ts'
import { unzip } from '../../support/unzip.ts'
import { batches, bytesOf, columnsOf, hostileTable } from './written.ts'

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
/** ECMA-376 part 1, 22.9.2.19. */
const unescaped = (text: string) =>
  text.replace(/_x([\dA-F]{4})_/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )

type Cell = string | number | boolean | null

/** The rows of each sheet, and the numbers of their cells' styles. */
async function read(
  chunks: AsyncIterable<Uint8Array>,
): Promise<{ cells: Cell[][]; styles: (string | undefined)[][] }[]> {
  const files = new Map(
    [...unzip(await bytesOf(chunks))].map(([path, bytes]) => [
      path,
      readXml(decoder.decode(bytes)),
    ]),
  )
  const sheets = files.get('xl/workbook.xml')?.children[0]?.children ?? []
  const relations = new Map(
    files
      .get('xl/_rels/workbook.xml.rels')
      ?.children.map(({ attributes }) => [attributes['Id'], attributes['Target']]),
  )
  return sheets.map(({ attributes }) => {
    const sheet =
      files.get(`xl/${relations.get(attributes['r:id'] ?? '')}`) ??
      expect.fail('a sheet is missing')
    const rows = sheet.children.find(({ name }) => name === 'sheetData')?.children ?? []
    const cells: Cell[][] = []
    const styles: (string | undefined)[][] = []
    for (const [index, row] of rows.entries()) {
      expect(row.attributes['r']).toBe(String(index + 1))
      for (const cell of row.children) {
        expect([cell.name, cell.children.some(({ name }) => name === 'f')]).toEqual(['c', false])
        const [, letters = '', number] = /^([A-Z]+)(\d+)$/.exec(cell.attributes['r'] ?? '') ?? []
        expect(number).toBe(row.attributes['r'])
        const column =
          [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
        const content = cell.children[0]
        ;(cells[index] ??= [])[column] =
          cell.attributes['t'] === 'inlineStr'
            ? unescaped(content?.children[0]?.text ?? '')
            : cell.attributes['t'] === 'b'
              ? content?.text === '1'
              : Number(content?.text)
        ;(styles[index] ??= [])[column] = cell.attributes['s']
      }
      cells[index] ??= []
    }
    return { cells, styles }
  })
}

/** In parts of six rows. */
const workbook = (rows: readonly Row[], columns: readonly Column[], limits?: SheetLimits) =>
  read(
    writeRows(
      {
        ...xlsxFormat,
        partSize: { rows: 6, bytes: Infinity },
        assemble: (...args) => assembleWorkbook(...args, limits),
      },
      batches([rows]),
      columns,
    ),
  )
const cellOf = async (value: Json, type?: ExportColumnType) => {
  const [sheet] = await workbook([{ a: value }], columnsOf(['a'], type ? { a: type } : {}))
  return [sheet?.cells[1]?.[0] ?? null, sheet?.styles[1]?.[0] ?? null]
}
const shown = (value: Json): Cell =>
  value === null || typeof value === 'number' || typeof value === 'boolean'
    ? value
    : (typeof value === 'object' ? JSON.stringify(value) : value).toWellFormed()

describe('XLSX', () => {
  it('can be read back, whatever the columns and values', async () => {
    await fc.assert(
      fc.asyncProperty(hostileTable, async ({ names, rows }) => {
        const [sheet, ...more] = await workbook(rows, columnsOf(names))
        expect(more).toEqual([])
        const full = sheet?.cells.map((row) => names.map((_, index) => row[index] ?? null))
        expect(full).toEqual([
          names.map(shown),
          ...rows.map((row) =>
            names.map((name) => shown(JSON.parse(JSON.stringify(row[name] ?? null)))),
          ),
        ])
      }),
      { numRuns: 200 },
    )
  })

  it.each<[Json, ExportColumnType | undefined, Cell, string | null]>([
    ['=1+1', undefined, '=1+1', '4'],
    ['+1-1', 'text', '+1-1', '4'],
    ['@SUM(A1)', undefined, '@SUM(A1)', '4'],
    ['-12.5', undefined, '-12.5', null],
    ['text', 'text', 'text', null],
    ['00123', 'number', '00123', null],
    [5, 'text', 5, null],
    [1e300, undefined, 1e300, null],
    [true, 'text', true, null],
    ['2026-01-05', 'date', 46_027, '1'],
    ['2026-01-05T12:00:00', 'date', 46_027.5, '2'],
    ['2026-01-05T00:30:00+01:00', 'date', 46_026 + 23.5 / 24, '2'],
    ['1900-03-01', 'date', 61, '1'],
    ['1900-02-28', 'date', '1900-02-28', null],
    ['9999-12-31', 'date', 2_958_465, '1'],
    ['2026-02-31', 'date', '2026-02-31', null],
    ['2026-01-05', 'text', '2026-01-05', null],
    [{ a: 1 }, undefined, '{"a":1}', null],
    ['_x0041_', undefined, '_x0041_', null],
    ['', 'text', '', null],
  ])('writes %j, a %s, as the cell %j with the style %j', async (value, type, cell, style) => {
    expect(await cellOf(value, type)).toEqual([cell, style])
  })

  it('cuts a text that is too long for a cell, between characters, and says so', async () => {
    for (const [text, length] of [
      ['x'.repeat(32_767), 32_767],
      ['x'.repeat(32_768), 32_767],
      [`x${'😀'.repeat(30_000)}`, 32_766],
      ['😀'.repeat(30_000), 32_767],
    ] as const) {
      const [cell] = await cellOf(text)
      const cut = String(cell)
      if (text.length <= 32_767) expect(cut).toBe(text)
      else {
        expect(cut.endsWith(`… [cut: ${text.length} characters]`)).toBe(true)
        expect(text.startsWith(cut.slice(0, cut.indexOf('…')))).toBe(true)
        expect(cut.isWellFormed()).toBe(true)
        expect(Math.abs(cut.length - length)).toBeLessThan(2)
      }
      expect(cut.length).toBeLessThanOrEqual(32_767)
    }
  })

  it('continues in further sheets, each with the heading', async () => {
    const rows = Array.from({ length: 25 }, (_, i): Row => ({ a: i }))
    const sheets = await workbook(rows, columnsOf(['a']), { rows: 11, bytes: Infinity })
    expect(sheets.map(({ cells }) => [cells.length, cells[0], cells[1]])).toEqual([
      [11, ['a'], [0]],
      [11, ['a'], [10]],
      [6, ['a'], [20]],
    ])
    expect(
      (await workbook(rows.slice(0, 20), columnsOf(['a']), { rows: 11, bytes: Infinity })).length,
    ).toBe(2)
    const long = Array.from({ length: 60 }, (): Row => ({ a: 'x'.repeat(30_000) }))
    expect(
      (await workbook(long, columnsOf(['a']), { rows: 1_000, bytes: 500_000 })).map(
        ({ cells }) => cells.length,
      ),
    ).toEqual([19, 19, 19, 7])
  })

  it('names columns beyond Z', async () => {
    const names = Array.from({ length: 703 }, (_, i) => `c${i}`)
    const [sheet] = await workbook([{ c26: 1, c702: 2 }], columnsOf(names))
    expect([sheet?.cells[0]?.[702], sheet?.cells[1]?.[26], sheet?.cells[1]?.[702]]).toEqual([
      'c702',
      1,
      2,
    ])
  })

  it('of no rows is a workbook with its heading', async () => {
    expect(
      (await read(writeRows(xlsxFormat, batches([]), columnsOf(['a', 'b'])))).map(
        ({ cells }) => cells,
      ),
    ).toEqual([[['a', 'b']]])
  })
})
