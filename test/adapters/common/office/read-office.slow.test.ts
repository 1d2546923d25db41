import { expect, it } from 'vitest'
import { readOffice } from '../../../../adapters/node/page-office.ts'
import { makeXlsx, sheetRows } from '../../../support/fakes/make-office.ts'

it('a workbook says which sheets, rows, columns and characters it leaves out', async () => {
  const read = async (...rows: readonly string[]) => {
    const sheets = rows.map((cells, index) => ({ name: `S${index}`, rows: cells }))
    const text = await readOffice('xlsx', await makeXlsx(sheets))
    if (!('tables' in text)) throw new Error('it is no workbook')
    const { pages, pagesRead, cutAt, cellsCutAt, spent, tables = [], texts } = text
    const sizes = tables.map((table) => table.rows.length)
    return { pages, pagesRead, cutAt, cellsCutAt, cuts: spent?.cuts, sizes, texts: texts.length }
  }
  const whole = { cutAt: undefined, cellsCutAt: undefined, cuts: undefined }
  const wide = (columns: number): string => `<row r="1">${'<c><v>1</v></c>'.repeat(columns)}</row>`
  const tall = (rows: number): string =>
    wide(999) +
    sheetRows(
      Array.from({ length: rows - 1 }, () => [1]),
      2,
    )
  expect(await read(wide(1_000))).toMatchObject({ ...whole, sizes: [1] })
  expect(await read(wide(1_001))).toMatchObject({
    ...whole,
    cuts: [{ what: 'columns of a document', limit: 1_000, where: 'page' }],
  })
  // So many cells are 1,001 rows of 999 columns, and one more.
  expect(await read(tall(1_002))).toMatchObject({ cellsCutAt: 1_000_000, sizes: [1_001] })
  expect(await read(tall(1_001), wide(1), wide(2))).toMatchObject({
    cellsCutAt: 1_000_000,
    sizes: [1_001, 1],
    pages: 3,
    pagesRead: 2,
  })
  const long = sheetRows(Array.from({ length: 40 }, () => ['x'.repeat(30_000)]))
  expect(await read(long, wide(1))).toMatchObject({ ...whole, cutAt: 1_000_000, texts: 1 })
  expect(await read(...Array.from({ length: 501 }, () => wide(1)))).toMatchObject({
    ...whole,
    pages: 501,
    pagesRead: 500,
  })
})

it('a workbook counts a sheet as read if the budget held it, and no other', async () => {
  const rows = sheetRows(Array.from({ length: 3_000 }, (_, index) => [index]))
  const sheets = Array.from({ length: 6 }, (_, index) => ({ name: `S${index}`, rows }))
  const limits = { steps: 1_000_000, bytes: 33_554_432 }
  const text = await readOffice(
    'xlsx',
    await makeXlsx([...sheets, { name: 'E', rows: '' }]),
    limits,
  )
  const { tables = [], ...facts } = 'tables' in text ? text : { ...text, tables: [] }
  expect(tables.length).toBeGreaterThan(1)
  expect(tables.length).toBeLessThan(6)
  expect(facts).toMatchObject({ pages: 7, pagesRead: tables.length })
  expect(tables.map((table) => table.rows.length)).toEqual(tables.map(() => 3_000))
  const empty = await readOffice('xlsx', await makeXlsx([{ name: 'E', rows: '' }]))
  expect(empty).toMatchObject({ pages: 1, pagesRead: 1, tables: [{ name: 'E', rows: [] }] })
  expect(empty).toMatchObject({ text: '', texts: [''] })
})

it('a workbook pays for a cell when it is read, and when it is compared with those above it', async () => {
  const spentFor = async (width: number): Promise<number> => {
    const cells = Array.from({ length: width }, () => 7)
    const rows = sheetRows(Array.from({ length: 1_000 }, () => cells))
    const { spent } = await readOffice('xlsx', await makeXlsx([{ name: 'A', rows }]))
    return spent?.steps ?? 0
  }
  // Its tags and characters take about 22, and each time that it is looked at takes 4.
  expect((await spentFor(9)) - (await spentFor(8))).toBeGreaterThanOrEqual(29_000)
})

it('a workbook pays for merged ranges by their cells', async () => {
  const rows = sheetRows(Array.from({ length: 1_000 }, (_, index) => [index, 'x']))
  const spentFor = async (range: string, count: number): Promise<number> => {
    const after = `<mergeCells>${`<mergeCell ref="${range}"/>`.repeat(count)}</mergeCells>`
    const { spent } = await readOffice('xlsx', await makeXlsx([{ name: 'A', rows, after }]))
    return spent?.steps ?? 0
  }
  const [few, many] = [await spentFor('A1:B10', 100), await spentFor('A1:B1000', 100)]
  expect(many - few).toBeGreaterThan(100 * 2 * 900)
  // The cells of all ranges are bounded, and a range without cells has none.
  expect((await spentFor('A1:B1000', 2_000)) - many).toBeLessThan(4_000_000)
  expect((await spentFor('C1:D1000', 100)) - few).toBeLessThan(10_000)
})
