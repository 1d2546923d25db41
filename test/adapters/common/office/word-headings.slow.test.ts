import { expect, it } from 'vitest'
import { withHeadings } from '../../../../adapters/common/office/word-headings.ts'

const cellOf = (value: string, isBold: boolean): object => ({ children: [{ value }], isBold })

it('a row may have more cells than a function has arguments', () => {
  const names = ['Name', 'Maker'].map((name) => cellOf(name, true))
  const empty = {}
  const row = {
    children: [...names, ...Array.from({ length: 600_000 }, () => empty)],
    isHeader: false,
  }
  const below = { children: ['Pen', 'Quill'].map((text) => cellOf(text, false)) }
  withHeadings({ type: 'table', children: [row, below] })
  expect(row.isHeader).toBe(true)
})
