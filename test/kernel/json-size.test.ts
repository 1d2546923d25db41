import fc from 'fast-check'
import { expect, it } from 'vitest'
import { jsonSize } from '../../src/kernel/json.ts'

it('the size is close to the length of the JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const length = JSON.stringify(value).length
      expect(jsonSize(value)).toBeGreaterThanOrEqual(length / 6 - 30)
      expect(jsonSize(value)).toBeLessThanOrEqual(length * 5 + 10)
    }),
  )
})

it('counting stops soon after the wanted size', () => {
  let looked = 0
  const list = Array.from({ length: 1_000 }, () => ({
    get text() {
      looked++
      return 'x'.repeat(100)
    },
  }))
  expect(jsonSize(list, 1_000)).toBeLessThan(1_300)
  expect(looked).toBeLessThan(12)
})
