import { expect, it } from 'vitest'
import { joinTables, tablesOfPage } from '../../../src/engine/pdf/tables-of-page.ts'

const NO_RULES = { horizontal: [], vertical: [] }

it('a table with a text instead of a number goes on on the next page', () => {
  const columns = [10, 100]
  const first = [
    ['Item', 'Price'],
    ['Pen', '2.50'],
    ['Ink', '4.20'],
  ]
  const second = [
    ['Nib', 'on request'],
    ['Box', '5.00'],
  ]
  const pages = [first, second].map((rows) => [{ top: 0, bottom: 1, columns, rows }])
  expect(joinTables(pages)).toEqual([{ name: null, page: 1, rows: [...first, ...second] }])
})

it('a first row that is written again is left out if it has names, and no values', () => {
  const columns = [10, 100, 200]
  const join = (first: readonly (string | null)[]): number => {
    const rows = [first, ['Large', '4.50', '5.00'], ['Huge', '6.50', '7.00']]
    const pages = [
      [
        { top: 0, bottom: 1, columns, rows },
        { top: 2, bottom: 3, columns, rows },
      ],
    ]
    expect(joinTables(pages)).toHaveLength(1)
    return joinTables(pages)[0]?.rows.length ?? 0
  }
  expect(join(['Small', '2.50', '3.00'])).toBe(6)
  expect(join(['Size', 'Cup', 'Mug'])).toBe(5)
  expect(join([null, '2025', '2024'])).toBe(5)
  expect(join([null, '31.12.2025', '31.12.2024'])).toBe(5)
})

const body = (columns: number, from: number) =>
  Array.from({ length: 3 }, (_, row) => [
    `Acme ${from + row}`,
    ...Array.from({ length: columns - 1 }, (__, column) => String(100 * row + 7 * column + from)),
  ])
/** Tables with the same columns, as so many pages have them. */
const pagesOf = (...pages: readonly (readonly (readonly (string | null)[])[])[][]) =>
  pages.map((tables) =>
    tables.map((rows) => ({
      top: 0,
      bottom: 1,
      columns: (rows[0] ?? []).map((_, column) => 80 * column),
      rows,
    })),
  )

it('a heading is left out on each further page, also if it has ranges, times or numbers', () => {
  for (const head of [
    ['Customer', '0-30', '31-60', '90+'],
    ['Account', '01/2025', '02/2025'],
    ['Account', '2024/25', '2025/26'],
    ['Stop', '06:00', '07:00'],
    ['Size', '36', '37', '38'],
    ['Account', '31.12.', '30.6.'],
    ['Account', '1.1.–31.3.2025', '1.4.–30.6.2025'],
  ]) {
    const parts = [0, 3, 6].map((from) => body(head.length, from))
    const rows = [head, ...parts.flat()]
    const tables = parts.map((part) => [head, ...part])
    const joined = [{ name: null, page: 1, rows }]
    expect(joinTables(pagesOf(...tables.map((table) => [table]))), head.join()).toEqual(joined)
    // Two sections of a page have it each.
    expect(joinTables(pagesOf(tables)), head.join()).toEqual(joined)
  }
  const weights = ['Weight', '0.5', '2.0']
  const pages = [0, 3].map((from) => [[weights, ...body(3, from)]])
  expect(joinTables(pagesOf(...pages))[0]?.rows).toEqual([weights, ...body(3, 0), ...body(3, 3)])
})

it('a heading of days stands above days, and one cell below may be unlike the others', () => {
  const odd = ['Ann', '5-6', '9']
  for (const [head, under] of [
    [
      ['Loan', '31.12.2023', '31.12.2024'],
      ['House', '1.2.2023', '3.4.2024'],
    ],
    [
      ['Course', '01.03.2026', '01.04.2026'],
      ['Chess', '12.03.2026', 'full'],
    ],
    [['Customer', '0-30', '31-60'], odd],
    [
      ['Customer', '0-30', '31-60', '90+'],
      [...odd, '3-4'],
    ],
  ] as const) {
    const rows = [[...under], ...body(head.length, 0), ...body(head.length, 3)]
    const tables = [0, 1, 2].map(() => [[[...head], ...rows]])
    expect(joinTables(pagesOf(...tables))[0]?.rows, head.join()).toEqual([
      head,
      ...rows,
      ...rows,
      ...rows,
    ])
  }
})

