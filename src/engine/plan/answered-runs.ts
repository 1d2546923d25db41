import type { Row } from '../../kernel/json.ts'
import type { SourceRun } from '../../ports/page-processor.ts'
import { codesOfRows, sourceCode, toRuns, withCodes } from '../extract/source-trace.ts'
import { hasValue } from '../extract/value/convert.ts'
import type { Extractor } from './compile-extract.ts'
import type { ModelPlan } from './compile-model.ts'

/**
 * Returns the sources of a page's rows after a model has read them. `asked` are the rows before the
 * model, `runs` their sources. A row that only the model found takes page values from the first
 * asked row. Rows that are not kept are skipped.
 */
export function answeredRuns(
  { rows: kind, columns: modelColumns }: ModelPlan,
  { columns, keeps }: Extractor,
  runs: readonly SourceRun[],
  earlier: readonly Row[],
  rows: readonly Row[],
): SourceRun[] {
  const isOfPage = kind === 'page' || kind === 'items'
  const codes = [...codesOfRows(runs)]
  const answers = modelColumns.map(({ column, alternative }) => ({
    column,
    at: columns.indexOf(column),
    code: sourceCode(alternative),
  }))
  return toRuns(
    rows.flatMap((row, index) => {
      if (!keeps(row)) return []
      const before = isOfPage ? index : 0
      const answered = answers.flatMap(({ column, at: position, code }) =>
        hasValue(earlier[before]?.[column])
          ? []
          : [[position, hasValue(row[column]) ? code : 0] as const],
      )
      return [withCodes(codes[before] ?? '', answered)]
    }),
  )
}
