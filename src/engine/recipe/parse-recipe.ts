import { safeParse } from 'valibot'
import { checkSchema, schemaIssues } from '../../kernel/schema.ts'
import type { Checked } from '../../kernel/schema.ts'
import { badRequest } from '../../kernel/errors.ts'
import { measureRecipe, MAX_RECIPE_SIZE } from './measure-recipe.ts'
import { recipeSchema } from './schema.ts'
import type { RecipeInput } from './recipe-input.ts'
import type { Recipe } from './schema.ts'

/**
 * Detection on a run's first page adds to the recipe that the caller wrote, so a run's limit is
 * higher.
 */
const MAX_SIZE_OF_A_RUN = 2 * MAX_RECIPE_SIZE

/** Checks the shape and size of a caller's recipe. */
export function checkRecipe(value: unknown): Checked<Recipe> {
  const checked = checkSchema(recipeSchema, value)
  return checked.issues === null ? measured(checked.output, MAX_RECIPE_SIZE) : checked
}

/**
 * Parses a caller's recipe.
 *
 * @throws {PlatformError} `BAD_REQUEST` with an issue for each wrong place, its path relative to
 *   the recipe; also for a recipe that is too large to compile
 */
export function parseRecipe(value: unknown): Recipe {
  return outputOf(checkRecipe(value))
}

/**
 * Parses the recipe of a run. It was accepted before and may include what was detected on the run's
 * first page.
 *
 * @throws {PlatformError} as {@link parseRecipe}
 */
export function parseRunRecipe(value: unknown): Recipe {
  return outputOf(measured(parseStoredRecipe(value), MAX_SIZE_OF_A_RUN))
}

/**
 * Parses a stored recipe that will not be compiled. It was accepted before, perhaps by a version
 * with fewer checks.
 */
export function parseStoredRecipe(value: unknown): Recipe {
  const { success, output, issues } = safeParse(recipeSchema, value)
  if (success) return output
  throw badRequest(schemaIssues(issues))
}

/**
 * Returns a recipe as it is. Its type refuses unknown keys and wrong values, where the recipe is
 * written. A recipe from elsewhere is checked by {@link parseRecipe}.
 *
 * @example
 *   const books = defineRecipe({
 *     start: { urls: ['https://books.example.com/page/{1..3}'] },
 *     extract: {
 *       items: 'article',
 *       fields: { title: 'h2', price: { css: '.price', as: 'number' } },
 *     },
 *   })
 */
export function defineRecipe(recipe: RecipeInput): RecipeInput {
  return recipe
}

function measured(recipe: Recipe, most: number): Checked<Recipe> {
  const tooLarge = measureRecipe(recipe, most)
  return tooLarge === null ? { output: recipe, issues: null } : { issues: [tooLarge] }
}

function outputOf(checked: Checked<Recipe>): Recipe {
  if (checked.issues === null) return checked.output
  throw badRequest(checked.issues)
}
