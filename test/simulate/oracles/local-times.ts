import type { KnownSchedule } from '../customer.ts'
import { MINUTE_MS } from '../../../src/kernel/time.ts'

/** Clocks change by two hours at most. */
const MOST_CHANGE = 120

/** The fields of a clock on the wall. */
interface Shown {
  readonly minute: number
  readonly hour: number
  readonly day: number
  readonly weekday: number
  /** The same as one number of minutes, which grows by one each minute but when clocks change. */
  readonly count: number
}

const formats = new Map<string, Intl.DateTimeFormat>()

/**
 * True if a schedule names this time. A local time that a change of the clocks leaves out is the
 * moment of that change, and of one that comes twice only the first counts, but for a schedule of
 * each hour. This is written anew from that sentence: it shares no code with the platform.
 */
export function isTimeOf(
  { cron, timeZone }: Pick<KnownSchedule, 'cron' | 'timeZone'>,
  time: number,
): boolean {
  const now = shownAt(time, timeZone)
  const before = shownAt(time - MINUTE_MS, timeZone)
  const isHourly = cron.split(' ')[1] === '*'
  if (matches(cron, now)) return isHourly || !isSecond(time, timeZone, now)
  if (isHourly) return false
  for (let left = before.count + 1; left < now.count; left++)
    if (matches(cron, fieldsOf(left))) return true
  return false
}

/** True if the clock has shown the same before. */
function isSecond(time: number, timeZone: string, now: Shown): boolean {
  for (let minutes = 1; minutes <= MOST_CHANGE; minutes++)
    if (shownAt(time - minutes * MINUTE_MS, timeZone).count === now.count) return true
  return false
}

function matches(cron: string, { minute, hour, day, weekday }: Shown): boolean {
  const [minutes = '', hours = '', days = '', months = '', weekdays = ''] = cron.split(' ')
  if (months !== '*') throw new Error(`No world has a schedule of some months: ${cron}`)
  return (
    holds(minutes, minute) && holds(hours, hour) && holds(days, day) && holds(weekdays, weekday)
  )
}

/** True if a list of numbers, `*`, or `*` with a step has the number. */
function holds(field: string, value: number): boolean {
  if (field.startsWith('*')) return value % Number(field.slice(2) || 1) === 0
  return field.split(',').some((text) => Number(text) === value)
}

function shownAt(time: number, timeZone: string): Shown {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
    })
  formats.set(timeZone, format)
  const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type, Number(value)]))
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0] = [
    parts.get('year'),
    parts.get('month'),
    parts.get('day'),
    parts.get('hour'),
    parts.get('minute'),
  ]
  return fieldsOf(Date.UTC(year, month - 1, day, hour, minute) / MINUTE_MS)
}

function fieldsOf(count: number): Shown {
  const date = new Date(count * MINUTE_MS)
  return {
    count,
    minute: date.getUTCMinutes(),
    hour: date.getUTCHours(),
    day: date.getUTCDate(),
    weekday: date.getUTCDay(),
  }
}
