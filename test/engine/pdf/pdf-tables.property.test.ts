import { atOnce } from '../../../src/engine/extract/page/in-turns.ts'
import { expect, it } from 'vitest'
import { detect, detectAllParts } from '../../../src/engine/extract/auto.ts'
import { PageContent, START } from '../../../src/engine/extract/page/page-content.ts'
import { preparePage } from '../../../src/engine/extract/document/prepare-page.ts'
import { readPdf } from '../../../src/engine/pdf/read-pdf.ts'
import { compileRecipe } from '../../../src/engine/plan/compile.ts'
import { parseRecipe } from '../../../src/engine/recipe/parse-recipe.ts'
import type { DocumentTable } from '../../../src/ports/document-reader.ts'
import type { Page } from '../../../src/ports/page-processor.ts'
import { makePdfOf, objectsOf } from '../../support/fakes/make-pdf.ts'
import { makeTablesPdf } from '../../support/fakes/make-pdf-tables.ts'

const signal = new AbortController().signal
const URL_OF_IT = 'https://a.example/prices.pdf'

type Written = readonly [x: number, y: number, text: string]

/** A page with texts at their places, and with drawn lines. */
const drawn = (texts: readonly Written[], lines = ''): string =>
  `${lines}\n${texts.map(([x, y, text]) => `BT /F 10 Tf ${x} ${y} Td (${text}) Tj ET`).join('\n')}`

const fileOf = (...pages: string[]): Uint8Array => makePdfOf(objectsOf(pages), 3)

const tablesIn = async (body: Uint8Array): Promise<readonly DocumentTable[]> =>
  (await readPdf(body, signal)).tables ?? []

/** Rows of texts, 15 points apart. */
const grid = (rows: readonly (readonly string[])[], xs: readonly number[], top = 700): Written[] =>
  rows.flatMap((cells, row) =>
    cells.flatMap((cell, index): Written[] =>
      cell === '' ? [] : [[xs[index] ?? 0, top - 15 * row, cell]],
    ),
  )

const PRICES = [
  ['Name', 'Maker', 'Price'],
  ['Pen', 'Quill', '2.50'],
  ['Blue ink', '', '4.20'],
  ['Nib', 'Quill', '1.10'],
]
const XS = [50, 200, 350]

it('the rows of tables of many designs are read', async () => {
  let [hits, cells, read] = [0, 0, 0]
  for (let seed = 1; seed <= 40; seed++) {
    const { body, tables } = makeTablesPdf(seed)
    const left = new Map<string, number>()
    for (const row of tables.flatMap(({ rows }) => rows)) {
      const key = JSON.stringify(row.map((cell) => cell || null))
      left.set(key, (left.get(key) ?? 0) + 1)
      cells++
    }
    for (const row of (await tablesIn(body)).flatMap(({ rows }) => rows)) {
      const key = JSON.stringify(row)
      const count = left.get(key) ?? 0
      if (count > 0) hits++
      left.set(key, count - 1)
      read++
    }
  }
  expect(cells).toBeGreaterThan(500)
  expect((2 * hits) / (cells + read)).toBeGreaterThan(0.97)
})

it('a table is read by its alignment over several pages, with its heading once', async () => {
  const rest = [PRICES[0] ?? [], ['Wax', 'Seal', '3.00'], ['Paper', 'Mill', '9.00']]
  const body = fileOf(drawn(grid(PRICES, XS)), drawn(grid(rest, XS)))
  expect(await tablesIn(body)).toEqual([
    {
      name: null,
      page: 1,
      rows: [
        ['Name', 'Maker', 'Price'],
        ['Pen', 'Quill', '2.50'],
        ['Blue ink', null, '4.20'],
        ['Nib', 'Quill', '1.10'],
        ['Wax', 'Seal', '3.00'],
        ['Paper', 'Mill', '9.00'],
      ],
    },
  ])
})

