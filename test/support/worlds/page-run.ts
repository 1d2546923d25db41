import { preparePage } from '../../../src/engine/extract/document/prepare-page.ts'
import { PageBudget } from '../../../src/engine/extract/page/page-budget.ts'
import { loadRegexEngine } from '../../../src/engine/extract/value/linear-regex.ts'
import { compileRecipe } from '../../../src/engine/plan/compile.ts'
import { parseRecipe } from '../../../src/engine/recipe/parse-recipe.ts'
import type { Page, PageResult } from '../../../src/ports/page-processor.ts'

/** A page as it was fetched. */
export function pageOf(text: string, contentType = 'text/html', more: Partial<Page> = {}): Page {
  return { url: 'https://a.example/', contentType, body: new TextEncoder().encode(text), ...more }
}

/** The result of a recipe, whose start is left out here, on a page. */
export async function runOn(recipe: object, page: Page, budget?: PageBudget): Promise<PageResult> {
  await loadRegexEngine()
  await preparePage(page)
  const plan = compileRecipe(parseRecipe({ start: { urls: ['https://a.example/'] }, ...recipe }))
  return plan.process(page, { label: 'start', depth: 0, hop: 1 }, budget)
}

/** A budget without an end that counts its use. */
export class CountingBudget extends PageBudget {
  steps = 0
  bytes = 0

  override work(steps: number): void {
    this.steps += steps
  }

  override make(bytes: number): void {
    this.bytes += bytes
  }
}
