import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseNumber, readNumber } from '../../../../src/engine/extract/value/parse-number.ts'
import { cpuMs } from '../../../support/cpu-ms.ts'
import { failingCases } from '../../../support/failing-cases.ts'

test('numbers are read without a language', async () => {
  const failing = await failingCases(
    [
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
      ['-US$1,234.50', -1234.5],
      ['-EUR 5', -5],
      ["EUR-1'234.50", -1234.5],
      ['kr -5', -5],
      ['Price - EUR 30', 30],
      ['10-EUR 20', 10],
      ['\u200e-5', -5],
      ['\u061c-\u200f٥', -5],
      ['Rs.12,500', 12500],
      ['$.640.20', 640.2],
      ['...7', 7],
      ['$..65', 0.65],
      ['合計は-7です', -7],
    ] as const,
    ([text]) => text,
    ([text, expected]) => expect(parseNumber(text)).toBe(expected),
  )
  expect(failing).toEqual([])
})

test('cents may stand apart from their number', async () => {
  const failing = await failingCases(
    [
      ['47. 19', 47.19],
      ['€ 2.650, 40', 2650.4],
      ['88, 50 zł', 88.5],
      ['12€50', 12.5],
      ['980€ 40', 980.4],
    ] as const,
    ([text]) => text,
    ([text, expected]) => expect(parseNumber(text)).toBe(expected),
  )
  expect(failing).toEqual([])
})

test('a sign may stand for a fraction', async () => {
  const failing = await failingCases(
    [
      ['3½ Zimmer', 3.5],
      ['2 ½ stars', 2.5],
      ['-1¾', -1.75],
    ] as const,
    ([text]) => text,
    ([text, expected]) => expect(parseNumber(text)).toBe(expected),
  )
  expect(failing).toEqual([])
})

test('separate cents show no decimal sign, and need none', () => {
  expect(readNumber('12€50').shows).toBeNull()
  expect(parseNumber('12€50', { decimal: ',' })).toBe(12.5)
})

test('another number after a number leaves it as it is', async () => {
  const failing = await failingCases(
    [
      ['1. 10 ways to save', 1],
      ['2016, 12', 2016],
      ['In 2016, 12 €', 2016],
      ['5€ 10€', 5],
      ['5 €10', 5],
      ['12€ 50 pieces', 12],
    ] as const,
    ([text]) => text,
    ([text, expected]) => expect(parseNumber(text)).toBe(expected),
  )
  expect(failing).toEqual([])
})

test('a text without a number, or with one that is too large, is not a number', async () => {
  const failing = await failingCases(
    ['', 'none', '$', '-', '9'.repeat(400), '1e999'] as const,
    (text) => text,
    (text) => expect(parseNumber(text)).toBeNull(),
  )
  expect(failing).toEqual([])
})

test('numbers are read in their language', async () => {
  const failing = await failingCases(
    [
      ['€ 2.400', null, 2400],
      ['€ 1.200,-', null, 1200],
      ['1.200.-', null, 1200],
      ['2.400 €', 'de', 2400],
      ['12.345 km', 'de', 12345],
      ['12.345 km', 'de-AT', 12345],
      ['12,345 km', 'de', 12.345],
      ['12.345 km', 'en', 12.345],
      ['12,345 km', 'en', 12345],
      ['12.345 km', 'es', 12345],
      ['12.345 km', 'de-CH', 12.345],
      ['kr 1.299', 'da', 1299],
      ['R$ 1.299', 'pt-BR', 1299],
      ['Rp 15.000', 'id', 15000],
      ['1.299,5 kg', 'en', 1299.5],
      ['1,299.5 kg', 'de', 1299.5],
      ['2.400 €/m²', 'de', 2400],
      ['1,799 €/l', 'de', 1.799],
      ['12,34,567', null, 1234567],
      ['₹ 12,34,567.50', null, 1234567.5],
      ['1,234', 'xx-unknown', 1234],
      ['1.234', 'not a tag!', 1.234],
      ['٢٫٥', 'ar', 2.5],
      ['１２３', 'ja', 123],
      ['3万円', 'ja', 30000],
      ['1.2亿', 'zh', 120000000],
      ['0.500 kg', 'de', 0.5],
    ] as const,
    ([text, language]) => `${text} (${language})`,
    ([text, language, expected]) => expect(parseNumber(text, { language })).toBe(expected),
  )
  expect(failing).toEqual([])
})

