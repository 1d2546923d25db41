import { expect, test } from 'vitest'
import { waitedClock, waitedIn } from './waited.ts'

test('the time on the run queue is the second number of schedstat, in ns', () => {
  expect(waitedIn('138576 755296000 2\n')).toBe(755.296)
})

test('the time without a processor only grows', () => {
  const waited = waitedClock()
  const before = waited()
  expect(before).toBeGreaterThanOrEqual(0)
  expect(waited()).toBeGreaterThanOrEqual(before)
})
