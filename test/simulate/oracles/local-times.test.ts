import { expect, it } from 'vitest'
import { isTimeOf } from './local-times.ts'

it.for([
  // Clocks in Berlin go from 2:00 to 3:00: the left out 2:30 is the moment of the change.
  ['30 2 * * *', 'Europe/Berlin', '2026-03-29T01:00Z', true],
  ['30 2 * * *', 'Europe/Berlin', '2026-03-29T01:30Z', false],
  ['30 2 * * *', 'Europe/Berlin', '2026-03-30T00:30Z', true],
  // They go from 3:00 to 2:00: the first 2:30 counts.
  ['30 2 * * *', 'Europe/Berlin', '2026-10-25T00:30Z', true],
  ['30 2 * * *', 'Europe/Berlin', '2026-10-25T01:30Z', false],
  ['*/30 * * * *', 'Europe/Berlin', '2026-10-25T01:30Z', true],
  ['*/30 * * * *', 'Europe/Berlin', '2026-10-25T01:40Z', false],
  // Clocks in Beirut leave out midnight.
  ['0 0 * * *', 'Asia/Beirut', '2026-03-28T22:00Z', true],
  ['45 0,1,2 * * *', 'Asia/Beirut', '2026-03-28T22:00Z', true],
  ['0 0 * * *', 'Asia/Beirut', '2026-03-28T23:00Z', false],
  // Clocks on Lord Howe go from 2:00 to 1:30.
  ['45 0,1,2 * * *', 'Australia/Lord_Howe', '2026-04-04T14:45Z', true],
  ['45 0,1,2 * * *', 'Australia/Lord_Howe', '2026-04-04T15:15Z', false],
  ['15 3 * * 0', 'UTC', '2026-03-29T03:15Z', true],
  ['15 3 * * 0', 'UTC', '2026-03-30T03:15Z', false],
  ['0 0 1 * *', 'UTC', '2026-04-01T00:00Z', true],
] as const)('%s in %s names %s: %s', ([cron, timeZone, time, isNamed]) => {
  expect(isTimeOf({ cron, timeZone }, Date.parse(time))).toBe(isNamed)
})
