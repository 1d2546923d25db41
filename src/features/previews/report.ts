import { Pace } from '../../kernel/pace.ts'
import type { RuleMatch, SourceMatch } from '../../ports/page-processor.ts'
import type { ConvertedOnPage, FieldReport, RuleReport, SourceReport } from './preview.ts'
import type { PreviewRun, Visited } from './preview-run.ts'
import { isList, isStructure } from '../../kernel/json.ts'
import type { Json, Row } from '../../kernel/json.ts'

const MOST_SAMPLES = 5
const MOST_EXAMPLES = 3
const SAMPLE_CHARACTERS = 200
const SAMPLE_ENTRIES = 3
/** Approximate limit of one sample, in characters. */
const MOST_OF_SAMPLE = 5_000

/** The fill rate of each column, and the matches of its sources. */
export function reportFields(
  columns: readonly string[],
  { visited, rows, filled: counts }: Pick<PreviewRun, 'visited' | 'rows' | 'filled'>,
): FieldReport[] {
  const sources = Map.groupBy(mergeSources(visited), ({ field }) => field)
  return columns.map((field) => {
    const filled = counts.get(field) ?? 0
    const own = sources.get(field) ?? []
    return {
      field,
      filled,
      rate: rows.length === 0 ? 0 : filled / rows.length,
      sources: own.map(({ source }) => source),
    }
  })
}

/** Reports the links of each rule on the pages where it applies. */
export async function reportRules(
  visited: readonly Visited[],
  pace = new Pace(),
): Promise<RuleReport[]> {
  const byPath = Map.groupBy(
    visited.flatMap(({ explanation }) => explanation?.rules ?? []),
    ({ path, label }: RuleMatch) => `${path} ${label}`,
  )
  const reports: RuleReport[] = []
  for (const matches of byPath.values()) {
    const [first] = matches
    if (!first) continue
    // Counted in slices: fifty rules with ten thousand links each would block the event loop.
    const urls = new Set<string>()
    const samples: string[] = []
    for (const match of matches) {
      for (const url of match.urls) {
        if (urls.size < MOST_SAMPLES && !urls.has(url)) samples.push(url)
        urls.add(url)
        const rest = pace.step()
        if (rest) await rest
      }
    }
    reports.push({
      path: first.path,
      selector: first.selector,
      label: first.label,
      found: urls.size,
      samples,
    })
  }
  return reports
}

/** The matches of a source on one page. */
interface OnPage {
  readonly url: string
  readonly match: SourceMatch
}

function mergeSources(
  visited: readonly Visited[],
): { readonly field: string; readonly source: SourceReport }[] {
  const perUrl = visited.flatMap(({ url, explanation }) =>
    (explanation?.sources ?? []).map((match) => ({ url, match })),
  )
  return [...Map.groupBy(perUrl, ({ match }) => match.path).values()].flatMap((all) => {
    const [first] = all
    if (!first) return []
    const sum = (count: (match: SourceMatch) => number): number =>
      all.reduce((total, { match }) => total + count(match), 0)
    const source: SourceReport = {
      path: first.match.path,
      source: first.match.source,
      matches: sum(({ matches }) => matches),
      values: sum(({ values }) => values),
      used: sum(({ used }) => used),
      sample: sampleOf(all.find(({ match }) => match.values > 0)?.match.sample ?? null),
      failed: firstOf(all, ({ failed }) => failed),
      unclear: firstOf(all, ({ unclear }) => unclear),
      examples: all.flatMap(examplesOn).slice(0, MOST_EXAMPLES),
      reason: reasonOf(all.map(({ match }) => match)),
      pages: all.map(({ url, match }) => ({ url, matches: match.matches, values: match.values })),
    }
    return [{ field: first.match.field, source }]
  })
}

function examplesOn({ url, match }: OnPage): ConvertedOnPage[] {
  return match.examples.map(({ before, after }) => ({
    url,
    before: sampleOf(before),
    after: sampleOf(after),
  }))
}

/**
 * The reason of a source without values. A page with matches is preferred, because its reason says
 * more.
 */
function reasonOf(all: readonly SourceMatch[]): string | null {
  if (all.some(({ values }) => values > 0)) return null
  const matching = all.find(({ matches, reason }) => matches > 0 && reason !== null)
  return (matching ?? all.find(({ reason }) => reason !== null))?.reason ?? null
}

function sampleOf(value: Json): Json {
  return shorten(value, SAMPLE_CHARACTERS, SAMPLE_ENTRIES, 3, { left: MOST_OF_SAMPLE })
}

/** The first such match of any page, with the page. */
function firstOf(
  all: readonly OnPage[],
  pick: (match: SourceMatch) => SourceMatch['failed'],
): SourceReport['failed'] {
  for (const { url, match } of all) {
    const failure = pick(match)
    if (failure)
      return { url, text: String(shorten(failure.text, SAMPLE_CHARACTERS)), as: failure.as }
  }
  return null
}

const MOST_CHARACTERS = 5_000
const MOST_ENTRIES = 50
/** Approximate limit of all rows together, in characters. */
const MOST_OF_ALL = 2_000_000
/** Approximate limit of one row, in characters. A value may be a document of a million small parts. */
const MOST_OF_ROW = 500_000
/** Number of characters that each value counts in addition to its text. */
const EACH = 4
const CUT = '…'

/** The number of characters that may still be shown. */
interface Room {
  left: number
}

/**
 * Shortens a value for display. It cuts long texts and lists, deeply nested values, and values that
 * exceed the remaining characters.
 */
function shorten(
  value: Json,
  characters = MOST_CHARACTERS,
  entries = MOST_ENTRIES,
  depth = 8,
  room: Room = { left: MOST_OF_ROW },
): Json {
  if (room.left <= 0) return CUT
  room.left -= EACH
  if (typeof value === 'string') {
    room.left -= Math.min(value.length, characters)
    return value.length <= characters ? value : `${value.slice(0, characters)}${CUT}`
  }
  if (!isStructure(value)) return value
  if (depth === 0) return CUT
  const inner = (item: Json): Json => shorten(item, characters, entries, depth - 1, room)
  if (isList(value)) return value.slice(0, entries).map(inner)
  const members: [string, Json][] = []
  for (const name in value) {
    if (room.left <= 0) break
    room.left -= name.length
    members.push([name, inner(value[name] ?? null)])
  }
  return Object.fromEntries(members)
}

/** The first rows, shortened, as many as fit. */
export async function firstRows(
  rows: readonly Row[],
  most: number,
  pace = new Pace(),
): Promise<Row[]> {
  const first: Row[] = []
  let left = MOST_OF_ALL
  for (const row of rows.slice(0, most)) {
    const room: Room = { left: MOST_OF_ROW }
    const short = Object.fromEntries(
      Object.entries(row).map(([column, value]) => [
        column,
        shorten(value, MOST_CHARACTERS, MOST_ENTRIES, 8, room),
      ]),
    )
    left -= MOST_OF_ROW - room.left
    if (first.length > 0 && left < 0) break
    first.push(short)
    const rest = pace.step()
    if (rest) await rest
  }
  return first
}
