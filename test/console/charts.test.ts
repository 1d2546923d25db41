import { expect, it } from 'vitest'
import { changesByDay } from '../../src/console/app/dataset/by-day.ts'
import { barsOf } from '../../src/console/app/run/over-time.ts'

// Proves what the bars count: the changes of each day, and the pages of each part of a run.

it('changes are counted by day and kind, and a day that was not read whole is left out', () => {
  const changes = [
    { at: '2026-05-03T12:00:00.000Z', kind: 'gone' },
    { at: '2026-05-03T11:00:00.000Z', kind: 'added' },
    { at: '2026-05-03T11:00:00.000Z', kind: 'added' },
    { at: '2026-05-01T12:00:00.000Z', kind: 'changed' },
  ] as const
  // Added, returned, changed and gone.
  expect(changesByDay(changes, false).map(({ values }) => values)).toEqual([
    [0, 0, 1, 0],
    [2, 0, 0, 1],
  ])
  expect(changesByDay(changes, true).map(({ values }) => values)).toEqual([[2, 0, 0, 1]])
  expect(changesByDay(changes.slice(0, 1), true).map(({ values }) => values)).toEqual([
    [0, 0, 0, 1],
  ])
})

it('pages are put together to at most sixty bars, with those between that are empty', () => {
  expect(barsOf(new Map())).toEqual([])
  const short = barsOf(
    new Map([
      [100, { fetched: 2 }],
      [103, { failed: 1 }],
    ]),
  )
  expect(short).toEqual([
    { at: 100_000, counts: { fetched: 2 } },
    { at: 101_000, counts: {} },
    { at: 102_000, counts: {} },
    { at: 103_000, counts: { failed: 1 } },
  ])
  for (const length of [61, 3_600, 86_400, 40_000_000]) {
    const bars = barsOf(
      new Map(
        Array.from({ length: 1_000 }, (_, i) => [
          7 + Math.floor((i * length) / 1_000),
          { fetched: 1 },
        ]),
      ),
    )
    expect(bars.length).toBeLessThanOrEqual(60)
    expect(bars.reduce((sum, { counts }) => sum + (counts['fetched'] ?? 0), 0)).toBeGreaterThan(60)
  }
})
