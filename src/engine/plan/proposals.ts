import type { Row } from '../../kernel/json.ts'
import type { PageSample, Visit } from '../../ports/page-processor.ts'
import type { ExportColumnType } from '../../ports/row-work.ts'
import { noteTypes } from '../export/infer-columns.ts'
import { detectAll } from '../extract/auto.ts'
import type { Detection } from '../extract/auto.ts'
import type { PageContent } from '../extract/page/page-content.ts'
import { columnTypes } from '../recipe/column-types.ts'
import { parseRecipe } from '../recipe/parse-recipe.ts'
import type { Recipe } from '../recipe/schema.ts'
import { proposeRecipe } from './auto-extract.ts'
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
export function proposalsOn(
  recipe: Recipe,
  content: PageContent,
  visit: Visit,
  target: string | null,
  first: Detection,
): readonly PageSample[] {
  const { budget } = content
  const samples: PageSample[] = []
  const add = (detection: Detection): void => {
    const sample = sampleOf(recipe, content, visit, target, detection)
    if (sample.count > 0 || detection === first) samples.push(sample)
  }
  const addAll = (detections: readonly Detection[]): void => {
    for (const detection of detections) add(detection)
  }
  budget.attempt(PROPOSALS, () => add(first), undefined)
  if (budget.overrun === null)
    budget.attemptWithin(SHARE, PROPOSALS, () => addAll(detectAll(content).slice(1)), undefined)
  return samples
}

function sampleOf(
  recipe: Recipe,
  content: PageContent,
  visit: Visit,
  target: string | null,
  detection: Detection,
): PageSample {
  const proposed = JSON.parse(JSON.stringify(proposeRecipe(recipe, content, target, detection)))
  const { recipe: complete } = parseRecipe(proposed)
  const plan = compileContent(complete)
  const { rows } = plan.processContent(content, visit)
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