// A German page with an English price, or a price of fuel: a guess may be wrong by a factor of 1,000.
test('a number with two readings in its language is not a number', async () => {
  const failing = await failingCases(
    [
      ['€1,299', 'de'],
      ['$1,299', 'es'],
      ['€1.299', 'en'],
      ['12.345 km', 'fr'],
      ['€ 1.234.56', 'de'],
      ['1,234,56', 'en'],
    ] as const,
    ([text, language]) => `${text} (${language})`,
    ([text, language]) =>
      expect(readNumber(text, { language })).toMatchObject({ value: null, isUnclear: true }),
  )
  expect(failing).toEqual([])
})

test('without a language the usual reading is taken, and reported as unclear', () => {
  expect(readNumber('12.345 km')).toMatchObject({ value: 12.345, isUnclear: true })
  expect(readNumber('12,345 km')).toMatchObject({ value: 12345, isUnclear: true })
  expect(readNumber('12.34 km')).toMatchObject({ value: 12.34, isUnclear: false })
})

test('the decimal sign that is named is the one that counts', async () => {
  const failing = await failingCases(
    [
      ['1.299', ',', 1299],
      ['1,299', ',', 1.299],
      ['1,299', '.', 1299],
      ['1.299', '.', 1.299],
      ['€1.299,50', ',', 1299.5],
      ['1,299.50', ',', null],
      ['1.2.3', '.', null],
    ] as const,
    ([text, decimal]) => `${text} (${decimal})`,
    ([text, decimal, expected]) =>
      expect(parseNumber(text, { decimal, language: 'fr' })).toBe(expected),
  )
  expect(failing).toEqual([])
})

test('numbers that Intl writes are read back', () => {
  const numbers = fc.tuple(
    fc.integer({ min: 0, max: 99_999_999 }),
    fc.constantFrom('en-US', 'de-DE', 'fr-FR', 'de-CH', 'sv-SE'),
  )
  fc.assert(
    fc.property(numbers, ([cents, locale]) => {
      expect(
        parseNumber(
          new Intl.NumberFormat(locale, { style: 'currency', currency: 'EUR' }).format(cents / 100),
        ),
      ).toBe(cents / 100)
    }),
  )
})

test('numbers that Intl writes are read in their language, right or not at all', () => {
  const languages = (
    'ar-EG bg bn cs da de de-AT de-CH el en en-IN es es-MX et fa fi fr fr-CH he hi hr hu id is it ' +
    'ja ko lt lv mr nb nl pl pt-BR pt-PT ro ru sk sl sr sv th tr uk vi zh'
  ).split(' ')
  const numbers = fc.tuple(
    fc.constantFrom(...languages),
    fc.double({ min: 0, max: 99_999_999, noNaN: true }),
    fc.integer({ min: 0, max: 3 }),
  )
  fc.assert(
    fc.property(numbers, ([language, value, digits]) => {
      const options = { minimumFractionDigits: digits, maximumFractionDigits: digits }
      const text = new Intl.NumberFormat(language, options).format(value)
      expect([Number(value.toFixed(digits)), null]).toContain(parseNumber(text, { language }))
    }),
    { numRuns: 2_000 },
  )
})

test('a long text costs little', () => {
  const begin = cpuMs()
  parseNumber(`${'1,'.repeat(500_000)}x`)
  parseNumber(' '.repeat(1_000_000))
  expect(cpuMs() - begin).toBeLessThan(200)
})
