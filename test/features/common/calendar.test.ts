import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isInCalendar } from '../../../src/features/common/time.ts'

it('every day is in the calendar', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: Date.UTC(0, 0), max: Date.UTC(9999, 11, 31) }),
      (ms) => void expect(isInCalendar(new Date(ms).toISOString())).toBe(true),
    ),
  )
})

it.each([
  '2030-02-28',
  '2028-02-29T00:00:00Z',
  '2000-02-29',
  '2030-12-31T23:59:59+14:00',
  '2030-01',
])('%s is in the calendar', (text) => {
  expect(isInCalendar(text)).toBe(true)
})

// Date.parse accepts the first four, as days of the next month.
it.each([
  '2030-02-29',
  '2030-02-30T00:00:00Z',
  '2030-04-31T10:00:00+02:00',
  '1900-02-29T00:00:00Z',
  '2030-13-01',
  '2030-00-01',
  '2030-01-00',
  '2030-01-32',
  '2030-13',
  'tomorrow',
  '',
])('%s is not in the calendar', (text) => {
  expect(isInCalendar(text)).toBe(false)
})
