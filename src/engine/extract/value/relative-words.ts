import { DATE_UNITS as UNITS, knownTag } from './date-format.ts'
import type { DateUnit } from './date-format.ts'
import { plainWord, remembered } from './date-words.ts'
import { EXTRA_WORDS } from './relative-extras.ts'

/** The unit that a phrase such as `weeks` counts. */
export interface UnitPhrase {
  readonly unit: DateUnit
  /** How many units the word stands for: a decade is 10 years. */
  readonly times: number
  /** -1 or 1 if the phrase alone means past or future (`小时前`); else 0. */
  readonly sign: -1 | 0 | 1
  /** True if the word alone means one unit, as `week` does. */
  readonly isOne: boolean
}

/**
 * The phrases of a language for relative dates. All of them are plain words, separated by single
 * blanks.
 */
export interface RelativeWords {
  /** Phrases of units that stand after their number, and before it. */
  readonly unitsAfter: Phrases<UnitPhrase>
  readonly unitsBefore: Phrases<UnitPhrase>
  /** Phrases for past (-1) or future (1), before the numbers (`vor`) and after them (`ago`). */
  readonly signsBefore: Phrases<-1 | 1>
  readonly signsAfter: Phrases<-1 | 1>
  /** Phrases that are a whole date: `yesterday`, `last week`. */
  readonly fixed: Phrases<{ readonly unit: DateUnit; readonly count: number }>
  /** The meaning of a number between these words ({@link frameOf}), if there are no other words. */
  readonly frames: ReadonlyMap<string, Pick<UnitPhrase, 'unit'> & { readonly sign: -1 | 1 }>
  /** Words that are numbers: `a`, `five`. */
  readonly numbers: ReadonlyMap<string, number>
  /** Words without a meaning here: `and`, and those of each unit in past and future. */
  readonly noise: ReadonlySet<string>
}

/** The phrases of some words, with their meanings. */
export class Phrases<T> {
  /** The words of the phrases. */
  readonly words = new Set<string>()
  /** Number of words of the longest phrase. */
  readonly longest: number
  readonly #values: ReadonlyMap<string, T>

  constructor(values: ReadonlyMap<string, T>) {
    this.#values = values
    const phrases = [...values.keys()].map((phrase) => phrase.split(' '))
    for (const words of phrases) for (const word of words) this.words.add(word)
    this.longest = Math.max(0, ...phrases.map((words) => words.length))
  }

  get(phrase: string): T | undefined {
    return this.#values.get(phrase)
  }
}

const STYLES = ['long', 'short', 'narrow'] as const
/** Numbers of each plural form of the known languages. */
const COUNTS = [1, 2, 3, 5, 11, 20, 1.5]
/** Maximum number of units with which a word may occur and still name one of them. */
const COMMON = 3
const languages = new Map<string, RelativeWords>()

/** The words of a language; `null` if the runtime does not know it. */
export function relativeWordsOf(language: string): RelativeWords | null {
  const tag = knownTag(language)
  return tag === null ? null : remembered(languages, tag, () => new Builder(tag).build())
}

/** The plain words of a text. */
function wordsIn(text: string): string[] {
  return (text.match(/\p{L}[\p{L}\p{M}\u200c\u200d]*(?:\.\p{L}[\p{L}\p{M}]*)*/gu) ?? []).map(
    plainWord,
  )
}

/** The key of the words before a number and after it. */
export function frameOf(before: readonly string[], after: readonly string[]): string {
  return `${before.join(' ')}#${after.join(' ')}`
}

/** The phrases of the language for one number of units. */
interface Pattern {
  readonly unit: DateUnit
  readonly sign: -1 | 1
  readonly count: number
  readonly before: readonly string[]
  readonly after: readonly string[]
}

