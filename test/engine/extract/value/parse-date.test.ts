import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseDate, readDate } from '../../../../src/engine/extract/value/parse-date.ts'

test.each([
  ['2026-01-05', '2026-01-05'],
  ['2026-01-05T14:30', '2026-01-05T14:30:00'],
  ['2026-01-05T14:30:15.123Z', '2026-01-05T14:30:15Z'],
  ['2026-01-05 14:30:15 +0200', '2026-01-05T14:30:15+02:00'],
  ['Mon, 05 Jan 2026 14:30:15 GMT', '2026-01-05T14:30:15Z'],
  ['5 January 2026', '2026-01-05'],
  ['5th of January, 2026', '2026-01-05'],
  ['January 5, 2026', '2026-01-05'],
  ['Jan. 5th 2026 at 2:30 pm', '2026-01-05T14:30:00'],
  ['Posted on Sept 9, 2025 by Ann', '2025-09-09'],
  ['05.01.2026', '2026-01-05'],
  ['31/12/2026', '2026-12-31'],
  ['12/31/2026', '2026-12-31'],
  ['03/03/2026', '2026-03-03'],
  ['2026/1/5', '2026-01-05'],
  ['2026年1月5日', '2026-01-05'],
  ['20260105', '2026-01-05'],
  ['1767623400', '2026-01-05T14:30:00Z'],
  ['1767623400000', '2026-01-05T14:30:00Z'],
  ['12:30 am, nothing; 2026-01-05 12:30 AM', '2026-01-05T00:30:00'],
  ['2024-02-29', '2024-02-29'],
])('%s is %s', (text, expected) => expect(parseDate(text)).toBe(expected))

test.each([
  '',
  'yesterday',
  '01/02/2026',
  '2026-02-30',
  '2025-13-01',
  '31.02.2026',
  'January 2026',
  '99/99/2026',
])('%s is none', (text) => expect(parseDate(text)).toBeNull())

test.each([
  ['5. März 2026', 'de', '2026-03-05'],
  ['05. Mai 2026, 14:30', 'de', '2026-05-05T14:30:00'],
  ['Le 1er février 2026', 'fr', '2026-02-01'],
  ['5 de enero de 2026', 'es', '2026-01-05'],
  ['12 stycznia 2026', 'pl', '2026-01-12'],
  ['5 января 2026 г.', 'ru', '2026-01-05'],
  ['3 gennaio 2026', 'it', '2026-01-03'],
  ['5 Ocak 2026', 'tr', '2026-01-05'],
  ['5 March 2026', 'de', '2026-03-05'],
  ['01/02/2026', 'fr', '2026-02-01'],
  ['01/02/2026', 'en-GB', '2026-02-01'],
  ['01-02-2026', 'nl', '2026-02-01'],
  ['٠٥.٠١.٢٠٢٦', 'ar', '2026-01-05'],
  ['01/02/2026', 'en', null],
  ['01/02/2026', 'en-US', null],
  ['01/02/2026', 'not a tag!', null],
  ['5 foobar 2026', 'de', null],
] as const)('%s in %s is %s', (text, language, expected) =>
  expect(parseDate(text, { language })).toBe(expected),
)

test.each([
  ['01/02/2026', 'dmy', '2026-02-01'],
  ['01/02/2026', 'mdy', '2026-01-02'],
  ['01.02.2026', 'mdy', '2026-01-02'],
  ['31/01/2026', 'mdy', null],
  ['2026/01/02', 'dmy', '2026-01-02'],
] as const)('%s in the order %s is %s', (text, order, expected) =>
  expect(parseDate(text, { order, language: 'de' })).toBe(expected),
)

test('what could be either is said to be unclear', () => {
  expect(readDate('01/02/2026')).toEqual({ value: null, isUnclear: true })
  expect(readDate('31/02/2026')).toEqual({ value: null, isUnclear: false })
})

test('reads its own writing and that of Date', () => {
  fc.assert(
    fc.property(
      fc.date({ min: new Date('1900-01-01'), max: new Date('2100-01-01'), noInvalidDate: true }),
      (date) => {
        const iso = parseDate(date.toISOString())
        expect(iso).toBe(date.toISOString().replace(/\.\d+Z/, 'Z'))
        expect(parseDate(iso ?? '')).toBe(iso)
        expect(parseDate(date.toUTCString())).toBe(iso)
      },
    ),
  )
})

test('never throws', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...'0123456789-/.: TJanMay,'), maxLength: 40 }),
      (text) => {
        const date = parseDate(text)
        expect(date === null || !Number.isNaN(Date.parse(date.slice(0, 10)))).toBe(true)
      },
    ),
    { numRuns: 3_000 },
  )
})
