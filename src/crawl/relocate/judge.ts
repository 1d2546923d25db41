import type { Json, Row } from '../../kernel/json.ts'
import { hasValue } from '../../engine/extract/value/convert.ts'
import type { FieldRelocation, RelocationSample } from '../../features/executions/relocation.ts'
import type { Reason } from '../../features/executions/records.ts'

/** Minimum number of pages with earlier values on which a proposal must be tried. */
export const LEAST_PAGES = 5
/** A proposal must give the earlier values on this share of the pages. */
const LEAST_CONFIDENCE = 0.6
/**
 * Minimum number of different values that it must give. A value that all pages share proves
 * nothing.
 */
const LEAST_DIFFERENT = 2
const MOST_SAMPLES = 3
const MOST_SAMPLE_TEXT = 200

/** Values of a column on one page: those of the earlier run, and those of a source that is tried. */
export interface TriedPage {
  readonly url: string
  readonly before: readonly Json[]
  readonly after: readonly Json[]
}

/** The values that a source gave on all pages. */
export interface Score extends Pick<FieldRelocation, 'pages' | 'hits' | 'confidence' | 'samples'> {
  /** Rows with the value of the earlier run. */
  readonly equal: number
  /** Different values among them. */
  readonly different: number
}

/** The values of a column in rows. */
export function valuesOf(rows: readonly Row[], column: string): Json[] {
  return rows.flatMap((row) => {
    const value = Object.hasOwn(row, column) ? row[column] : undefined
    return value === undefined || !hasValue(value) ? [] : [value]
  })
}

/**
 * Scores a source. A page is a hit if at least half of the earlier values are there, and at least
 * half of the values are earlier ones. The match need not be complete, because lists and prices
 * change. A page that had no value does not count.
 */
export function scoreOf(tried: readonly TriedPage[]): Score {
  const counted = tried.filter(({ before }) => before.length > 0)
  const different = new Set<string>()
  const samples: RelocationSample[] = []
  let [hits, equal] = [0, 0]
  for (const { url, before, after } of counted) {
    const same = sameValues(before, after)
    for (const value of same) different.add(value)
    equal += same.length
    const isHit = same.length * 2 >= before.length && same.length * 2 >= after.length
    if (isHit) hits++
    const sample = { url, before: shortValue(before[0]), after: shortValue(after[0]) }
    if (isHit) samples.push(sample)
  }
  return {
    pages: counted.length,
    hits,
    confidence: counted.length === 0 ? 0 : Math.round((hits / counted.length) * 10_000) / 10_000,
    samples: samples.slice(0, MOST_SAMPLES),
    equal,
    different: different.size,
  }
}

/** The reason why the best source of a column is not proposed. `null`: it is proposed. */
export function objectionTo(score: Score | null): Reason | null {
  if (score === null || score.equal === 0)
    return {
      code: 'values_not_found',
      message: 'The values of earlier executions are not on the kept pages, or in navigation alone',
    }
  if (score.pages < LEAST_PAGES)
    return {
      code: 'too_few_pages',
      message: `${score.pages} kept pages had a value in earlier executions; ${LEAST_PAGES} are needed`,
    }
  if (score.confidence < LEAST_CONFIDENCE)
    return {
      code: 'too_few_hits',
      message: `The best source gives the earlier values on ${score.hits} of ${score.pages} pages`,
    }
  if (score.different < LEAST_DIFFERENT)
    return {
      code: 'values_alike',
      message: 'All earlier values found are the same, so they do not show where the field is',
    }
  return null
}

/** Number of values that two lists have in common. A value counts as often as both lists have it. */
function sameValues(before: readonly Json[], after: readonly Json[]): string[] {
  const left = new Map<string, number>()
  for (const value of before) {
    const text = JSON.stringify(value)
    left.set(text, (left.get(text) ?? 0) + 1)
  }
  return after.flatMap((value) => {
    const text = JSON.stringify(value)
    const count = left.get(text) ?? 0
    if (count === 0) return []
    left.set(text, count - 1)
    return [text]
  })
}

function shortValue(value: Json | undefined): Json {
  if (value === undefined) return null
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length <= MOST_SAMPLE_TEXT
    ? value
    : `${text.slice(0, MOST_SAMPLE_TEXT).toWellFormed()}…`
}
