import { parseRecipe } from '../../engine/recipe/parse-recipe.ts'
import type { ParsedRecipe } from '../../engine/recipe/parse-recipe.ts'
import type { CrawlPlan } from '../../engine/plan/plan.ts'
import type { Json } from '../../kernel/json.ts'
import { belowRecipe } from '../common/issue-paths.ts'
import type { RecipesOptions } from './admit-recipe.ts'
import type { Admitted, StartInput } from './override-recipe.ts'
import type { NormalUrl } from '../../kernel/url.ts'

export type { StartInput } from './override-recipe.ts'

/** Decides which recipes may be saved and run. */
export interface Recipes {
  /**
   * Compiles a recipe, if this platform can run it. It loads the code for this, which is most of
   * the engine. `searchResults`: the results of its search.
   *
   * @throws {PlatformError} 400 with the path of each invalid field, below `recipe`
   */
  admit(recipe: ParsedRecipe, searchResults?: readonly NormalUrl[]): Promise<CrawlPlan>
  /**
   * Compiles a recipe that is saved, as {@link Recipes.admit} does. Parameters get placeholder
   * values.
   */
  admitSaved(recipe: ParsedRecipe): Promise<CrawlPlan>
  /**
   * Fills a recipe's parameters, applies an execution's overrides, and admits the result, compiling
   * it once.
   *
   * @throws {PlatformError} 400 at the invalid override, or at the path below `recipe`
   */
  override(recipe: ParsedRecipe, input: StartInput): Promise<Admitted>
  /**
   * Reads a stored recipe, to run it again. A recipe that was admitted here recently is not checked
   * again.
   *
   * @throws {PlatformError} as {@link takeRecipe}, if it is not valid any more
   */
  takeStored(recipe: Json): Promise<ParsedRecipe>
}

/** Opens the service that checks every recipe of a caller before it is stored. */
export function createRecipes(options: RecipesOptions = {}): Recipes {
  // Loads the part of the platform that reads pages. Other requests do not need it.
  const admit: Recipes['admit'] = async (recipe, searchResults) =>
    (await import('./admit-recipe.ts')).admitRecipe(options, recipe, searchResults)
  return {
    admit,
    admitSaved: async (recipe) =>
      admit(
        recipe.recipe.params === undefined
          ? recipe
          : (await import('../../engine/recipe/fill-params.ts')).fillForCheck(recipe),
      ),
    override: async (recipe, input) =>
      (await import('./override-recipe.ts')).overrideRecipe(admit, recipe, input),
    takeStored: async (recipe) => (await import('./admit-recipe.ts')).takeStored(recipe),
  }
}

/**
 * Takes the recipe of a call.
 *
 * @throws {PlatformError} 400 with the path of each invalid field, below `recipe`
 */
export function takeRecipe(recipe: unknown): ParsedRecipe {
  return belowRecipe(() => parseRecipe(recipe))
}
