import { monthsOf, orderOf, plainName } from './date-format.ts'
import type { DateFormat } from './date-format.ts'
import { withLatinDigits } from './number-format.ts'

/** Maximum characters in which a date is searched. */
export const DATE_TEXT = 1_000
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const MONTH =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|' +
  'aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)'
const TIME =
  '(?:[T\\s,]*(?:at\\s+)?(\\d{1,2}):(\\d{2})(?::(\\d{2})(?:[.,]\\d{1,9})?)?' +
  '\\s*([ap]\\.?m\\.?)?\\s*(z|utc|gmt|[+-]\\d{2}:?\\d{2})?)?'

const ISO = new RegExp(`\\b(\\d{4})-(\\d{1,2})-(\\d{1,2})${TIME}`, 'i')
const YEAR_FIRST = new RegExp(`\\b(\\d{4})[/.年](\\d{1,2})[/.月](\\d{1,2})日?${TIME}`, 'i')
const DAY_MONTH = new RegExp(
  `\\b(\\d{1,2})(?:st|nd|rd|th|\\.)?[\\s-]+(?:of\\s+)?${MONTH}\\.?,?[\\s-]+(\\d{4})${TIME}`,
  'i',
)
const MONTH_DAY = new RegExp(
  `\\b${MONTH}\\.?\\s+(\\d{1,2})(?:st|nd|rd|th)?,?\\s+(\\d{4})${TIME}`,
  'i',
)
const NUMERIC = new RegExp(`\\b(\\d{1,2})([/.-])(\\d{1,2})\\2(\\d{4})${TIME}`, 'i')
/** A name of a month in another language; a few words such as `de` may stand around it. */
const NAMED = new RegExp(
  "(?<!\\d)(\\d{1,2})(?:\\.|er|º)?\\s+(?:(?:de|d’|d')\\s*)?" +
    `(\\p{L}[\\p{L}\\p{M}]*)\\.?,?\\s+(?:(?:de|del)\\s+)?(\\d{4})${TIME}`,
  'iu',
)
const COMPACT = /^(\d{4})(\d{2})(\d{2})$/
const EPOCH = /^\d{10}(?:\d{3})?$/

/** A date in a text. */
export interface ReadDate {
  /** `null`: there is no date, or it cannot be known which one. */
  readonly value: string | null
  /** True if the numbers may be day and month in either order, and nothing says which. */
  readonly isUnclear: boolean
}

const clear = (value: string | null): ReadDate => ({ value, isUnclear: false })

/** The value of {@link readDate}. */
export function parseDate(text: string, format?: DateFormat): string | null {
  return readDate(text, format).value
}

/**
 * Reads a date and writes it as ISO 8601: `2026-01-05`, with a time `2026-01-05T14:30:00`, with a
 * zone `2026-01-05T14:30:00+02:00` (`Z` for UTC). Known forms: ISO 8601, RFC 2822, `5 January
 * 2026`, `Jan 5, 2026`, `2026/1/5`, `31.12.2026`, `20260105`, Unix seconds and milliseconds. The
 * first date in the text is taken.
 *
 * `05.01.2026` with dots is day first, as everywhere dots are used. With slashes or dashes the
 * order is clear if one number is above 12, or if `order` or the `language` says it. Otherwise
 * `01/02/2026` is 2 January to some and 1 February to others. A guessed date is worse than none, so
 * the result is `null`. Months have the names of English and of the `language`.
 */
export function readDate(text: string, { order, language = null }: DateFormat = {}): ReadDate {
  const source = withLatinDigits(text.slice(0, DATE_TEXT)).trim()
  if (EPOCH.test(source))
    return clear(
      new Date(Number(source) * (source.length === 10 ? 1_000 : 1))
        .toISOString()
        .replace('.000Z', 'Z'),
    )
  const compact = COMPACT.exec(source)
  if (compact !== null) return clear(write(compact[1], compact[2], compact[3], []))
  const iso = ISO.exec(source) ?? YEAR_FIRST.exec(source)
  if (iso !== null) return clear(write(iso[1], iso[2], iso[3], iso.slice(4)))
  const dayMonth = DAY_MONTH.exec(source)
  if (dayMonth !== null)
    return clear(write(dayMonth[3], monthOf(dayMonth[2]), dayMonth[1], dayMonth.slice(4)))
  const monthDay = MONTH_DAY.exec(source)
  if (monthDay !== null)
    return clear(write(monthDay[3], monthOf(monthDay[1]), monthDay[2], monthDay.slice(4)))
  const named = language === null ? null : NAMED.exec(source)
  const month = named && monthsOf(language ?? '').get(plainName(named[2] ?? ''))
  if (named && month !== undefined && month !== null)
    return clear(write(named[3], String(month), named[1], named.slice(4)))
  const numeric = NUMERIC.exec(source)
  if (numeric === null) return clear(null)
  const [, first, separator, second, year, ...time] = numeric
  const dateOrder =
    order ??
    (separator === '.' || Number(first) > 12
      ? 'dmy'
      : Number(second) > 12 || first === second
        ? 'mdy'
        : language && orderOf(language))
  if (!dateOrder) return { value: null, isUnclear: true }
  return clear(
    dateOrder === 'dmy' ? write(year, second, first, time) : write(year, first, second, time),
  )
}

function monthOf(name: string | undefined): string {
  return String(MONTHS.indexOf((name ?? '').slice(0, 3).toLowerCase()) + 1)
}

function write(
  year = '',
  month = '',
  day = '',
  time: readonly (string | undefined)[],
): string | null {
  const [y, m, d] = [Number(year), Number(month), Number(day)]
  const calendarDay = new Date(Date.UTC(y, m - 1, d))
  if (calendarDay.getUTCMonth() !== m - 1 || calendarDay.getUTCDate() !== d) return null
  const date = `${year.padStart(4, '0')}-${two(m)}-${two(d)}`
  const [hour, minute, second, half, zone] = time
  if (hour === undefined || minute === undefined) return date
  const h = half === undefined ? Number(hour) : (Number(hour) % 12) + (/^p/i.test(half) ? 12 : 0)
  if (h > 23 || Number(minute) > 59 || Number(second ?? 0) > 59) return date
  return `${date}T${two(h)}:${minute}:${second ?? '00'}${zoneOf(zone)}`
}

function zoneOf(zone: string | undefined): string {
  if (zone === undefined) return ''
  if (/^[a-z]/i.test(zone) || /^[+-]00:?00$/.test(zone)) return 'Z'
  return zone.includes(':') ? zone : `${zone.slice(0, 3)}:${zone.slice(3)}`
}

function two(value: number): string {
  return String(value).padStart(2, '0')
}
