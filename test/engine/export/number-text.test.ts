import fc from 'fast-check'
import { expect, it } from 'vitest'
import { numberText } from '../../../src/engine/export/cells.ts'

it('the text of a number is the one that String makes', () => {
  for (const number of [
    0,
    -0,
    7,
    999,
    1_000,
    1_001,
    10_010,
    999_999,
    1_000_000,
    -1,
    0.1,
    1e21,
    5e-324,
    Number.MAX_SAFE_INTEGER,
  ])
    expect(numberText(number)).toBe(String(number))
  fc.assert(
    fc.property(
      fc.oneof(
        fc.integer({ min: -10, max: 1_000_010 }),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
      ),
      (number) => void expect(numberText(number)).toBe(String(number)),
    ),
  )
})
