import { isAt, numberAt } from './date-tokens.ts'
import type { DateToken } from './date-tokens.ts'
import type { DateWords, DayHalf } from './date-words.ts'

/** A time of day in a text. */
export interface ClockTime {
  /** Index of its first token, and of the first token after it. */
  readonly from: number
  readonly end: number
  /** `14:30:00`, with a zone `14:30:00+02:00`; `Z` for UTC. `null`: there is no such time. */
  readonly value: string | null
}

/**
 * Hours from UTC of the names of zones. Names of several zones (`IST`, `AST`) are left out. `CST`
 * is the one of RFC 2822.
 */
const ZONES: ReadonlyMap<string, number> = new Map(
  (
    'z 0, utc 0, gmt 0, ut 0, wet 0, west 1, bst 1, cet 1, cest 2, mez 1, mesz 2, eet 2, eest 3, ' +
    'sast 2, msk 3, hkt 8, sgt 8, jst 9, kst 9, aest 10, aedt 11, nzst 12, nzdt 13, est -5, edt -4, ' +
    'cst -6, cdt -5, mst -7, mdt -6, pst -8, pdt -7, akst -9, akdt -8, hst -10'
  )
    .split(', ')
    .map((zone) => {
      const [name = '', hours] = zone.split(' ')
      return [name, Number(hours)]
    }),
)
const HOUR = ['h', 'uhr', 'hs', 'hrs', '時', '时', '點', '点', '시']
const MINUTE = ['min', 'm', '分', '분']
const SECOND = ['s', '秒', '초']
/** Words that are a time. */
const NAMED: { readonly [word: string]: string } = {
  midnight: '00:00:00',
  noon: '12:00:00',
  midday: '12:00:00',
  ...Object.fromEntries(
    'mitternacht minuit medianoche mezzanotte middernacht midnatt ponoc pulnoc полночь'
      .split(' ')
      .map((word) => [word, '00:00:00']),
  ),
  ...Object.fromEntries('podne poledne полдень'.split(' ').map((word) => [word, '12:00:00'])),
}
const MOST_HOURS = 14

/** Finds the times of day of a text, in order. */
export function clockTimes(tokens: readonly DateToken[], words: DateWords): ClockTime[] {
  const times: ClockTime[] = []
  for (let index = 0; index < tokens.length; index++) {
    const time = timeAt(tokens, index, words)
    if (time === null) continue
    times.push(time)
    index = time.end - 1
  }
  return times
}

function timeAt(tokens: readonly DateToken[], index: number, words: DateWords): ClockTime | null {
  const token = tokens[index]
  const named = token?.kind === 'word' ? NAMED[token.text] : undefined
  if (named !== undefined) return { from: index, end: index + 1, value: named }
  const hour = numberAt(tokens, index)
  if (hour === null || isAt(tokens, index - 1, ':')) return null
  const before = halfAt(tokens, index - 1, words)
  const parts = clockAt(tokens, index) ?? unitsAt(tokens, index)
  const dotted = isAt(tokens, index + 1, '.') ? minuteAt(tokens, index + 2) : null
  // `12.16 pm` and `1 pm` are times only because of `am` or `pm`.
  const short =
    dotted !== null && halfAt(tokens, index + 3, words) !== null
      ? { minute: dotted, second: 0, end: index + 3 }
      : before !== null || halfAt(tokens, index + 1, words) !== null
        ? { minute: 0, second: 0, end: index + 1 }
        : null
  const { minute, second, end } = parts ?? short ?? { minute: 0, second: 0, end: -1 }
  if (end === -1) return null
  const after = halfAt(tokens, end, words)
  const half = after ?? before
  const { zone, end: zoneEnd } = zoneAt(tokens, after === null ? end : end + dotsAfter(tokens, end))
  const inDay = half === null ? hour : (hour % 12) + (half === 'pm' ? 12 : 0)
  return {
    from: before === null ? index : index - 1,
    end: zoneEnd,
    value:
      inDay > 23 || minute > 59 || second > 59
        ? null
        : `${pad(inDay)}:${pad(minute)}:${pad(second)}${zone}`,
  }
}

