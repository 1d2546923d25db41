import type { ValueFormat } from '../../recipe/recipe-input.ts'

/** Units in which relative dates are counted. */
export const DATE_UNITS = ['second', 'minute', 'hour', 'day', 'week', 'month', 'year'] as const
export type DateUnit = (typeof DATE_UNITS)[number]

/** The format of dates in a text. Absent members are not known. */
export interface DateFormat {
  readonly order?: NonNullable<ValueFormat['date']>['order']
  /** BCP 47 tag of the language of the text. */
  readonly language?: string | null
  /**
   * The time at which the text was read, in Unix milliseconds. `yesterday` and `5 May` are relative
   * to it. Without it such texts are not dates.
   */
  readonly now?: number | null
}

/**
 * The order of day and month in numbers of a language. `null`: not known. English differs between
 * countries, and pages often name the wrong one.
 */
export function orderOf(language: string): 'dmy' | 'mdy' | null {
  if (/^en(?:-us)?$/i.test(language)) return null
  const tag = knownTag(language)
  if (tag === null) return null
  const types = new Intl.DateTimeFormat(tag, { calendar: 'gregory' })
    .formatToParts(0)
    .map(({ type }) => type)
  return types.indexOf('day') < types.indexOf('month') ? 'dmy' : 'mdy'
}

/**
 * True if a language writes the year first, even with two digits: `24. 11. 12.` in Korean. English
 * and French differ between countries.
 */
export function isYearFirst(language: string): boolean {
  const tag = /^(?:en|fr)(?:[-_]|$)/i.test(language) ? null : knownTag(language)
  if (tag === null) return false
  const [first] = new Intl.DateTimeFormat(tag, { calendar: 'gregory' }).formatToParts(0)
  return first?.type === 'year'
}

/**
 * Returns the tag of a language if the runtime knows it: `de`, `pt-BR`, also for `pt_BR`. Otherwise
 * `null`.
 */
export function knownTag(language: string): string | null {
  const tag = language.trim().replaceAll('_', '-')
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(tag)[0] ?? null
  } catch {
    // Not a language tag.
    return null
  }
}
