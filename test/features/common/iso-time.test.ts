import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isoTime, isoTimeOrNull } from '../../../src/features/common/time.ts'

it('every time is written like by toISOString', () => {
  const time = fc.oneof(
    fc.integer({ min: -8_640_000_000_000_000, max: 8_640_000_000_000_000 }),
    fc.integer({ min: 0, max: 4e12 }),
    fc.double({ min: -1e12, max: 4e12, noNaN: true }),
  )
  fc.assert(
    fc.property(time, (ms) => void expect(isoTime(ms)).toBe(new Date(ms).toISOString())),
    { numRuns: 2_000 },
  )
})

it('times of following days are written right, forwards and backwards', () => {
  const midnight = Date.UTC(2026, 2, 1)
  for (const ms of [midnight - 1, midnight, midnight - 1, midnight + 86_399_999, -1, 0])
    expect(isoTime(ms)).toBe(new Date(ms).toISOString())
})

it('a value that is no time is refused, and later times are written', () => {
  for (const ms of [Number.NaN, Number.POSITIVE_INFINITY, 8_640_000_000_000_001])
    expect(() => isoTime(ms)).toThrow(RangeError)
  expect(isoTime(0)).toBe('1970-01-01T00:00:00.000Z')
})

it('an absent time is written as null', () => {
  expect(isoTimeOrNull(null)).toBeNull()
  expect(isoTimeOrNull(0)).toBe('1970-01-01T00:00:00.000Z')
})
