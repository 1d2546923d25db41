import fc from 'fast-check'
import { expect, it } from 'vitest'
import { itemKeyOf, keyValuesOf } from '../../../src/features/datasets/item-key.ts'
import { shortDigest } from '../../../src/defaults/short-digest.ts'
import { encodeKey } from '../../../src/kernel/key.ts'
import { codePoint } from '../../support/any-text.ts'

const keyOf = (values: Parameters<typeof itemKeyOf>[0]): string => itemKeyOf(values, shortDigest)

it('a row has no key if a key field has no value', () => {
  expect(keyValuesOf({ a: 1, b: 'x' }, ['b', 'a'])).toEqual(['x', 1])
  expect(keyValuesOf({ a: 0, b: false }, ['a', 'b'])).toEqual([0, false])
  for (const row of [{ a: 1 }, { a: 1, b: null }, { a: 1, b: '' }])
    expect(keyValuesOf(row, ['a', 'b'])).toBeNull()
  expect(keyValuesOf({}, ['constructor'])).toBeNull()
})

it('equal texts of values of different types give different keys', () => {
  expect(keyOf([5])).not.toBe(keyOf(['5']))
  expect(keyOf(['a', 'b'])).not.toBe(keyOf(['a,b']))
})

it('each value has one key, of bounded length and fit for a store, whatever the text', () => {
  const text = fc.oneof(
    fc.string({ unit: codePoint, maxLength: 300 }),
    fc.string({ unit: fc.constantFrom('😀', 'a', '\ud800'), minLength: 90, maxLength: 300 }),
  )
  fc.assert(
    fc.property(text, text, (a, b) => {
      const [one, other] = [keyOf([a]), keyOf([b])]
      expect(one.length).toBeLessThanOrEqual(200)
      expect(one === other).toBe(a === b)
      expect(() => encodeKey([one])).not.toThrow()
    }),
  )
})
