import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fromBase64Url, isBase64Url, toBase64Url } from '../../src/kernel/bytes.ts'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

it('any bytes are encoded in characters that are safe in URLs, and decoded again', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const text = toBase64Url(bytes)
      expect(text).toMatch(/^[\w-]*$/)
      expect(text).toBe(Buffer.from(bytes).toString('base64url'))
      expect([...(fromBase64Url(text) ?? [])]).toEqual([...bytes])
    }),
  )
})

it.each(['A', 'AB', 'AA==', 'AA+A', 'AA/A', 'A A', 'AAA\n', 'é'])(
  'another spelling is refused: %j',
  (text) => {
    expect(fromBase64Url(text)).toBeNull()
  },
)

it('each sequence of bytes has exactly one text', () => {
  const text = fc.oneof(
    fc.string({ unit: fc.constantFrom(...ALPHABET), maxLength: 9 }),
    fc.string({
      unit: fc.constantFrom(...ALPHABET, '=', '+', '/', ' ', '\n', '\0', '\u00e9', '\ud800'),
      maxLength: 9,
    }),
  )
  fc.assert(
    fc.property(text, (one) => {
      const bytes = fromBase64Url(one)
      expect(bytes !== null).toBe(isBase64Url(one))
      if (bytes) expect(toBase64Url(bytes)).toBe(one)
    }),
    { numRuns: 2_000 },
  )
})

it('the last character is one of 4, 16 or 64', () => {
  const right = (before: string) =>
    [...ALPHABET].filter((last) => isBase64Url(before + last)).length
  expect([right(''), right('A'), right('AA'), right('AAA')]).toEqual([0, 4, 16, 64])
})
