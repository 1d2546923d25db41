import { expect, it } from 'vitest'
import { makeDocx, paragraph } from '../../../support/fakes/make-office.ts'
import { DOCX, pageOf, rowsOf } from '../../../support/office-page.ts'

/** A cell: its text, and how many columns it covers. `↓`: it reaches down; `↑`: it is reached. */
type Cell = string | readonly [text: string, width: number]

function cellOf(cell: Cell, isBold: boolean): string {
  const [text, width] = typeof cell === 'string' ? [cell, 1] : cell
  const down = text.endsWith('↓') ? '<w:vMerge w:val="restart"/>' : ''
  const merged = text === '↑' ? '<w:vMerge/>' : down
  const wide = width > 1 ? `<w:gridSpan w:val="${width}"/>` : ''
  return `<w:tc><w:tcPr>${wide}${merged}</w:tcPr>${paragraph(text.replace(/[↓↑]/, ''), '', isBold)}</w:tc>`
}

/** A table of which so many rows are bold, or are marked by the writer. */
function tableOf(
  rows: readonly (readonly Cell[])[],
  { bold = 1, marked = 0 }: { bold?: number; marked?: number } = {},
): string {
  const lines = rows.map((cells, row) => {
    const mark = row < marked ? '<w:trPr><w:tblHeader/></w:trPr>' : ''
    return `<w:tr>${mark}${cells.map((cell) => cellOf(cell, row < bold)).join('')}</w:tr>`
  })
  return `<w:tbl>${lines.join('')}</w:tbl>`
}

const read = async (table: string): Promise<unknown> =>
  rowsOf(await pageOf(await makeDocx(table), DOCX), { extract: 'auto' })

const GOODS = [
  ['Cup', '1', '20'],
  ['Pot', '3', '40'],
  ['Pan', '5', '60'],
]
const TEXTS = [
  ['Cup', 'blue', 'a large one'],
  ['Pot', 'red', 'a small one'],
  ['Pan', 'grey', 'a new one'],
]
/** The records of rows below these names. */
const recordsOf = (names: readonly string[], rows: readonly (readonly string[])[]) =>
  rows.map((cells) =>
    Object.fromEntries(
      names.map((name, column) => {
        const cell = cells[column] ?? ''
        return [name, /^\d+$/.test(cell) ? Number(cell) : cell]
      }),
    ),
  )

it('names that reach down in a Word table have all their rows, in whatever look', async () => {
  const years: Cell[][] = [
    ['Item↓', ['2025', 2]],
    ['↑', 'Units', 'Value'],
  ]
  const sold = recordsOf(['item', '2025_units', '2025_value'], GOODS)
  for (const look of [{ bold: 0 }, { bold: 1 }, { bold: 2 }, { bold: 0, marked: 1 }])
    expect(await read(tableOf([...years, ...GOODS], look)), JSON.stringify(look)).toEqual(sold)
  const described: Cell[][] = [
    ['Item↓', ['Description', 2]],
    ['↑', 'short', 'long'],
  ]
  expect(await read(tableOf([...described, ...TEXTS]))).toEqual(
    recordsOf(['item', 'description_short', 'description_long'], TEXTS),
  )
  const units: Cell[][] = [
    ['Item↓', 'Weight', 'Price'],
    ['↑', 'kg', 'EUR'],
  ]
  expect(await read(tableOf([...units, ...GOODS]))).toEqual(
    recordsOf(['item', 'weight_kg', 'price_eur'], GOODS),
  )
  const days: Cell[][] = [
    ['Item↓', ['Stock', 2]],
    ['↑', '31.12.2025', '31.12.2024'],
  ]
  expect(await read(tableOf([...days, ...GOODS]))).toEqual(
    recordsOf(['item', 'stock_31_12_2025', 'stock_31_12_2024'], GOODS),
  )
})

it('three rows of names in a Word table are names, if the first one alone looks so', async () => {
  const names: Cell[][] = [
    ['Item↓', ['Sales', 4]],
    ['↑', ['2025', 2], ['2024', 2]],
    ['↑', 'Units', 'Value', 'Units', 'Value'],
  ]
  const rows = GOODS.map((cells) => [...cells, '7', '80'])
  const columns = ['2025_units', '2025_value', '2024_units', '2024_value']
  expect(await read(tableOf([...names, ...rows]))).toEqual(
    recordsOf(['item', ...columns.map((name) => `sales_${name}`)], rows),
  )
})

