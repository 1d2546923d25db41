import { expect, it } from 'vitest'
import { withHeadings } from '../../../../adapters/common/office/word-headings.ts'

const cellOf = (value: string): object => ({ type: 'tableCell', children: [{ value }] })

it('a row may have more cells than a function has arguments', () => {
  const cells = new Array<object>(200_000).fill(cellOf(''))
  const rows = [
    { children: [...['Name', 'Maker', 'Price'].map(cellOf), ...cells], isHeader: false },
    { children: ['Pen', 'Quill', '2'].map(cellOf) },
    { children: ['Ink', 'Seal', '4'].map(cellOf) },
  ]
  withHeadings({ children: [{ type: 'table', children: rows }] })
  expect(rows[0]?.isHeader).toBe(true)
})
