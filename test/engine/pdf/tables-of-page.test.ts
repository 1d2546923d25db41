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
