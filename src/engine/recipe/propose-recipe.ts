import type { Detection } from '../extract/auto.ts'
import type { PageContent } from '../extract/page/page-content.ts'
import { detectRecipeOn } from './auto-extract.ts'
import type { Recipe } from './schema.ts'

/**
 * Rows come from where `on` says; without it, those of a proposal come from the end of the way that
 * the rules lead. `null`: from all pages.
 */
export function targetOf({ extract, follow = [] }: Recipe): string | null {
  if (extract !== 'auto') return extract?.on ?? null
  return follow.reduce<string | null>(
    (label, rule) => ('as' in rule && rule.as !== undefined ? rule.as : label),
    null,
  )
}

/**
 * The recipe with what was found out on a page, ready to be saved. `detection`: what the page seems
 * to be.
 */
export function proposeRecipe(
  recipe: Recipe,
  content: PageContent,
  target: string | null,
  detection: Detection,
): Recipe {
  const { next } = detection
  const { extract, ...found } = detectRecipeOn(
    recipe,
    content,
    recipe.extract === 'auto' ? detection : null,
  )
  if (recipe.extract !== 'auto') return { ...found, ...(extract && { extract }) }
  // A format is of a whole page, and what was found may be parts of one.
  const { formats: _, ...rest } = found
  const on = target === null ? {} : { on: target }
  const isAlone = rest.follow === undefined && rest.crawl === undefined
  return {
    ...rest,
    ...(isAlone && next !== undefined && { follow: [{ next }] }),
    extract: { ...on, ...extract },
  }
}