/** `14:30`, `14:30:15`, `14:30:15.123`. */
function clockAt(tokens: readonly DateToken[], index: number) {
  if (!isAt(tokens, index + 1, ':')) return null
  const minute = minuteAt(tokens, index + 2)
  if (minute === null) return null
  const second = isAt(tokens, index + 3, ':') ? minuteAt(tokens, index + 4) : null
  if (second === null) return { minute, second: 0, end: index + 3 }
  const hasFraction = isAt(tokens, index + 5, '.', ',') && isGlued(tokens, index + 6)
  return { minute, second, end: index + (hasFraction ? 7 : 5) }
}

/** `21時40分`, `14h30`, `14 Uhr`. */
function unitsAt(tokens: readonly DateToken[], index: number) {
  if (!isAt(tokens, index + 1, ...HOUR)) return null
  const minute = numberAt(tokens, index + 2)
  if (minute === null || (!isGlued(tokens, index + 2) && !isAt(tokens, index + 3, ...MINUTE)))
    return { minute: 0, second: 0, end: index + 2 }
  if (!isAt(tokens, index + 3, ...MINUTE)) return { minute, second: 0, end: index + 3 }
  const second = isAt(tokens, index + 5, ...SECOND) ? numberAt(tokens, index + 4) : null
  return second === null
    ? { minute, second: 0, end: index + 4 }
    : { minute, second, end: index + 6 }
}

function minuteAt(tokens: readonly DateToken[], index: number): number | null {
  return tokens[index]?.text.length === 2 && isGlued(tokens, index) ? numberAt(tokens, index) : null
}

function isGlued(tokens: readonly DateToken[], index: number): boolean {
  return tokens[index]?.kind === 'number' && !tokens[index].isSpaced
}

function halfAt(tokens: readonly DateToken[], index: number, words: DateWords): DayHalf | null {
  const token = tokens[index]
  return token?.kind === 'word' ? words.half(token.text) : null
}

/** `am` or `pm`, and the dot after it. */
function dotsAfter(tokens: readonly DateToken[], index: number): number {
  return isAt(tokens, index + 1, '.') ? 2 : 1
}

function zoneAt(tokens: readonly DateToken[], index: number): { zone: string; end: number } {
  const from = isAt(tokens, index, '(') ? index + 1 : index
  const token = tokens[from]
  const hours = token?.kind === 'word' ? ZONES.get(token.text) : undefined
  if (hours !== undefined) {
    const offset = hours === 0 ? offsetAt(tokens, from + 1, true) : null
    return offset ?? { zone: zoneText(hours * 60), end: from + 1 }
  }
  return offsetAt(tokens, index, false) ?? { zone: '', end: index }
}

/** `+02:00`, `-0500`, `+02`; after the name of a zone also `+2`. */
function offsetAt(
  tokens: readonly DateToken[],
  index: number,
  isNamed: boolean,
): { zone: string; end: number } | null {
  if (!isAt(tokens, index, '+', '-', '−') || !isGlued(tokens, index + 1)) return null
  const digits = tokens[index + 1]?.text ?? ''
  const hasColon = isAt(tokens, index + 2, ':') && minuteAt(tokens, index + 3) !== null
  if (digits.length !== 4 && digits.length !== 2 && !isNamed) return null
  if (digits.length === 2 && !hasColon && !isNamed && tokens[index]?.isSpaced === true) return null
  const hours = Number(digits.length > 2 ? digits.slice(0, -2) : digits)
  const minutes =
    digits.length > 2 ? Number(digits.slice(-2)) : hasColon ? numberAt(tokens, index + 3) : 0
  if (hours > MOST_HOURS || (minutes ?? 0) > 59) return null
  const sign = isAt(tokens, index, '+') ? 1 : -1
  return {
    zone: zoneText(sign * (hours * 60 + (minutes ?? 0))),
    end: index + (hasColon && digits.length <= 2 ? 4 : 2),
  }
}

function zoneText(minutes: number): string {
  if (minutes === 0) return 'Z'
  const whole = Math.abs(minutes)
  return `${minutes < 0 ? '-' : '+'}${pad(Math.trunc(whole / 60))}:${pad(whole % 60)}`
}

function pad(value: number): string {
  return String(value).padStart(2, '0')
}