it('lines around cells decide which lines of text belong together, and to which cells', async () => {
  const lines = [
    ...[715, 685, 655, 625].map((y) => `50 ${y} m 350 ${y} l S`),
    '50 715 m 50 625 l S 350 715 m 350 625 l S 200 685 m 200 625 l S',
  ].join(' ')
  const texts: Written[] = [
    [55, 700, 'Prices of the year'],
    [55, 672, 'A pen that writes'],
    [55, 660, 'for a long time'],
    [205, 672, '2.50'],
    [55, 640, 'Ink'],
    [205, 640, '4.20'],
  ]
  expect(await tablesIn(fileOf(drawn(texts, lines)))).toMatchObject([
    {
      rows: [
        ['Prices of the year', 'Prices of the year'],
        ['A pen that writes for a long time', '2.50'],
        ['Ink', '4.20'],
      ],
    },
  ])
})

it('a rotated page is read as it is shown', async () => {
  const turned = grid(PRICES, XS, 500)
    .map(([x, y, text]) => `BT /F 10 Tf 0 1 -1 0 ${600 - y} ${x} Tm (${text}) Tj ET`)
    .join('\n')
  const objects = objectsOf([turned]).map((object) =>
    object.dictionary.startsWith('/Type /Page /')
      ? { ...object, dictionary: `${object.dictionary} /Rotate 90` }
      : object,
  )
  const [table] = await tablesIn(makePdfOf(objects, 3))
  expect(table?.rows[1]).toEqual(['Pen', 'Quill', '2.50'])
})

it('a table that lies on its side is read, whichever way it is turned', async () => {
  for (const [matrix, place] of [
    ['0 1 -1 0', (x: number, y: number) => [600 - y, x]],
    ['0 -1 1 0', (x: number, y: number) => [y, 600 - x]],
    ['-1 0 0 -1', (x: number, y: number) => [500 - x, 800 - y]],
  ] as const) {
    const turned = grid(PRICES, XS, 500)
      .map(([x, y, text]) => `BT /F 10 Tf ${matrix} ${place(x, y).join(' ')} Tm (${text}) Tj ET`)
      .join('\n')
    const [table] = await tablesIn(fileOf(`${turned}\n${drawn([[50, 20, 'Page 1']])}`))
    expect(table?.rows).toEqual(PRICES.map((row) => row.map((cell) => cell || null)))
  }
})

const STOCK: readonly (readonly string[])[] = [
  ['Name', 'Price', 'Units'],
  ['Pen', '2.50', '12'],
  ['Ink', '4.20', '130'],
  ['Nib', '1.10', ''],
  ['Wax', '3.00', '7'],
]
/** Names at the left of wide columns, and numbers at their right. */
const wide = (rows: readonly (readonly string[])[], top = 700): Written[] => [
  ...grid(rows.slice(0, 1), [50, 200, 350], top),
  ...grid(rows.slice(1), [50, 290, 440], top - 15),
]

it('numbers at the right of a wide column are below the name at its left', async () => {
  expect(await tablesIn(fileOf(drawn(wide(STOCK))))).toMatchObject([
    { rows: STOCK.map((row) => row.map((cell) => cell || null)) },
  ])
  // Texts that stand in one of two columns by turns are two: both have names.
  const book = [
    ['Day', 'Debit', 'Credit'],
    ['Monday', '4.00', ''],
    ['Tuesday', '', '3.00'],
    ['Friday', '7.00', ''],
  ]
  const [accounts] = await tablesIn(fileOf(drawn(grid(book, XS))))
  expect(accounts?.rows).toEqual(book.map((row) => row.map((cell) => cell || null)))
})

it('a table below lines with fewer columns is one of its own, as in an invoice', async () => {
  const address = [
    ['Ida Lund', 'Number: 7'],
    ['Strand Street', 'Day: Monday'],
    ['Bergen', 'Due: Friday'],
  ]
  const texts = [...grid(address, [50, 380], 745), ...wide(STOCK, 690)]
  const tables = await tablesIn(fileOf(drawn(texts)))
  expect(tables.at(-1)?.rows).toEqual(STOCK.map((row) => row.map((cell) => cell || null)))
})