class Builder {
  readonly #tag: string
  readonly #patterns: Pattern[] = []
  readonly #fixed = new Map<string, { unit: DateUnit; count: number }>()
  readonly #unitsAfter = new Map<string, UnitPhrase>()
  readonly #unitsBefore = new Map<string, UnitPhrase>()
  readonly #signsBefore = new Map<string, -1 | 1>()
  readonly #signsAfter = new Map<string, -1 | 1>()
  readonly #noise = new Set<string>()
  /** The words for past or future, by their sign. */
  readonly #signWords = { [-1]: new Set<string>(), [1]: new Set<string>() }

  constructor(tag: string) {
    this.#tag = tag
  }

  build(): RelativeWords {
    const extra = EXTRA_WORDS[this.#tag.split('-', 1)[0] ?? '']
    this.#readPatterns()
    this.#sortWords()
    for (const word of new Intl.ListFormat(this.#tag).formatToParts(['1', '2', '3']))
      if (word.type === 'literal') for (const noise of wordsIn(word.value)) this.#noise.add(noise)
    // The unit of a number alone. It means neither past nor future.
    for (const unitDisplay of STYLES) this.#addPlain(unitDisplay)
    for (const pattern of this.#patterns) this.#add(pattern)
    for (const [phrase, unit, times] of extra?.units ?? [])
      this.#unitsAfter.set(this.#quiet(wordsIn(phrase)), { unit, times, sign: 0, isOne: false })
    for (const [phrase, sign] of extra?.before ?? [])
      this.#signsBefore.set(this.#quiet(wordsIn(phrase)), sign)
    for (const [phrase, sign] of extra?.after ?? [])
      this.#signsAfter.set(this.#quiet(wordsIn(phrase)), sign)
    for (const [phrase, unit, count] of extra?.fixed ?? [])
      this.#fixed.set(this.#quiet(wordsIn(phrase)), { unit, count })
    const numbers = (extra?.numbers ?? []).map(([word, count]) => [plainWord(word), count] as const)
    return {
      unitsAfter: new Phrases(this.#unitsAfter),
      unitsBefore: new Phrases(this.#unitsBefore),
      signsBefore: new Phrases(this.#signsBefore),
      signsAfter: new Phrases(this.#signsAfter),
      fixed: new Phrases(
        new Map([...this.#fixed].map(([text, date]) => [this.#quiet(text.split(' ')), date])),
      ),
      frames: this.#frames(),
      numbers: new Map(numbers),
      noise: this.#noise,
    }
  }

  /**
   * The patterns as the runtime has them, without those that mean both past and future, or two
   * units.
   */
  #frames(): RelativeWords['frames'] {
    const frames = new Map<string, { unit: DateUnit; sign: -1 | 1 }>()
    const unclear = new Set<string>()
    for (const { unit, sign, before, after } of this.#patterns) {
      const frame = frameOf(before, after)
      const other = frames.get(frame)
      if (other !== undefined && (other.unit !== unit || other.sign !== sign)) unclear.add(frame)
      frames.set(frame, { unit, sign })
    }
    for (const frame of unclear) frames.delete(frame)
    return frames
  }

  #readPatterns(): void {
    for (const style of STYLES) {
      const format = new Intl.RelativeTimeFormat(this.#tag, { style })
      const named = new Intl.RelativeTimeFormat(this.#tag, { style, numeric: 'auto' })
      for (const unit of UNITS) {
        for (const sign of [-1, 1] as const)
          for (const count of COUNTS) this.#readPattern(unit, sign, count, format)
        for (const count of [-2, -1, 0, 1, 2])
          if (count !== 0 || unit === 'day' || unit === 'second')
            this.#addFixed(unit, count, named.formatToParts(count, unit))
      }
    }
  }

  #readPattern(unit: DateUnit, sign: -1 | 1, count: number, format: Intl.RelativeTimeFormat): void {
    const parts = format.formatToParts(sign * count, unit)
    const first = parts.findIndex(({ type }) => type !== 'literal')
    if (first === -1) return this.#addFixed(unit, sign * count, parts)
    const last = parts.findLastIndex(({ type }) => type !== 'literal')
    const text = (some: typeof parts): string[] => wordsIn(some.map(({ value }) => value).join(''))
    const before = text(parts.slice(0, first))
    this.#patterns.push({ unit, sign, count, before, after: text(parts.slice(last + 1)) })
  }

  #addFixed(
    unit: DateUnit,
    count: number,
    parts: readonly { type: string; value: string }[],
  ): void {
    if (parts.some(({ type }) => type !== 'literal')) return
    const phrase = wordsIn(parts.map(({ value }) => value).join('')).join(' ')
    if (phrase !== '' && !this.#fixed.has(phrase)) this.#fixed.set(phrase, { unit, count })
  }

  /** Separates words of units from those of past and future, and from those without a meaning. */
  #sortWords(): void {
    const units = { [-1]: new Map<string, Set<DateUnit>>(), [1]: new Map<string, Set<DateUnit>>() }
    for (const { unit, sign, before, after } of this.#patterns)
      for (const word of [...before, ...after]) {
        const ofWord = units[sign].get(word) ?? new Set()
        units[sign].set(word, ofWord.add(unit))
      }
    for (const sign of [-1, 1] as const)
      for (const [word, { size }] of units[sign]) {
        const other = units[sign === 1 ? -1 : 1].get(word)?.size ?? 0
        if (size >= COMMON && other === 0) this.#signWords[sign].add(word)
        else if (size >= COMMON && other >= COMMON) this.#noise.add(word)
      }
  }

  #add({ unit, sign, count, before, after }: Pattern): void {
    const isSign = (word: string): boolean => this.#signWords[sign].has(word)
    const [signBefore, signAfter] = [before.filter(isSign), after.filter(isSign)]
    if (signBefore.length > 0) this.#signsBefore.set(signBefore.join(' '), sign)
    if (signAfter.length > 0) this.#signsAfter.set(signAfter.join(' '), sign)
    const isPlain = signBefore.length + signAfter.length > 0
    const rest = (words: readonly string[]): string =>
      this.#quiet(words.filter((word) => !isSign(word)))
    const phrase = rest(after)
    if (phrase !== '') this.#addUnit(this.#unitsAfter, phrase, unit, isPlain ? 0 : sign, count)
    else this.#addUnit(this.#unitsBefore, rest(before), unit, isPlain ? 0 : sign, count)
  }

  #addPlain(unitDisplay: (typeof STYLES)[number]): void {
    for (const unit of UNITS) {
      const format = new Intl.NumberFormat(this.#tag, { style: 'unit', unit, unitDisplay })
      for (const count of COUNTS) {
        const parts = format.formatToParts(count)
        const number = parts.findIndex(({ type }) => type === 'integer')
        const text = (isAfter: boolean): string =>
          this.#quiet(
            parts.flatMap(({ type, value }, index) =>
              type === 'unit' && index > number === isAfter ? wordsIn(value) : [],
            ),
          )
        if (number === -1) continue
        this.#addUnit(this.#unitsAfter, text(true), unit, 0, count)
        this.#addUnit(this.#unitsBefore, text(false), unit, 0, count)
      }
    }
  }

  #addUnit(
    units: Map<string, UnitPhrase>,
    phrase: string,
    unit: DateUnit,
    sign: -1 | 0 | 1,
    count: number,
  ): void {
    if (phrase === '') return
    const present = units.get(phrase)
    if (present === undefined) units.set(phrase, { unit, times: 1, sign, isOne: count === 1 })
    else if (present.unit === unit)
      units.set(phrase, {
        ...present,
        sign: present.sign === sign ? sign : 0,
        isOne: present.isOne && count === 1,
      })
  }

  /** A phrase without words that have no meaning. */
  #quiet(words: readonly string[]): string {
    return words.filter((word) => !this.#noise.has(word)).join(' ')
  }
}
