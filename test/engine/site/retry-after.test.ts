import { expect, test } from 'vitest'
import { parseRetryAfter } from '../../../src/engine/egress/retry-after.ts'

const now = Date.UTC(2026, 0, 1, 12, 0, 0)

test.for<readonly [string | undefined, number | null]>([
  ['0', 0],
  ['120', 120_000],
  [' 5 ', 5_000],
  [undefined, null],
  ['', null],
  ['-1', null],
  ['1.5', null],
  ['soon', null],
  ['1e3', null],
  ['99999999999', null],
  ['Thu, 01 Jan 2026 12:01:00 GMT', 60_000],
  ['Thu, 01 Jan 2026 11:00:00 GMT', 0],
  ['Thursday, 01-Jan-26 12:01:00 GMT', 60_000],
  ['Thu Jan  1 12:01:00 2026', 60_000],
  ['2026-01-01', null],
  ['Thu, 99 Foo 2026 12:00:00 GMT', null],
])('%j asks for %j ms', ([header, wait]) => {
  expect(parseRetryAfter(header, now)).toBe(wait)
})