it('a table with other names is another one, though its columns are at the same positions', async () => {
  const makers = [
    ['Maker', 'Staff', 'Shops'],
    ['Quill', '12', '3'],
    ['Seal', '130', '11'],
  ]
  const texts = [...grid(STOCK, XS), [50, 600, 'Who made them'] as const, ...grid(makers, XS, 560)]
  expect((await tablesIn(fileOf(drawn(texts)))).map(({ rows }) => rows[0]?.[0])).toEqual([
    'Name',
    'Maker',
  ])
  const below = [['Total', '10.80', '149'], ...makers.slice(1)]
  expect(await tablesIn(fileOf(drawn(grid(STOCK, XS)), drawn(grid(below, XS))))).toHaveLength(1)
})

it('text in columns, lists and forms are not tables', async () => {
  const prose = 'The prices of this report hold until the year'
  const column = (x: number): Written[] =>
    Array.from({ length: 20 }, (_, row) => [x, 700 - 12 * row, `${prose.slice(row % 7)}`])
  const list = grid(
    Array.from({ length: 6 }, (_, index) => [`${index + 1}.`, `Ink of the kind ${index}`]),
    [50, 70],
  )
  for (const texts of [[...column(50), ...column(310)], list, column(50)])
    expect(await tablesIn(fileOf(drawn(texts)))).toEqual([])
})

it('a table becomes records by JSONPath, or by detection if it is most of the file', async () => {
  const page: Page = {
    url: URL_OF_IT,
    contentType: 'application/pdf',
    body: new Uint8Array(),
    document: await readPdf(fileOf(drawn(grid(PRICES, XS))), signal),
  }
  await preparePage(page)
  expect(detect(page)).toMatchObject({
    kind: 'table',
    extract: { items: '$.tables[0].rows[*]', fields: { Price: { json: '$.Price', as: 'number' } } },
  })
  const rowsOf = (extract: unknown) =>
    compileRecipe(parseRecipe({ start: { urls: [URL_OF_IT] }, extract })).process(page, {
      label: 'start',
      depth: 0,
      hop: 1,
    }).rows
  const expected = [
    { Name: 'Pen', Maker: 'Quill', Price: 2.5 },
    { Name: 'Blue ink', Maker: null, Price: 4.2 },
    { Name: 'Nib', Maker: 'Quill', Price: 1.1 },
  ]
  expect(rowsOf('auto')).toEqual(expected)
  expect(
    rowsOf({
      items: '$.tables[?(@.page==1)].rows[*]',
      fields: { Name: '$.Name', Maker: '$.Maker', Price: { json: '$.Price', as: 'number' } },
    }),
  ).toEqual(expected)
})

it('a table beside much text is offered, and is what a recipe that asks for a table gets', async () => {
  const prose = Array.from({ length: 20 }, (_, row): Written => [
    50,
    500 - 14 * row,
    `${row} of these prices hold until the end of the year`,
  ])
  const page: Page = {
    url: URL_OF_IT,
    contentType: 'application/pdf',
    body: new Uint8Array(),
    document: await readPdf(fileOf(drawn([...grid(PRICES, XS), ...prose])), signal),
  }
  await preparePage(page)
  expect(atOnce(detectAllParts(new PageContent(page, START))).map(({ kind }) => kind)).toEqual([
    'article',
    'table',
  ])
  const recipe = parseRecipe({ start: { urls: [URL_OF_IT] }, extract: { items: ':auto(table)' } })
  const visit = { label: 'start', depth: 0, hop: 1 }
  expect(compileRecipe(recipe).process(page, visit).rows).toMatchObject([
    { Name: 'Pen', Price: 2.5 },
    { Name: 'Blue ink', Price: 4.2 },
    { Name: 'Nib', Price: 1.1 },
  ])
})
