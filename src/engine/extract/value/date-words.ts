import { DAY_MS, HOUR_MS } from '../../../kernel/time.ts'
import { knownTag } from './date-format.ts'

/** A half of the day. */
export type DayHalf = 'am' | 'pm'

/** Words of dates, as {@link plainWord} writes them. */
interface WordTable {
  /** Names of months to their numbers from 1. */
  readonly months: ReadonlyMap<string, number>
  /** Names of week days to their numbers from 0, Sunday. */
  readonly days: ReadonlyMap<string, number>
  /** Names of the halves of a day, such as `am`. */
  readonly halves: ReadonlyMap<string, DayHalf>
}

const MONTHS = 12
const WEEK = 7
/** A Sunday. */
const SUNDAY = Date.UTC(2026, 0, 4)
const MOST_LANGUAGES = 50
const tables = new Map<string, WordTable>()

/**
 * A word in lower case, without accents, dots and apostrophes. Accents are those of Latin, Greek
 * and Cyrillic; the vowel signs of other scripts stay.
 */
export function plainWord(word: string): string {
  return word
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\u{300}-\u{36f}.'’ʹʻʼ॰]/gu, '')
    .normalize('NFC')
    .replaceAll('ı', 'i')
}

/**
 * The words of dates in English and in one other language. The tables of that language are made
 * when English does not know a word: most dates have no words, and the runtime's tables are slow to
 * load.
 */
export class DateWords {
  readonly #tag: string | null
  readonly #isEnglish: boolean
  readonly #isInflected: boolean

  /** `language`: a BCP 47 tag. With `null` the months of common languages are known. */
  constructor(language: string | null) {
    this.#isEnglish = language !== null && /^en(?:[-_]|$)/i.test(language)
    this.#tag = language === null || this.#isEnglish ? null : knownTag(language)
    this.#isInflected = this.#tag !== null && INFLECTED.has(languageOf(this.#tag))
  }

