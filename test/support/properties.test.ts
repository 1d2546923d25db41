import fc from 'fast-check'
import { expect, test } from 'vitest'

test('a property reaches its stated length, and not only the default of ten', () => {
  const lists = fc.sample(fc.array(fc.nat(), { maxLength: 60 }), { numRuns: 100 })
  expect(Math.max(...lists.map(({ length }) => length))).toBeGreaterThan(50)
})