it('a first row that was a record on its page is one on the next page, too', () => {
  const hours = [
    ['Mon', '09:00', '17:00'],
    ['Tue', '09:00', '17:00'],
    ['Sat', '10:00', '12:00'],
  ]
  expect(joinTables(pagesOf([hours, hours], [hours]))[0]?.rows).toEqual([
    ...hours,
    ...hours,
    ...hours,
  ])
})

it('a first record that is the same on the next page is kept', () => {
  for (const rows of [
    [
      ['Mon', '09:00', '17:00'],
      ['Tue', '08:00', '17:00'],
      ['Sat', 'closed', 'closed'],
    ],
    [
      ['Mon', '09:00', '17:00'],
      ['Tue', 'closed', 'closed'],
      ['Wed', '08:00', '17:00'],
    ],
    [
      ['4711', '2', '9.50'],
      ['4719', '1', '3.10'],
      ['4720', '4', '12'],
    ],
    [
      ['101', '06:00', '07:00'],
      ['102', '08:00', '09:00'],
    ],
    [
      ['Pen', '12'],
      ['Ink', '9.50'],
      ['Nib', '3.25'],
    ],
    [
      ['Ann', '05.01.2026'],
      ['Bob', '06.01.2026'],
      ['Cid', '07.02.2026'],
    ],
    [
      ['05.01.2026', 'Rent', 'Ann'],
      ['06.01.2026', 'Food', 'Bob'],
      ['07.02.2026', 'Fuel', 'Ann'],
    ],
  ]) {
    expect(joinTables(pagesOf([rows], [rows]))[0]?.rows, rows.join()).toEqual([...rows, ...rows])
    // Nothing of the last page but this record.
    const alone = joinTables(pagesOf([rows], [rows.slice(0, 1)]))
    expect(alone[0]?.rows, rows.join()).toEqual([...rows, ...rows.slice(0, 1)])
  }
  const head = ['No', '10', '20']
  const rows = [
    ['1', '5', '6'],
    ['2', '7', '8'],
  ]
  const again = joinTables(pagesOf([[head, ...rows]], [[head, ...rows]]))
  expect(again[0]?.rows).toEqual([head, ...rows, ...rows])
})

it('all rows of names are left out on a further page, with the title if it is the same', () => {
  const names = [
    ['Item', '2025', '2025'],
    ['Item', 'Units', 'Value'],
  ]
  const titleOf = (text: string): string[] => [text, text, text]
  const join = (...titles: readonly string[]) =>
    joinTables(
      pagesOf(...titles.map((title, page) => [[titleOf(title), ...names, ...body(3, 3 * page)]])),
    )[0]?.rows
  const first = [titleOf('Sales'), ...names, ...body(3, 0)]
  expect(join('Sales', 'Sales')).toEqual([...first, ...body(3, 3)])
  expect(join('Sales', 'Returns')).toEqual([...first, titleOf('Returns'), ...body(3, 3)])
  // The end of a table may be too short to tell how many rows of names it has.
  const [, ...short] = pagesOf([[...names, ...body(3, 0)]], [names])
  const pages = [...pagesOf([[...names, ...body(3, 0)]]), ...short]
  expect(joinTables(pages)[0]?.rows).toEqual([...names, ...body(3, 0)])
})

/** Lines of 100 numbers, each line moved so that so many lines have no columns in common. */
const spread = (shifts: number) =>
  Array.from({ length: 6_000 }, (_, index) => {
    const line = Math.floor(index / 100)
    const left = 30 * (shifts * (index % 100) + (line % shifts))
    return { text: '12', left, right: left + 8, y: 12 * line, height: 8 }
  })

it('numbers that stand apart in a column are one, but not in very many parts', () => {
  const [table, ...others] = tablesOfPage(spread(6), NO_RULES)
  expect(table?.rows).toHaveLength(60)
  expect(table?.columns).toHaveLength(100)
  expect(others).toEqual([])
  expect(tablesOfPage(spread(10), NO_RULES)).toEqual([])
})