it('parts are names below names of a Word table that reach over them, if they cannot be records', async () => {
  const teams: Cell[] = [
    ['Home', 2],
    ['Away', 2],
  ]
  const players = [
    ['Ann', 'Rome', 'Bob', 'Oslo'],
    ['Cid', 'Lund', 'Dee', 'Bern'],
    ['Eve', 'Graz', 'Fay', 'Nice'],
  ]
  expect(await read(tableOf([teams, ['Name', 'City', 'Name', 'City'], ...players]))).toEqual(
    recordsOf(['home_name', 'home_city', 'away_name', 'away_city'], players),
  )
  const numbers = GOODS.map(([, ...cells]) => [...cells, '7', '80'])
  const parts = ['Low', 'High', 'Least', 'Most']
  expect(await read(tableOf([teams, parts, ...numbers]))).toEqual(
    recordsOf(['home_low', 'home_high', 'away_least', 'away_most'], numbers),
  )
  // A first record without a price, such as `free`, is none of these.
  const prices: Cell[] = [
    ['Product', 2],
    ['Price', 2],
  ]
  const products = [
    ['Cup', 'blue', 'free', 'gratis'],
    ...TEXTS.flatMap(([name = '', colour = '']) => [
      [name, colour, '3', '4'],
      [name, `dark ${colour}`, '5', '6'],
    ]),
  ]
  expect(await read(tableOf([prices, ...products]))).toHaveLength(products.length)
})

it('a cell at the side of a Word table stands beside its records, also if it begins above', async () => {
  const people = [
    ['Ann', 'Paris'],
    ['Bob', 'Rome'],
    ['Cid', 'Oslo'],
  ]
  const left = tableOf([['Team↓', 'Name', 'City'], ...people.map((cells) => ['↑', ...cells])])
  const marked = tableOf([['Team↓', 'Name', 'City'], ...people.map((cells) => ['↑', ...cells])], {
    marked: 1,
  })
  const beside = people.map((cells) => ['Team', ...cells])
  for (const table of [left, marked])
    expect(await read(table)).toEqual(recordsOf(['team', 'name', 'city'], beside))
  const right = tableOf([['Name', 'City', 'Notes↓'], ...people.map((cells) => [...cells, '↑'])])
  expect(await read(right)).toEqual(
    recordsOf(
      ['name', 'city', 'notes'],
      people.map((cells) => [...cells, 'Notes']),
    ),
  )
  const prices = ['free', '3', '4', '5', '6', '7', '8']
  const priced = tableOf(
    [['Shop↓', 'Item', 'Price'], ...prices.map((price, row) => ['↑', `Cup no. ${row}`, price])],
    { bold: 0 },
  )
  expect(await read(priced)).toHaveLength(prices.length)
  // The records of the first section, whose names are those of the table.
  const sections = tableOf([
    ['North↓', 'Name', 'Price'],
    ['↑', 'Apple', '2'],
    ['↑', 'Pear', '3'],
    ['South↓', 'Fig', '4'],
    ['↑', 'Date', '5'],
  ])
  expect(await read(sections)).toEqual(
    recordsOf(
      ['north', 'name', 'price'],
      [
        ['North', 'Apple', '2'],
        ['North', 'Pear', '3'],
        ['South', 'Fig', '4'],
        ['South', 'Date', '5'],
      ],
    ),
  )
})

it('a name of a Word table that reaches over the first record is not a value of it', async () => {
  const records = [
    { item: 'Cup', note: null },
    { item: 'Pot', note: 'new' },
    { item: 'Pan', note: 'old' },
  ]
  const rows: Cell[][] = [
    ['Pot', 'new'],
    ['Pan', 'old'],
  ]
  const table = [['Item', 'Note↓'], ['Cup', '↑'], ...rows]
  expect(await read(tableOf(table))).toEqual(records)
  expect(await read(tableOf(table, { marked: 1 }))).toEqual(records)
})
