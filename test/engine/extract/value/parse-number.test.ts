import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseNumber } from '../../../../src/engine/extract/value/parse-number.ts'
import { cpuMs } from '../../../support/cpu-ms.ts'

test.each([
  ['$1,299.00', 1299],
  ['1.299,00 €', 1299],
  ['1 299,50', 1299.5],
  ['1\u00a0299,50 kr', 1299.5],
  ['1\u202f234', 1234],
  ["CHF 1'299.50", 1299.5],
  ['(5)', -5],
  ['($1,200)', -1200],
  ['-7.5%', -7.5],
  ['−3', -3],
  ['$-4', -4],
  ['-$4.20', -4.2],
  ['4.5 out of 5', 4.5],
  ['from 12 to 15', 12],
  ['Rated 4 of 5', 4],
  ['1,299', 1299],
  ['1.299', 1.299],
  ['1.299 €', 1299],
  ['12,5', 12.5],
  ['1,234,567.891', 1234567.891],
  ['1.234.567', 1234567],
  ['.5', 0.5],
  ['£.99', 0.99],
  ['1e3', 1000],
  ['3 reviews', 3],
  ['0', 0],
  ['007', 7],
  ['10-20', 10],
  ['2024-01-05', 2024],
  ['Model X200', 200],
  ['0,500', 0.5],
  ['50 % off 12', 50],
  ['12.', 12],
  ['1,2,3', 1],
  ['12 34', 12],
  ['€ 5,-', 5],
  ['(about) 5', 5],
  ['(5) reviews', -5],
])('%s is %d', (text, expected) => expect(parseNumber(text)).toBe(expected))

test.each(['', 'none', '$', '-', '9'.repeat(400), '1e999'])('%s is none', (text) =>
  expect(parseNumber(text)).toBeNull(),
)

test('never throws, never gives what JSON cannot carry', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...'0123456789.,- ()$€e\u00a0'), maxLength: 60 }),
      (text) => {
        const value = parseNumber(text)
        expect(value === null || Number.isFinite(value)).toBe(true)
      },
    ),
    { numRuns: 3_000 },
  )
})

test('reads back what Intl writes', () => {
  const written = fc.tuple(
    fc.integer({ min: 0, max: 99_999_999 }),
    fc.constantFrom('en-US', 'de-DE', 'fr-FR', 'de-CH', 'sv-SE'),
  )
  fc.assert(
    fc.property(written, ([cents, locale]) => {
      expect(
        parseNumber(
          new Intl.NumberFormat(locale, { style: 'currency', currency: 'EUR' }).format(cents / 100),
        ),
      ).toBe(cents / 100)
    }),
  )
})

test('a long text costs little', () => {
  const begin = cpuMs()
  parseNumber(`${'1,'.repeat(500_000)}x`)
  parseNumber(' '.repeat(1_000_000))
  expect(cpuMs() - begin).toBeLessThan(200)
})
