import { expect, test } from 'vitest'
import { withoutRun } from '../../src/console/app/task/schedule-times.ts'

test('a past time without a run is named, unless it may still come or nothing is known of it', () => {
  const hour = (count: number) => new Date(Date.UTC(2026, 4, 4, count)).toISOString()
  const past = [1, 2, 3, 4].map(hour)
  const at = (count: number) => Date.parse(hour(count))
  const now = at(5)
  expect(withoutRun(past, [at(2)], 0, now)).toEqual([at(1), at(3), at(4)])
  // A worker has two minutes to take it up.
  expect(withoutRun(past, [], 0, at(4) + 119_000)).toEqual([at(1), at(2), at(3)])
  expect(withoutRun(past, [], at(3), now)).toEqual([at(3), at(4)])
  // During an update, a console may ask a process of the version before.
  expect(withoutRun(undefined, [], 0, now)).toEqual([])
})
