import { Pace } from '../../kernel/pace.ts'
import type { RuleMatch, SourceMatch } from '../../ports/page-processor.ts'
import type { FieldReport, RuleReport, SourceReport } from './preview.ts'
import type { PreviewRun, Visited } from './preview-run.ts'
import { shorten } from './shorten.ts'

const MOST_SAMPLES = 5
const SAMPLE_CHARACTERS = 200
const SAMPLE_ENTRIES = 3
/** Characters of one sample, or so. */
const MOST_OF_SAMPLE = 5_000

/** How well each column is filled, and by which of its sources. */
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

/** What each rule found on the pages where it holds. */
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
    // Fifty rules that match ten thousand links each are too many to be counted in one go.
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

function mergeSources(
  visited: readonly Visited[],
): { readonly field: string; readonly source: SourceReport }[] {
  const found = visited.flatMap(({ url, explanation }) =>
    (explanation?.sources ?? []).map((match) => ({ url, match })),
  )
  return [...Map.groupBy(found, ({ match }) => match.path).values()].flatMap((all) => {
    const [first] = all
    if (!first) return []
    const sum = (count: (match: SourceMatch) => number): number =>
      all.reduce((total, { match }) => total + count(match), 0)
    const failure = all.find(({ match }) => match.failed !== null)
    const source: SourceReport = {
      path: first.match.path,
      source: first.match.source,
      matches: sum(({ matches }) => matches),
      values: sum(({ values }) => values),
      used: sum(({ used }) => used),
      sample: shorten(
        all.find(({ match }) => match.values > 0)?.match.sample ?? null,
        SAMPLE_CHARACTERS,
        SAMPLE_ENTRIES,
        3,
        { left: MOST_OF_SAMPLE },
      ),
      failed: failure?.match.failed
        ? {
            url: failure.url,
            text: String(shorten(failure.match.failed.text, SAMPLE_CHARACTERS)),
            as: failure.match.failed.as,
          }
        : null,
      pages: all.map(({ url, match }) => ({ url, matches: match.matches, values: match.values })),
    }
    return [{ field: first.match.field, source }]
  })
}
