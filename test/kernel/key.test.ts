import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeKey, encodeKey, prefixRange } from '../../src/kernel/key.ts'
import type { Key, KeyPart } from '../../src/kernel/key.ts'
import { codePoint } from '../support/any-text.ts'

const part: fc.Arbitrary<KeyPart> = fc.oneof(
  fc.string({ unit: codePoint }).filter((text) => text.isWellFormed()),
  fc.string({
    unit: fc.constantFrom(
      '\u0000',
      '\u0001',
      '\u0002',
      '\u0003',
      '\u0010',
      '\u0011',
      '\u007f',
      '\u0080',
      'a',
      '\uffff',
      '\u{10ffff}',
    ),
  }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
)
const key: fc.Arbitrary<Key> = fc.array(part, { maxLength: 4 })

const utf8 = new TextEncoder()

function compareParts(a: KeyPart, b: KeyPart): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (typeof a === 'string' && typeof b === 'string')
    return Buffer.compare(utf8.encode(a), utf8.encode(b))
  return typeof a === 'string' ? -1 : 1
}

function compareKeys(a: Key, b: Key): number {
  for (const [i, x] of a.entries()) {
    const y = b[i]
    if (y === undefined) return 1
    const order = compareParts(x, y)
    if (order !== 0) return order
  }
  return a.length - b.length
}

describe('encodeKey', () => {
  it('orders keys part by part, strings by bytes before numbers by value', () => {
    fc.assert(
      fc.property(key, key, (a, b) => {
        const [x, y] = [encodeKey(a), encodeKey(b)]
        expect(Math.sign(x < y ? -1 : x > y ? 1 : 0)).toBe(Math.sign(compareKeys(a, b)))
      }),
      { numRuns: 2_000 },
    )
  })

  it('is reversed by decodeKey, with -0 as 0', () => {
    fc.assert(
      fc.property(key, (parts) => {
        expect(decodeKey(encodeKey(parts))).toEqual(parts.map((one) => (one === 0 ? 0 : one)))
      }),
      { numRuns: 2_000 },
    )
  })

  it('never uses the byte NUL', () => {
    fc.assert(
      fc.property(key, (parts) => {
        expect(encodeKey(parts)).toMatch(/^[\u0001-\u00ff]*$/)
      }),
    )
  })

  it('begins with the encoding of every prefix of the key, and is in the range of the prefix', () => {
    fc.assert(
      fc.property(key, key, (prefix, rest) => {
        const encoded = encodeKey([...prefix, ...rest])
        const { from, to } = prefixRange(prefix)
        expect(encoded.startsWith(encodeKey(prefix))).toBe(true)
        expect(encoded >= from && encoded < to).toBe(rest.length > 0)
      }),
    )
  })

  it('is outside of the range of a prefix for keys without the prefix', () => {
    fc.assert(
      fc.property(key, key, (prefix, other) => {
        const has =
          other.length > prefix.length &&
          prefix.every((one, i) => compareParts(one, other[i] ?? '') === 0)
        const { from, to } = prefixRange(prefix)
        const encoded = encodeKey(other)
        expect(encoded >= from && encoded < to).toBe(has)
      }),
      { numRuns: 1_000 },
    )
  })

  it('refuses values that have no place in the order', () => {
    for (const bad of [
      Number.NaN,
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
      '\ud800',
      'a\udc00',
    ]) {
      expect(() => encodeKey(['a', bad])).toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }))
    }
  })
})
