import { blameParameters } from '../../engine/recipe/fill-blanks.ts'
import type { ParamValues } from '../../engine/recipe/fill-blanks.ts'
import {
  changesDefaults,
  fillRecipe,
  keepsHeaders,
  paramAtPath,
} from '../../engine/recipe/fill-params.ts'
import type { ParsedRecipe } from '../../engine/recipe/parse-recipe.ts'
import { parseRecipe } from '../../engine/recipe/parse-recipe.ts'
import { belowRecipe, withPaths } from '../common/issue-paths.ts'
import type { CrawlPlan } from '../../engine/plan/plan.ts'

/** The differences of one execution from its task's recipe. */
export interface StartInput {
  /** Values of the recipe's parameters. */
  readonly params?: ParamValues
  /** Replaces `start`. A sitemap, a feed and a search of the recipe are then omitted. */
  readonly urls?: readonly string[]
  /** Replace single entries of the recipe's budget. */
  readonly budget?: {
    readonly pages?: number
    readonly credits?: number
    readonly seconds?: number
  }
}

/** A recipe that may run, with its plan, so that it need not be compiled again. */
export interface Admitted {
  readonly recipe: ParsedRecipe
  readonly plan: CrawlPlan
  /** The values that filled the recipe, defaults included. `null`: it has no parameters. */
  readonly params: ParamValues | null
  /** True if other URLs or parameters make it visit other pages than the saved recipe. */
  readonly partial: boolean
}

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
  { params: values = {}, ...changes }: StartInput,
): Promise<Admitted> {
  const { recipe: filled, params } = fillRecipe(recipe, values)
  const admitted = await blameParameters(paramAtPath(recipe), () => changed(admit, filled, changes))
  const partial = changes.urls !== undefined || changesDefaults(recipe, params)
  return { ...admitted, params, partial }
}

async function changed(
  admit: (recipe: ParsedRecipe) => Promise<CrawlPlan>,
  recipe: ParsedRecipe,
  { urls, budget }: StartInput,
): Promise<Pick<Admitted, 'recipe' | 'plan'>> {
  if (urls === undefined && budget === undefined) return { recipe, plan: await admit(recipe) }
  const { written } = recipe
  try {
    const overridden = belowRecipe(() =>
      parseRecipe({
        ...written,
        ...(urls && { start: { urls } }),
        ...(urls && keepsHeaders(recipe, recipe.recipe.start)),
        ...(budget && { budget: { ...written.budget, ...budget } }),
      }),
    )
    return { recipe: overridden, plan: await admit(overridden) }
  } catch (error) {
    throw withPaths(error, (path) =>
      pathInInput(path, { ...(urls && { urls }), ...(budget && { budget }) }),
    )
  }
}

/**
 * Maps a path in the recipe to a path in the caller's input. A part that is not overridden keeps
 * its path.
 */
function pathInInput(path: string, { urls, budget = {} }: StartInput): string {
  if (urls && path.startsWith(START)) return path.slice(START.length)
  const [entry = ''] = path.startsWith(BUDGET) ? path.slice(BUDGET.length).split('.') : []
  return Object.hasOwn(budget, entry) ? `budget.${path.slice(BUDGET.length)}` : path
}
