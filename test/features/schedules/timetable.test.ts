import { describe, expect, test } from 'vitest'
import { parseTimetable } from '../../../src/features/schedules/timetable.ts'

const runs = (cron: string, timeZone: string, after: string, count = 3) =>
  parseTimetable(cron, timeZone)
    .following(Date.parse(after), count)
    .map((time) => new Date(time).toISOString())

describe('the times of a pattern', () => {
  test('are local times of the zone', () => {
    expect(runs('0 6 * * 1-5', 'Europe/Berlin', '2026-01-02T05:00:00Z')).toEqual([
      '2026-01-05T05:00:00.000Z',
      '2026-01-06T05:00:00.000Z',
      '2026-01-07T05:00:00.000Z',
    ])
    expect(runs('30 23 * * *', 'Asia/Kathmandu', '2026-01-01T00:00:00Z', 1)).toEqual([
      '2026-01-01T17:45:00.000Z',
    ])
    expect(runs('@daily', 'UTC', '2026-12-31T00:00:00Z', 1)).toEqual(['2027-01-01T00:00:00.000Z'])
    expect(runs('0 0 29 2 *', 'UTC', '2026-01-01T00:00:00Z', 1)).toEqual([
      '2028-02-29T00:00:00.000Z',
    ])
  })

  test('are always after the given time', () => {
    expect(runs('*/15 * * * *', 'UTC', '2026-01-01T00:15:00Z', 2)).toEqual([
      '2026-01-01T00:30:00.000Z',
      '2026-01-01T00:45:00.000Z',
    ])
  })

  test('include an hour that summer time skips, once', () => {
    expect(runs('30 2 * * *', 'Europe/Berlin', '2026-03-28T02:00:00Z', 2)).toEqual([
      '2026-03-29T01:00:00.000Z',
      '2026-03-30T00:30:00.000Z',
    ])
  })

  test('include an hour that comes twice, once', () => {
    expect(runs('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', 2)).toEqual([
      '2026-10-25T00:30:00.000Z',
      '2026-10-26T01:30:00.000Z',
    ])
  })

  test('of every hour are every hour, however the clocks change', () => {
    const hours = parseTimetable('0 * * * *', 'Europe/Berlin').following(
      Date.parse('2026-10-24T22:00:00Z'),
      6,
    )
    expect(hours.map((time, i) => time - (hours[i - 1] ?? time - 3_600_000))).toEqual(
      Array(6).fill(3_600_000),
    )
  })
})

test.for<readonly [string, string, 'cron' | 'timeZone']>([
  ['61 * * * *', 'UTC', 'cron'],
  ['* * * * * *', 'UTC', 'cron'],
  ['', 'UTC', 'cron'],
  ['*/0 * * * *', 'UTC', 'cron'],
  ['tomorrow', 'UTC', 'cron'],
  ['0 0 30 2 *', 'UTC', 'cron'],
  ['0 0 * * *', 'Mars/Olympus', 'timeZone'],
  ['0 0 * * *', '', 'timeZone'],
])('%j in %j is refused for its %s', ([cron, timeZone, part]) => {
  expect(() => parseTimetable(cron, timeZone)).toThrow(
    expect.objectContaining({ name: 'TimetableError', part }),
  )
})

test.each(['* * * * * *', '* * *', '', '@reboot', '@every 5m'])(
  'a pattern without five parts is refused with its form: %j',
  (cron) => {
    expect(() => parseTimetable(cron, 'UTC')).toThrow(
      /^must have five parts \(minute, hour, .*\), such as 0 6 \* \* 1, or be one of @yearly, .*@hourly$/,
    )
  },
)

test.each(['@midnight', '@DAILY', ' 0  0 * * * '])('%j means each midnight', (cron) => {
  expect(runs(cron, 'UTC', '2026-12-31T00:00:00Z', 1)).toEqual(['2027-01-01T00:00:00.000Z'])
})
