import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseTimetable } from '../../../src/features/schedules/timetable.ts'

const MINUTE = 60_000
const DAY = 1_440 * MINUTE

/** Changes of clocks, also unusual ones: at midnight, by half an hour, by a day. */
const CHANGES = [
  ['Europe/Berlin', '2030-03-31'],
  ['Europe/Berlin', '2030-10-27'],
  ['America/New_York', '2030-03-10'],
  ['America/New_York', '2030-11-03'],
  ['Australia/Lord_Howe', '2030-04-07'],
  ['Australia/Lord_Howe', '2030-10-06'],
  ['Africa/Cairo', '2025-04-25'],
  ['Africa/Cairo', '2025-10-31'],
  ['Atlantic/Azores', '2030-10-27'],
  ['Pacific/Apia', '2011-12-30'],
] as const

/** The local time at each minute, computed without the code under test. */
function readings(timeZone: string, from: number): { at: number; local: number }[] {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'medium',
  })
  return Array.from({ length: 3 * 1_440 }, (_, minute) => {
    const instant = from + minute * MINUTE
    return { at: instant, local: Date.parse(`${format.format(instant).replace(' ', 'T')}Z`) }
  })
}

const WORLDS = CHANGES.map(([timeZone, day]) => {
  const from = Date.parse(day) - DAY
  return { timeZone, from, shown: readings(timeZone, from) }
})

/** The expected runs: each matching minute that the clock reaches or jumps over, once. */
function expected(
  shown: readonly { at: number; local: number }[],
  matches: (local: number) => boolean,
  everyHour: boolean,
): number[] {
  if (everyHour) return shown.filter(({ local }) => matches(local)).map(({ at }) => at)
  let latest = (shown[0]?.local ?? 0) - MINUTE
  return shown.flatMap(({ at, local }) => {
    let isDue = false
    for (; latest < local; latest += MINUTE) isDue ||= matches(latest + MINUTE)
    return isDue ? [at] : []
  })
}

const some = (most: number, size: number) =>
  fc.uniqueArray(fc.integer({ min: 0, max: most }), { minLength: 1, maxLength: size })

test('every matching local time is run once, however the clocks change', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...WORLDS),
      some(59, 4),
      fc.option(
        fc.oneof(some(4, 4), some(23, 6), fc.constant(Array.from({ length: 24 }, (_, h) => h))),
      ),
      ({ timeZone, from, shown }, minutes, hours) => {
        const everyHour = hours === null || hours.length === 24
        const matches = (local: number) => {
          const date = new Date(local)
          return (
            minutes.includes(date.getUTCMinutes()) &&
            (everyHour || hours.includes(date.getUTCHours()))
          )
        }
        const runs = expected(shown, matches, everyHour)
        const table = parseTimetable(
          `${minutes.join(',')} ${hours?.join(',') ?? '*'} * * *`,
          timeZone,
        )
        expect(table.following(from - 1, runs.length)).toEqual(runs)
        // The next time is the same from any moment before it.
        for (const { at } of shown.filter((_, i) => i % 197 === 0))
          expect(table.next(at)).toBe(runs.find((run) => run > at) ?? table.next(runs.at(-1) ?? at))
      },
    ),
    { numRuns: 100 },
  )
})

test('a time that comes twice is not due again while the clock repeats its hour', () => {
  const { next } = parseTimetable('30 2 * * *', 'Europe/Berlin')
  // It is 02:10 for the second time: 02:30 comes again in twenty minutes.
  expect(next(Date.parse('2030-10-27T01:10:00Z'))).toBe(Date.parse('2030-10-28T01:30:00Z'))
})

describe('a schedule with several times a day runs', () => {
  const times = (cron: string, timeZone: string, day: string) => {
    const from = Date.parse(day)
    return parseTimetable(cron, timeZone)
      .following(from - 1, 8)
      .filter((time) => time < from + DAY)
      .map((time) => new Date(time).toISOString().slice(11, 16))
  }

  test.for<readonly [string, string, string, readonly string[]]>([
    ['30 1,2 * * *', 'Europe/Berlin', '2030-03-31', ['00:30', '01:00']],
    ['30 2,3 * * *', 'Europe/Berlin', '2030-03-31', ['01:00', '01:30']],
    ['0,30 2 * * *', 'Europe/Berlin', '2030-03-31', ['01:00']],
    ['15,45 2 * * *', 'America/New_York', '2030-03-10', ['07:00']],
    ['30 1,2 * * *', 'Europe/Berlin', '2030-10-27', ['00:30']],
    ['30 2,3 * * *', 'Europe/Berlin', '2030-10-27', ['00:30', '02:30']],
    ['*/30 2 * * *', 'Europe/Berlin', '2030-10-27', ['00:00', '00:30']],
    ['0 */2 * * *', 'Europe/Berlin', '2030-03-31', ['01:00', '02:00', '04:00']],
  ])('%s in %s on %s', ([cron, timeZone, day, first]) => {
    expect(times(cron, timeZone, day).slice(0, first.length)).toEqual(first)
  })
})
