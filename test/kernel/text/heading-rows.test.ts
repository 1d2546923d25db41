import { expect, it } from 'vitest'
import { ColumnCounts } from '../../../src/kernel/text/heading-rows.ts'

const GOODS = [
  ['Pen', 3, '2.50'],
  ['Ink', 5, '4.20'],
  ['Cap', 8, '1.10'],
]

/** Whether a row below records has the names of another table, and whether it has other texts. */
function below(
  records: readonly (readonly (string | number | null)[])[],
  row: readonly (string | null)[],
  after: readonly (string | number | null)[],
): readonly boolean[] {
  const counts = new ColumnCounts()
  for (const record of records) counts.add(record)
  return [counts.areNamesIn(row, after), counts.areOthersIn(row, after)]
}

it('texts in all of several columns of values are the names of another table', () => {
  expect(below(GOODS, ['Box', 'Stock', 'Price'], ['Tin', 4, 5])).toEqual([true, false])
  // As a record with one text, without values below, with a gap or with the same text twice.
  expect(below(GOODS, ['Nib', '7', 'free'], ['Tin', 4, 5])).toEqual([false, false])
  expect(below(GOODS, ['Nib', 'none', 'free'], ['Tin', 'few', 5])).toEqual([false, false])
  expect(below(GOODS, ['Nib', null, 'free'], ['Tin', 4, 5])).toEqual([false, false])
  expect(below(GOODS, ['Nib', 'n/a', 'n/a'], ['Tin', 4, 5])).toEqual([false, false])
  expect(below(GOODS.slice(0, 1), ['Box', 'Stock', 'Price'], ['Tin', 4, 5])[0]).toBe(false)
})

it('one text in the only column of values is a record', () => {
  const prices = GOODS.map(([name = '', , price = '']) => [name, price])
  expect(below(prices, ['Nib', 'on request'], ['Box', '5.00'])).toEqual([false, false])
  const texts = [
    ['Pen', 'none'],
    ['Ink', 'few'],
  ]
  expect(below(texts, ['Nib', 'many'], ['Box', 3])).toEqual([false, false])
})

it('a table with other columns leaves one out, and has values where no record has one', () => {
  const makers = [
    ['Pen', 'Quill', 2],
    ['Ink', 'Seal', 4],
  ]
  expect(below(makers, ['City', 'Shops', null], ['Oslo', 3, null])).toEqual([false, true])
  expect(below(makers, ['Nib', 'Quill', null], ['Box', 'Seal', null])).toEqual([false, false])
  expect(below(makers, ['City', 'Shops', null], ['Oslo', 3, 4])).toEqual([false, false])
  expect(below(makers.slice(1), ['City', 'Shops', null], ['Oslo', 3, null])[1]).toBe(false)
})
