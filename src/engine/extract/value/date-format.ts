import type { ValueFormat } from '../../recipe/recipe-input.ts'

/** How a text writes dates. Absent members are not known. */
export interface DateFormat {
  readonly order?: NonNullable<ValueFormat['date']>['order']
  /** BCP 47 tag of the language of the text. */
  readonly language?: string | null
}

const MONTHS = 12
const MOST_LANGUAGES = 50
const names = new Map<string, ReadonlyMap<string, number>>()

/**
 * Names of months of a language, in lower case and without full stops, to their numbers: long and
 * short ones, alone and as they stand in a date. Empty for a tag that is not known.
 */
export function monthsOf(language: string): ReadonlyMap<string, number> {
  const present = names.get(language)
  if (present !== undefined) return present
  const months = new Map<string, number>()
  for (let month = 0; month < MONTHS; month++)
    for (const name of namesOf(month, language)) months.set(plainName(name), month + 1)
  if (names.size === MOST_LANGUAGES) names.clear()
  names.set(language, months)
  return months
}

/** A name of a month as {@link monthsOf} has it. */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '')
}

function namesOf(month: number, language: string): string[] {
  try {
    if (Intl.DateTimeFormat.supportedLocalesOf(language).length === 0) return []
    return (['long', 'short'] as const).flatMap((width) =>
      [{ month: width }, { day: 'numeric', month: width, year: 'numeric' } as const].flatMap(
        (options) =>
          new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC', calendar: 'gregory' })
            .formatToParts(Date.UTC(2026, month, 5))
            .flatMap(({ type, value }) =>
              type === 'month' && /^\p{L}[\p{L}\p{M}]*\.?$/u.test(value) ? [value] : [],
            ),
      ),
    )
  } catch {
    // Not a language tag.
    return []
  }
}

/**
 * The order in which a language writes day and month in numbers. `null`: not known. English differs
 * between countries, and pages often name the wrong one.
 */
export function orderOf(language: string): 'dmy' | 'mdy' | null {
  if (/^en(?:-us)?$/i.test(language)) return null
  try {
    if (Intl.DateTimeFormat.supportedLocalesOf(language).length === 0) return null
    const types = new Intl.DateTimeFormat(language, { calendar: 'gregory' })
      .formatToParts(0)
      .map(({ type }) => type)
    return types.indexOf('day') < types.indexOf('month') ? 'dmy' : 'mdy'
  } catch {
    return null
  }
}
