import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../kernel/time.ts'
import type { ClockTime } from './clock-time.ts'
import type { DateUnit } from './date-format.ts'
import { isAt } from './date-tokens.ts'
import type { DateToken } from './date-tokens.ts'
import { frameOf, relativeWordsOf } from './relative-words.ts'
import type { Phrases, RelativeWords, UnitPhrase } from './relative-words.ts'

/** A word or a number of the text. */
interface Part {
  /** `null` for a number. */
  readonly word: string | null
  readonly number: number
  /** The sign that is written before the number. */
  readonly sign: -1 | 0 | 1
  /** Index of its first token, and of the first token after it. */
  readonly from: number
  readonly end: number
}

/** A distance in time from the reference. */
interface Distance {
  readonly lengths: readonly Length[]
  /** Index of its first part, and of the first part after it. */
  readonly from: number
  readonly end: number
}

interface Length extends Pick<UnitPhrase, 'unit'> {
  /** Negative for the past. */
  readonly count: number
}

const MS: { readonly [unit in DateUnit]: number } = {
  second: 1_000,
  minute: MINUTE_MS,
  hour: HOUR_MS,
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 0,
  year: 0,
}
const MONTH_DAYS = 30
/** Maximum words between two lengths: `1 hour and 5 minutes`, `2 days ago 3 hours ago`. */
const MOST_BETWEEN = 3
/** Words that say that a number is not exact. They are skipped. */
const ABOUT = new Set(
  (
    'about around approximately roughly almost nearly circa etwa ungefahr rund fast environ presque pres ' +
    'cerca de unos unas casi aproximadamente quase около примерно почти quasi ongeveer bijna ' +
    'okolo ok the প্রায় 约 大约 約'
  ).split(' '),
)

/**
 * Reads a date that is given by its distance from `now`: `3 days ago`, `in 2 Wochen`, `yesterday at
 * 14:30`, and `3h` alone, which is an age. Returns `null` for any other text.
 */
export function relativeDate(
  tokens: readonly DateToken[],
  times: readonly ClockTime[],
  language: string | null,
  now: number,
): string | null {
  for (const tag of new Set([language ?? 'en', 'en'])) {
    const words = relativeWordsOf(tag)
    if (words === null) continue
    const parts = partsOf(tokens, words)
    const distance = new Finder(parts, words).find() ?? framed(tokens, parts, words)
    if (distance !== null) return write(distance, parts, times, now)
  }
  return null
}

function partsOf(tokens: readonly DateToken[], words: RelativeWords): Part[] {
  const parts: Part[] = []
  let about = -2
  for (const [index, { kind, text }] of tokens.entries()) {
    if (kind === 'sign' || index < (parts.at(-1)?.end ?? 0)) continue
    if (kind === 'number') {
      // `10.75`
      const rest = tokens[index + 2]
      const hasRest =
        isAt(tokens, index + 1, '.', ',') &&
        tokens[index + 1]?.isSpaced === false &&
        rest?.kind === 'number' &&
        !rest.isSpaced
      const number = Number(hasRest ? `${text}.${rest.text}` : text)
      const before = tokens[index - 1]
      const sign = before?.text === '+' ? 1 : /^[-−]$/.test(before?.text ?? '') ? -1 : 0
      parts.push({ word: null, number, sign, from: index, end: index + (hasRest ? 3 : 1) })
    } else if (ABOUT.has(text) && (about === index - 1 || !isUsed(text, words))) {
      // `cerca de`: the second word has no other meaning after the first.
      about = index
    } else if (!words.noise.has(text)) {
      const number = words.numbers.get(text)
      const word = number === undefined ? text : null
      parts.push({ word, number: number ?? 0, sign: 0, from: index, end: index + 1 })
    }
  }
  return parts
}

/** A text that equals the language's own pattern for one number. */
function framed(
  tokens: readonly DateToken[],
  parts: readonly Part[],
  { frames }: RelativeWords,
): Distance | null {
  const [number, other] = parts.filter(({ word }) => word === null)
  if (number === undefined || other !== undefined || number.sign !== 0) return null
  const wordsAt = (from: number, end?: number): string[] =>
    tokens.slice(from, end).flatMap(({ kind, text }) => (kind === 'word' ? [text] : []))
  const frame = frames.get(frameOf(wordsAt(0, number.from), wordsAt(number.end)))
  return frame === undefined
    ? null
    : {
        lengths: [{ unit: frame.unit, count: frame.sign * number.number }],
        from: 0,
        end: parts.length,
      }
}

function isUsed(word: string, { signsBefore, signsAfter, fixed, numbers }: RelativeWords): boolean {
  return numbers.has(word) || [signsBefore, signsAfter, fixed].some(({ words }) => words.has(word))
}

class Finder {
  readonly #parts: readonly Part[]
  readonly #words: RelativeWords

  constructor(parts: readonly Part[], words: RelativeWords) {
    this.#parts = parts
    this.#words = words
  }

