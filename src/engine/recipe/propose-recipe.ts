import type { Page } from '../../ports/page-processor.ts'
import type { PageBudget } from '../extract/page/page-budget.ts'
import { detectRecipe } from './auto-extract.ts'
import type { Recipe } from './schema.ts'

/** Rows come from where `on` says; without it, those of a proposal come from the end of the way that the rules lead. `null`: from all pages. */
export function targetOf({ extract, follow = [] }: Recipe): string | null {
  if (extract !== 'auto') return extract?.on ?? null
  return follow.reduce<string | null>((label, rule) => ('as' in rule && rule.as !== undefined ? rule.as : label), null)
}

/** The recipe with what was found out on a page, ready to be saved. `next`: the page's link to the next one. */
export function proposeRecipe(recipe: Recipe, page: Page, target: string | null, next: string | undefined, budget: PageBudget): Recipe {
  const { extract, ...found } = detectRecipe(recipe, page, budget)
  if (recipe.extract !== 'auto') return { ...found, ...(extract && { extract }) }
  // A format is of a whole page, and what was found may be parts of one.
  const { formats: _, ...rest } = found
  const on = target === null ? {} : { on: target }
  const isAlone = rest.follow === undefined && rest.crawl === undefined
  return { ...rest, ...(isAlone && next !== undefined && { follow: [{ next }] }), extract: { ...on, ...extract } }
}
