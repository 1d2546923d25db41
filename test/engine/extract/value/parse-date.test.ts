import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseDate } from '../../../../src/engine/extract/value/parse-date.ts'

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