  /** The month whose name is a word, or begins with it: `sept`, `кві`. `null`: no month, or several. */
  month(word: string): number | null {
    const english = find(word, ENGLISH.months)
    if (english !== null) return english
    const { months } = this.#local()
    // If the language is not known, the beginning of a name is not enough.
    if (this.#tag === null) return find(word, months, Infinity)
    return find(word, months) ?? (this.#isInflected ? findInflected(word, months) : null)
  }

  /** The week day whose name is a word, or begins with it. Sunday is 0. */
  day(word: string): number | null {
    return find(word, ENGLISH.days, 2) ?? find(word, this.#local().days, 2)
  }

  half(word: string): DayHalf | null {
    return (
      ENGLISH.halves.get(word) ?? (word.length < 2 ? null : this.#local().halves.get(word)) ?? null
    )
  }

  #local(): WordTable {
    const tag = this.#tag
    // English pages may also contain dates in other languages, because the template names the
    // language but people write the texts.
    if (tag === null) return remembered(tables, '', commonWords)
    return remembered(tables, tag, () => wordsOf(tag))
  }
}

/** The meaning of a word, or the meaning that all names with this beginning share. */
function find<T>(word: string, names: ReadonlyMap<string, T>, least = 3): T | null {
  const whole = names.get(word)
  if (whole !== undefined) return whole
  if (word.length < least) return null
  let begun: T | null = null
  for (const [name, value] of names)
    if (name.startsWith(word)) {
      if (begun !== null && begun !== value) return null
      begun = value
    }
  return begun
}

/**
 * The month whose name is another case or spelling of a word: `studenom` is `studeni`. The endings
 * of both may differ. They may differ less if the common beginning is short.
 */
function findInflected(word: string, months: ReadonlyMap<string, number>): number | null {
  let [longest, best]: [number, number | null] = [LEAST_STEM - 1, null]
  for (const [name, month] of months) {
    const shared = sharedStart(word, name)
    const most = shared > LEAST_STEM ? 2 : 1
    if (shared < longest || word.length - shared > most || name.length - shared > MOST_END) continue
    best = shared > longest || best === month ? month : null
    longest = shared
  }
  return best
}

function sharedStart(left: string, right: string): number {
  let length = 0
  while (length < left.length && left[length] === right[length]) length++
  return length
}

function languageOf(tag: string): string {
  return tag.split('-', 1)[0] ?? tag
}

function numbered(names: string, first: number): Map<string, number> {
  return new Map(names.split(' ').map((name, index) => [name, index + first]))
}

const ENGLISH: WordTable = {
  months: numbered(
    'january february march april may june july august september october november december',
    1,
  ),
  days: numbered('sunday monday tuesday wednesday thursday friday saturday', 0),
  halves: new Map([
    ['am', 'am'],
    ['pm', 'pm'],
  ]),
}

/**
 * Caches the words of the last languages. The cache is bounded, because pages choose the names of
 * languages.
 */
export function remembered<T>(made: Map<string, T>, key: string, make: () => T): T {
  const present = made.get(key)
  if (present !== undefined) return present
  const value = make()
  if (made.size === MOST_LANGUAGES) made.clear()
  made.set(key, value)
  return value
}

/**
 * Languages whose months are known on a page that names no language, or English. A name that is two
 * months, such as `listopad`, is left out.
 */
const COMMON = 'de fr es it pt nl pl ru uk tr sv da cs hu ro fi el id hr'.split(' ')

/** Languages whose months have cases, or more spellings than one. */
const INFLECTED = new Set('be bg bn bs cs fi hi hr lt lv mk mr pl ru sk sl sr uk'.split(' '))
/**
 * Minimum number of letters that a word shares with the name of its month, and maximum number that
 * the name adds.
 */
const LEAST_STEM = 4
const MOST_END = 3

/** Words that people write and the runtime's tables lack, by language. */
const EXTRA_MONTHS: { readonly [language: string]: readonly (readonly [string, number])[] } = {
  be: [
    ['травень', 5],
    ['траўня', 5],
  ],
}
const INDIC_HALVES: readonly (readonly [string, DayHalf])[] = [
  ['पूर्वाह्न', 'am'],
  ['अपराह्न', 'pm'],
]
const EXTRA_HALVES: { readonly [language: string]: readonly (readonly [string, DayHalf])[] } = {
  hi: INDIC_HALVES,
  mr: INDIC_HALVES,
  bn: [
    ['পূর্বাহ্ন', 'am'],
    ['পূর্বাহ্ণ', 'am'],
    ['অপরাহ্ন', 'pm'],
    ['অপরাহ্ণ', 'pm'],
  ],
}

function wordsOf(tag: string): WordTable {
  const months = new Map<string, number>()
  const days = new Map<string, number>()
  const halves = new Map<string, DayHalf>()
  for (const [name, month] of monthNames(tag, ['long', 'short'])) add(months, name, month)
  for (const width of ['long', 'short'] as const)
    for (const [index, name] of partsOf(tag, WEEK, 'weekday', { weekday: width }))
      add(days, name, index)
  const twelve = { hour: 'numeric', hour12: true } as const
  for (const [index, name] of partsOf(tag, 2, 'dayPeriod', twelve))
    add(halves, name, index === 0 ? 'am' : 'pm')
  const language = languageOf(tag)
  for (const [name, month] of EXTRA_MONTHS[language] ?? []) add(months, plainWord(name), month)
  for (const [name, half] of EXTRA_HALVES[language] ?? []) add(halves, plainWord(name), half)
  return { months, days, halves }
}

function add<T>(names: Map<string, T>, name: string, value: T): void {
  if (/^\p{L}[\p{L}\p{M}]*$/u.test(name) && !names.has(name)) names.set(name, value)
}

function commonWords(): WordTable {
  const common = new Map<string, number | null>()
  for (const tag of COMMON)
    for (const [name, month] of monthNames(tag, ['long'])) {
      const other = common.get(name)
      common.set(name, other === undefined || other === month ? month : null)
    }
  const months = new Map<string, number>()
  for (const [name, month] of common) if (month !== null) add(months, name, month)
  return { months, days: new Map(), halves: new Map() }
}

/** The names of months, alone and as they stand in a date. */
function* monthNames(
  tag: string,
  widths: readonly ('long' | 'short')[],
): Generator<readonly [name: string, month: number]> {
  for (const month of widths)
    for (const options of [{ month }, { day: 'numeric', month, year: 'numeric' } as const])
      for (const [index, name] of partsOf(tag, MONTHS, 'month', options)) yield [name, index + 1]
}

/** Formatted parts of dates: one for each month, each week day, and each half of a day. */
function partsOf(
  tag: string,
  count: number,
  type: 'month' | 'weekday' | 'dayPeriod',
  options: Intl.DateTimeFormatOptions,
): (readonly [index: number, name: string])[] {
  const format = new Intl.DateTimeFormat(tag, { ...options, timeZone: 'UTC', calendar: 'gregory' })
  return Array.from({ length: count }, (_, index) => {
    const moment =
      type === 'month'
        ? Date.UTC(2026, index, 5)
        : SUNDAY + (type === 'weekday' ? index * DAY_MS : (3 + index * 12) * HOUR_MS)
    const part = format.formatToParts(moment).find((formatPart) => formatPart.type === type)
    return [index, plainWord(part?.value ?? '')] as const
  })
}
