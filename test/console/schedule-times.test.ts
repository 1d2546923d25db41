import { expect, test } from 'vitest'
import { withoutRun } from '../../src/console/app/task/schedule-times.ts'

test('a past time without a run is named, unless it may still come or nothing is known of it', () => {
  const hour = (count: number) => new Date(Date.UTC(2026, 4, 4, count)).toISOString()
  const past = [1, 2, 3, 4].map(hour)
  const timeOf = (count: number) => Date.parse(hour(count))
  const now = timeOf(5)
  expect(withoutRun(past, [timeOf(2)], 0, now)).toEqual([timeOf(1), timeOf(3), timeOf(4)])
  // A worker has two minutes to take it up.
  expect(withoutRun(past, [], 0, timeOf(4) + 119_000)).toEqual([timeOf(1), timeOf(2), timeOf(3)])
  expect(withoutRun(past, [], timeOf(3), now)).toEqual([timeOf(3), timeOf(4)])
  // During an update, a console may ask a process of the version before.
  expect(withoutRun(undefined, [], 0, now)).toEqual([])
})
