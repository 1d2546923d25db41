import { namedOrigins } from '../../engine/plan/named-origins.ts'
import type { ParsedRecipe } from '../../engine/recipe/parse-recipe.ts'
import { acceptRecipe } from '../../engine/recipe/parse-recipe.ts'
import type { RecipeInput } from '../../engine/recipe/recipe-input.ts'
import { belowRecipe, withPaths } from '../common/issue-paths.ts'
import type { CrawlPlan } from '../../engine/plan/plan.ts'

/** How one execution differs from its task's recipe. */
export interface StartInput {
  /** Replaces `start`. A sitemap, a feed and a search of the recipe are then omitted. */
  readonly urls?: readonly string[]
  /** Replace single entries of the recipe's budget. */
  readonly budget?: {
    readonly pages?: number
    readonly credits?: number
    readonly seconds?: number
  }
}

/** A recipe that may run, and its plan. A caller that has both need not compile it again. */
export interface Admitted {
  readonly recipe: ParsedRecipe
  readonly plan: CrawlPlan
}

/** The limit of `page.headersTo`. */
const MOST_ORIGINS = 50
const START = 'recipe.start.'
const BUDGET = 'recipe.budget.'

/**
 * Applies an execution's overrides to a recipe and admits the result, compiling it once.
 *
 * @throws {PlatformError} 400 at the invalid override, or at the path below `recipe`
 */
export async function overrideRecipe(
  admit: (recipe: ParsedRecipe) => Promise<CrawlPlan>,
  recipe: ParsedRecipe,
  { urls, budget }: StartInput,
): Promise<Admitted> {
  if (urls === undefined && budget === undefined) return { recipe, plan: await admit(recipe) }
  const { written } = recipe
  try {
    const changed = belowRecipe(() =>
      acceptRecipe({
        ...written,
        ...(urls && { start: { urls } }),
        ...(urls && keepsHeaders(recipe)),
        ...(budget && { budget: { ...written.budget, ...budget } }),
      }),
    )
    return { recipe: changed, plan: await admit(changed) }
  } catch (error) {
    throw withPaths(error, (path) =>
      pathInInput(path, { ...(urls && { urls }), ...(budget && { budget }) }),
    )
  }
}

/**
 * Limits the recipe's headers to the sites that the recipe names. A caller that may start the
 * recipe need not know the keys in its headers.
 */
function keepsHeaders({ written, recipe }: ParsedRecipe): Pick<RecipeInput, 'page'> {
  const { page, start } = recipe
  if (page?.headers === undefined || page.headersTo !== undefined) return {}
  const headersTo = namedOrigins(start).slice(0, MOST_ORIGINS)
  return { page: { ...written.page, headersTo } }
}

/** Maps a path to the caller's input. A part that is not overridden keeps its path in the recipe. */
function pathInInput(path: string, { urls, budget = {} }: StartInput): string {
  if (urls && path.startsWith(START)) return path.slice(START.length)
  const [entry = ''] = path.startsWith(BUDGET) ? path.slice(BUDGET.length).split('.') : []
  return Object.hasOwn(budget, entry) ? `budget.${path.slice(BUDGET.length)}` : path
}
