import type { Row } from '../../kernel/json.ts'
import type { PageSample, Visit } from '../../ports/page-processor.ts'
import type { ExportColumnType } from '../../ports/row-work.ts'
import { noteTypes } from '../export/infer-columns.ts'
import { detectAllParts } from '../extract/auto.ts'
import type { Detection } from '../extract/auto.ts'
import type { Parts } from '../extract/page/in-turns.ts'
import type { PageContent } from '../extract/page/page-content.ts'
import { columnTypes } from '../recipe/column-types.ts'
import { parseRecipe } from '../recipe/parse-recipe.ts'
import type { Recipe } from '../recipe/schema.ts'
import { proposeParts } from './auto-extract.ts'
import { compileContent } from './compile.ts'

const PROPOSALS = 'proposals'
/** The share of the budget that is left for the proposals after the first. */
const SHARE = 0.5
const SAMPLE_ROWS = 3
/** Maximum number of rows from which the types of columns are guessed. */
const TYPED_ROWS = 100

/**
 * Returns all ways to complete a recipe with `extract: "auto"` on a page, best first, each with its
 * first rows there. `first`: the detection that the preview itself uses. The others use the rest of
 * the budget, so some may be missing.
 */
export function* proposalParts(
  recipe: Recipe,
  content: PageContent,
  visit: Visit,
  target: string | null,
  first: Detection,
): Parts<readonly PageSample[]> {
  const { budget } = content
  const samples: PageSample[] = []
  const add = function* (detection: Detection): Parts<void> {
    const sample = yield* sampleOf(recipe, content, visit, target, detection)
    if (sample.count > 0 || detection === first) samples.push(sample)
  }
  const addOthers = function* (): Parts<void> {
    const detections = yield* detectAllParts(content)
    for (const detection of detections.slice(1)) yield* add(detection)
  }
  yield* budget.attemptParts(PROPOSALS, add(first), undefined)
  if (budget.overrun === null)
    yield* budget.attemptPartsWithin(SHARE, PROPOSALS, addOthers(), undefined)
  return samples
}

function* sampleOf(
  recipe: Recipe,
  content: PageContent,
  visit: Visit,
  target: string | null,
  detection: Detection,
): Parts<PageSample> {
  const proposed = JSON.parse(
    JSON.stringify(yield* proposeParts(recipe, content, target, detection)),
  )
  const { recipe: complete } = parseRecipe(proposed)
  const plan = compileContent(complete)
  yield
  const { rows } = yield* plan.processParts(content, visit)
  const { kind, confidence, reason } = detection
  return {
    kind,
    confidence,
    reason,
    recipe: proposed,
    columns: columnsOf(plan.columns, complete, rows),
    rows: rows.slice(0, SAMPLE_ROWS),
    count: rows.length,
  }
}

function columnsOf(
  names: readonly string[],
  recipe: Recipe,
  rows: readonly Row[],
): PageSample['columns'] {
  const types = new Map<string, ExportColumnType>(columnTypes(recipe))
  const open = names.filter((name) => !types.has(name))
  for (const row of rows.slice(0, TYPED_ROWS)) noteTypes(types, open, row)
  return names.map((name) => ({ name, type: types.get(name) ?? null }))
}
