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
