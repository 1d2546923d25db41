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