  /** The first distance in the text. */
  find(): Distance | null {
    for (let index = 0; index < this.#parts.length;) {
      const fixed = this.#phraseAt(this.#words.fixed, index)
      const isNow = fixed?.value.count === 0 && fixed.value.unit === 'second'
      if (fixed !== null && (!isNow || this.#isWhole(index, fixed.end)))
        return { lengths: [fixed.value], from: index, end: fixed.end }
      const run = this.#runAt(index)
      const last = run === null ? this.#unitAlone(index) : this.#directed(run)
      if (last !== null) return last
      index = run?.end ?? index + 1
    }
    return null
  }

  /** Consecutive lengths of time, for which past or future is not known yet. */
  #runAt(index: number): Run | null {
    const first = this.#lengthAt(index)
    if (first === null) return null
    const lengths = [first]
    let { end } = first
    for (let next: Counted | null = first; next !== null;) {
      next = null
      for (let skip = 0; skip <= MOST_BETWEEN && next === null; skip++) {
        const between = this.#parts.slice(end, end + skip)
        if (between.some(({ word }) => word === null || !this.#isSign(word))) break
        next = this.#lengthAt(end + skip)
      }
      if (next === null) break
      lengths.push(next)
      end = next.end
    }
    return { lengths, from: index, end }
  }

  #lengthAt(index: number): Counted | null {
    const part = this.#parts[index]
    if (part === undefined) return null
    if (part.word === null) {
      const unit = this.#phraseAt(this.#words.unitsAfter, index + 1)
      return unit === null ? null : counted(unit.value, part, unit.end)
    }
    const unit = this.#phraseAt(this.#words.unitsBefore, index)
    const number = unit === null ? undefined : this.#parts[unit.end]
    return unit === null || number?.word !== null ? null : counted(unit.value, number, unit.end + 1)
  }

  /** Gives lengths their sign. An age alone needs no sign: `3h`. */
  #directed({ lengths, from, end }: Run): Distance | null {
    const after = this.#phraseAt(this.#words.signsAfter, end)
    const before = this.#phraseBefore(from)
    const own = lengths.find(({ phrase }) => phrase.sign !== 0)?.phrase.sign
    const ownSign = lengths[0]?.part.sign ?? 0
    const sign =
      after?.value ??
      own ??
      (ownSign !== 0 ? ownSign : (before ?? (this.#isWhole(from, end) ? -1 : null)))
    if (sign === null) return null
    let lastSign = sign
    return {
      lengths: lengths.map(({ phrase: { unit, times }, part }) => {
        if (ownSign !== 0 && part.sign !== 0) lastSign = part.sign
        return { unit, count: lastSign * times * part.number }
      }),
      from,
      end: after?.end ?? end,
    }
  }

  /** `час назад`, `преди седмица`: one unit without a number. */
  #unitAlone(index: number): Distance | null {
    const unit = this.#phraseAt(this.#words.unitsAfter, index)
    if (unit === null || !unit.value.isOne) return null
    const before = this.#phraseBefore(index)
    const after = index === 0 ? this.#phraseAt(this.#words.signsAfter, unit.end) : null
    const sign = after?.value ?? before
    return sign === null
      ? null
      : {
          lengths: [{ unit: unit.value.unit, count: sign * unit.value.times }],
          from: index,
          end: after?.end ?? unit.end,
        }
  }

  #isWhole(from: number, end: number): boolean {
    return from === 0 && end === this.#parts.length
  }

  #isSign(word: string): boolean {
    return this.#words.signsBefore.words.has(word) || this.#words.signsAfter.words.has(word)
  }

  /** The longest phrase that begins at a part. */
  #phraseAt<T>(phrases: Phrases<T>, index: number): { value: T; end: number } | null {
    let text = ''
    let last: { value: T; end: number } | null = null
    for (let end = index + 1; end <= index + phrases.longest; end++) {
      const word = this.#parts[end - 1]?.word
      if (word === undefined || word === null || !phrases.words.has(word)) break
      text = text === '' ? word : `${text} ${word}`
      const value = phrases.get(text)
      if (value !== undefined) last = { value, end }
    }
    return last
  }

  /** The sign of the longest phrase that ends before a part. */
  #phraseBefore(end: number): -1 | 1 | null {
    const phrases = this.#words.signsBefore
    let text = ''
    let last: -1 | 1 | null = null
    for (let index = end - 1; index >= end - phrases.longest; index--) {
      const word = this.#parts[index]?.word
      if (word === undefined || word === null || !phrases.words.has(word)) break
      text = text === '' ? word : `${word} ${text}`
      last = phrases.get(text) ?? last
    }
    return last
  }
}

/** A number with its unit. */
interface Counted {
  readonly phrase: UnitPhrase
  readonly part: Part
  readonly end: number
}

interface Run extends Pick<Distance, 'from' | 'end'> {
  readonly lengths: readonly Counted[]
}

function counted(phrase: UnitPhrase, part: Part, end: number): Counted {
  return { phrase, part, end }
}

function write(
  { lengths, from, end }: Distance,
  parts: readonly Part[],
  times: readonly ClockTime[],
  now: number,
): string | null {
  const date = new Date(now)
  let [months, ms] = [0, 0]
  for (const { unit, count } of lengths) {
    ms += count * MS[unit]
    if (unit === 'month' || unit === 'year') months += count * (unit === 'year' ? 12 : 1)
  }
  const whole = Math.trunc(months)
  const day = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + whole)
  date.setUTCDate(Math.min(day, daysOf(date)))
  date.setTime(date.getTime() + ms + (months - whole) * MONTH_DAYS * DAY_MS)
  const year = date.getUTCFullYear()
  if (Number.isNaN(year) || year < 1 || year > 9_999) return null
  const isDay = lengths.every(
    ({ unit, count }) => !['second', 'minute', 'hour'].includes(unit) && Number.isInteger(count),
  )
  const text = date.toISOString()
  if (!isDay) return text.replace(/\.\d+Z$/, 'Z')
  const [first, stop] = [parts[from]?.from ?? 0, parts[end - 1]?.end ?? 0]
  const time = times.find((clockTime) => clockTime.end <= first || clockTime.from >= stop)
  return time?.value ? `${text.slice(0, 10)}T${time.value}` : text.slice(0, 10)
}

function daysOf(date: Date): number {
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
}
