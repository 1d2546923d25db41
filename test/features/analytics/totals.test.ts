import fc from 'fast-check'
import { expect, it } from 'vitest'
import { durationsOf } from '../../../src/features/analytics/totals.ts'
import { durationStep } from '../../../src/features/common/usage.ts'

it('quantiles of durations are within 5 % of those by nearest rank', () => {
  const duration = fc.oneof(
    fc.integer({ min: 1, max: 100 }),
    fc.integer({ min: 1, max: 86_400_000 }),
  )
  fc.assert(
    fc.property(fc.array(duration, { minLength: 1, maxLength: 60 }), (durations) => {
      const amounts = new Map<string, number>([
        ['pages', 7],
        ['run:succeeded', durations.length],
      ])
      for (const ms of durations)
        amounts.set(`time:${durationStep(ms)}`, (amounts.get(`time:${durationStep(ms)}`) ?? 0) + 1)
      const sorted = durations.toSorted((a, b) => a - b)
      const figures = durationsOf(amounts) ?? expect.fail()
      for (const [share, percentile] of [
        [0.5, figures.p50],
        [0.95, figures.p95],
      ] as const) {
        const exact = sorted[Math.ceil(share * sorted.length) - 1] ?? NaN
        // Rounding may add half a millisecond.
        expect(Math.abs(percentile - exact)).toBeLessThanOrEqual(exact * 0.05 + 0.5)
      }
    }),
  )
  expect(durationsOf(new Map([['pages', 3]]))).toBeNull()
})
