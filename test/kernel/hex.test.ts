import fc from 'fast-check'
import { expect, it } from 'vitest'
import { hex8 } from '../../src/kernel/bytes.ts'

it('any 32-bit word, signed or not, is written as eight hex digits', () => {
  for (const word of [0, 1, -1, 0x80000000, 0x0fffffff])
    expect(hex8(word)).toBe((word >>> 0).toString(16).padStart(8, '0'))
  fc.assert(
    fc.property(
      fc.integer({ min: -0x80000000, max: 0xffffffff }),
      (word) => void expect(hex8(word)).toBe((word >>> 0).toString(16).padStart(8, '0')),
    ),
  )
})
