import { expect, test } from 'vitest'
import { FORMATTING, traitsOf } from '../../../../src/engine/extract/tree/element-traits.ts'
import { OpenElements } from '../../../../src/engine/extract/tree/open-elements.ts'

const SPAN = traitsOf('span')
const BOLD = traitsOf('b')

test('however many elements are inserted at one level, a search finds the topmost', () => {
  const open = new OpenElements({ copies: 0, mostCopies: 0 })
  for (let level = 0; level < 60; level++) open.push(SPAN, {})
  const bold = Array.from({ length: 200 }, () => open.append(BOLD, {}, open.document))
  for (const [count, element] of bold.entries()) {
    open.insertAt(30, element, BOLD.bits)
    expect(open.top(0, 'b')).toBe(30 + count)
    expect(open.top(FORMATTING)).toBe(30 + count)
  }
  for (let left = bold.length; left > 0; left--) {
    expect(open.top(0, 'b')).toBe(29 + left)
    open.removeAt(30)
  }
  expect(open.top(0, 'b')).toBe(-1)
  expect(open.top(0, 'span')).toBe(59)
})
