import { afterAll, beforeAll, expect, it } from 'vitest'
import { readXlsx } from '../../adapters/common/office/read-xlsx.ts'
import { PageBudget } from '../../src/engine/extract/page/page-budget.ts'
import { readPdf } from '../../src/engine/pdf/read-pdf.ts'
import { LibreOffice } from './libre-office.ts'

let office: LibreOffice
beforeAll(async () => {
  office = await LibreOffice.open()
})
afterAll(async () => office[Symbol.asyncDispose]())

const NAMES = ['office', 'table', 'text', 'style', 'number', 'fo', 'of'] as const
const URNS: Readonly<Record<(typeof NAMES)[number], string>> = {
  office: 'urn:oasis:names:tc:opendocument:xmlns:office:1.0',
  table: 'urn:oasis:names:tc:opendocument:xmlns:table:1.0',
  text: 'urn:oasis:names:tc:opendocument:xmlns:text:1.0',
  style: 'urn:oasis:names:tc:opendocument:xmlns:style:1.0',
  number: 'urn:oasis:names:tc:opendocument:xmlns:datastyle:1.0',
  fo: 'urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0',
  of: 'urn:oasis:names:tc:opendocument:xmlns:of:1.2',
}

/**
 * A sheet of LibreOffice: pens, each with a price and a day, and a sum; with or without lines
 * around cells.
 */
function sheet(rows: number, lines: boolean): Uint8Array {
  const style = (text: string): string =>
    `<table:table-cell table:style-name="c" office:value-type="string"><text:p>${text}</text:p></table:table-cell>`
  const cells = Array.from(
    { length: rows },
    (_, index) =>
      `<table:table-row${index === 1 ? ' table:visibility="filter"' : ''}>` +
      `${style(`Pen of the kind ${index}`)}<table:table-cell table:style-name="c" ` +
      `office:value-type="float" office:value="${index + 0.5}"><text:p>${index + 0.5}` +
      '</text:p></table:table-cell><table:table-cell table:style-name="d" ' +
      `office:value-type="date" office:date-value="2026-02-0${1 + (index % 9)}` +
      '"><text:p/></table:table-cell><table:table-cell table:style-name="c" ' +
      `table:formula="of:=[.B${index + 3}]*2" office:value-type="float" office:value="0">` +
      '<text:p/></table:table-cell></table:table-row>',
  )
  const border = lines
    ? '<style:table-cell-properties fo:border="0.5pt solid #000000"/>'
    : '<style:table-cell-properties/>'
  return new TextEncoder()
    .encode(`<?xml version="1.0" encoding="UTF-8"?><office:document ${NAMES.map((name) => `xmlns:${name}="${URNS[name]}"`).join(' ')} office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.spreadsheet">
<office:automatic-styles><number:date-style style:name="iso"><number:year number:style="long"/><number:text>-</number:text><number:month number:style="long"/><number:text>-</number:text><number:day number:style="long"/></number:date-style><style:style style:name="c" style:family="table-cell">${border}</style:style><style:style style:name="d" style:family="table-cell" style:data-style-name="iso">${border}</style:style><style:style style:name="w" style:family="table-column"><style:table-column-properties style:column-width="1.6in"/></style:style></office:automatic-styles>
<office:body><office:spreadsheet><table:table table:name="Pens"><table:table-column table:style-name="w" table:number-columns-repeated="4"/>
<table:table-row><table:table-cell table:number-columns-spanned="4" office:value-type="string"><text:p>Prices of pens</text:p></table:table-cell><table:covered-table-cell table:number-columns-repeated="3"/></table:table-row>
<table:table-row>${['Name', 'Price', 'Since', 'Double'].map(style).join('')}</table:table-row>${cells.join('')}</table:table></office:spreadsheet></office:body></office:document>`)
}

const shown = (count: number): number[] =>
  Array.from({ length: count }, (_, index) => index).filter((index) => index !== 1)

it('a workbook that LibreOffice writes has its dates, formulas, merged and hidden cells', async () => {
  const { tables } = await readXlsx(
    await office.convert(sheet(5, true), 'fods', 'xlsx'),
    (part, spent) => PageBudget.forDocument(undefined, part, spent),
  )
  expect(tables).toMatchObject([
    {
      name: 'Pens',
      rows: [
        Array.from({ length: 4 }, () => 'Prices of pens'),
        ['Name', 'Price', 'Since', 'Double'],
        ...shown(5).map((index) => [
          `Pen of the kind ${index}`,
          index + 0.5,
          `2026-02-0${index + 1}`,
          2 * index + 1,
        ]),
      ],
    },
  ])
})

it.each([true, false])(
  'the PDF of that workbook has the same rows, with lines around cells: %s',
  async (lines) => {
    const file = await office.convert(sheet(120, lines), 'fods', 'pdf')
    const { tables = [], pages } = await readPdf(file, new AbortController().signal)
    expect(pages).toBeGreaterThan(1)
    const rows = tables.flatMap((table) => table.rows.map((row) => row.join('|')))
    const csvLines = shown(120).map((index) =>
      [`Pen of the kind ${index}`, index + 0.5, `2026-02-0${1 + (index % 9)}`, 2 * index + 1].join(
        '|',
      ),
    )
    expect(csvLines.filter((row) => !rows.includes(row))).toEqual([])
  },
)
