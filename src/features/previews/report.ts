import type { RuleMatch, SourceMatch } from '../../ports/page-processor.ts'
import type { FieldReport, RuleReport, SourceReport } from './preview.ts'
import type { PreviewRun, Visited } from './preview-run.ts'
import { shorten } from './shorten.ts'

const MOST_SAMPLES = 5
const SAMPLE_CHARACTERS = 200
const SAMPLE_ENTRIES = 3

/** How well each column is filled, and by which of its sources. */
export function reportFields(columns: readonly string[], { visited, rows, filled: counts }: Pick<PreviewRun, 'visited' | 'rows' | 'filled'>): FieldReport[] {
  const sources = Map.groupBy(mergeSources(visited), ({ field }) => field)
  return columns.map((field) => {
    const filled = counts.get(field) ?? 0
    const own = sources.get(field) ?? []
    return { field, filled, rate: rows.length === 0 ? 0 : filled / rows.length, sources: own.map(({ source }) => source) }
  })
}

/** What each rule found on the pages where it holds. */
export function reportRules(visited: readonly Visited[]): RuleReport[] {
  const byPath = Map.groupBy(visited.flatMap(({ explanation }) => explanation?.rules ?? []), ({ path, label }: RuleMatch) => `${path} ${label}`)
  return [...byPath.values()].flatMap((matches) => {
    const [first] = matches
    if (!first) return []
    const urls = [...new Set(matches.flatMap((match) => match.urls))]
    return [{ path: first.path, selector: first.selector, label: first.label, found: urls.length, samples: urls.slice(0, MOST_SAMPLES) }]
  })
}

function mergeSources(visited: readonly Visited[]): { readonly field: string; readonly source: SourceReport }[] {
  const found = visited.flatMap(({ url, explanation }) => (explanation?.sources ?? []).map((match) => ({ url, match })))
  return [...Map.groupBy(found, ({ match }) => match.path).values()].flatMap((all) => {
    const [first] = all
    if (!first) return []
    const sum = (count: (match: SourceMatch) => number): number => all.reduce((total, { match }) => total + count(match), 0)
    const failure = all.find(({ match }) => match.failed !== null)
    const source: SourceReport = {
      path: first.match.path,
      source: first.match.source,
      matches: sum(({ matches }) => matches),
      values: sum(({ values }) => values),
      used: sum(({ used }) => used),
      sample: shorten(all.find(({ match }) => match.values > 0)?.match.sample ?? null, SAMPLE_CHARACTERS, SAMPLE_ENTRIES, 3),
      failed: failure?.match.failed ? { url: failure.url, text: String(shorten(failure.match.failed.text, SAMPLE_CHARACTERS)), as: failure.match.failed.as } : null,
      pages: all.map(({ url, match }) => ({ url, matches: match.matches, values: match.values })),
    }
    return [{ field: first.match.field, source }]
  })
}
