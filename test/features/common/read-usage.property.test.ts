import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { LocalCalendar } from '../../../src/features/analytics/period.ts'
import { readUsage } from '../../../src/features/common/read-usage.ts'
import { ALL_USAGE, bucketStart } from '../../../src/features/common/usage.ts'
import { Change } from '../../../src/records/change.ts'
import { createRecords } from '../../../src/features/records.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Africa/Cairo',
  'Pacific/Chatham',
]
const QUARTER = 900_000
const YEAR = Date.UTC(2026, 0, 1)

it('points of any time zone and granularity add up to the period and to the counted usage', async () => {
  const time = fc
    .integer({ min: 0, max: 4 * 24 * 400 })
    .map((quarters) => YEAR + quarters * QUARTER)
  const granularities = fc.constantFrom('hour' as const, 'day' as const, 'month' as const)
  await fc.assert(
    fc.asyncProperty(
      fc.array(time, { maxLength: 30 }),
      time,
      fc.integer({ min: 1, max: 4 * 24 * 20 }),
      fc.constantFrom(...ZONES),
      granularities,
      async (events, from, length, zone, granularity) => {
        const records = createRecords(createMemoryStore({ clock: createFakeClock() }))
        const to = from + length * QUARTER
        const change = new Change()
        for (const instant of [...events, from, to - 1, to])
          for (const size of ['quarter', 'hour', 'day', 'month'] as const)
            records.usage.add(
              change,
              'acme',
              ALL_USAGE,
              size,
              bucketStart(size, instant),
              'pages',
              1,
            )
        await records.commit(change)
        const units = new LocalCalendar(zone).units(granularity, from, to, 1_000)
        const points = await Promise.all(
          units.map(({ start, end }) => readUsage(records, 'acme', ALL_USAGE, start, end)),
        )
        const total = points.reduce((sum, point) => sum + (point.get('pages') ?? 0), 0)
        expect(total).toBe(
          [...events, from, to - 1, to].filter((instant) => instant >= from && instant < to).length,
        )
        expect((await readUsage(records, 'acme', ALL_USAGE, from, to)).get('pages')).toBe(total)
      },
    ),
    { numRuns: 60 },
  )
})

it.each([
  ['Europe/Berlin', [2026, 2, 29], 23],
  ['Europe/Berlin', [2026, 9, 25], 25],
  ['Australia/Lord_Howe', [2026, 3, 5], 24.5],
  ['Australia/Lord_Howe', [2026, 9, 4], 23.5],
  ['Asia/Kolkata', [2026, 5, 1], 24],
  ['Africa/Cairo', [2026, 3, 24], 23],
] as const)('the length of each day in %s is right', (zone, [year, month, day], hours) => {
  const calendar = new LocalCalendar(zone)
  const start = calendar.startOf(year, month, day)
  const [unit] = calendar.units('day', start, start + 2 * 86_400_000, 10)
  expect(unit && (unit.end - unit.start) / 3_600_000).toBe(hours)
  expect(calendar.dateOf(start)).toEqual([year, month, day])
})

it('hours that come twice are separate points', () => {
  const calendar = new LocalCalendar('Europe/Berlin')
  const labels = calendar
    .units('hour', Date.UTC(2026, 9, 25, 0), Date.UTC(2026, 9, 25, 3), 10)
    .map(({ label }) => label)
  expect(labels).toEqual([
    '2026-10-25T02:00+02:00',
    '2026-10-25T02:00+01:00',
    '2026-10-25T03:00+01:00',
  ])
  const half = new LocalCalendar('Australia/Lord_Howe').units(
    'hour',
    Date.UTC(2026, 3, 4, 14),
    Date.UTC(2026, 3, 4, 16),
    10,
  )
  expect(half.map(({ label }) => label)).toEqual([
    '2026-04-05T01:00+11:00',
    '2026-04-05T01:30+10:30',
    '2026-04-05T02:00+10:30',
  ])
})
