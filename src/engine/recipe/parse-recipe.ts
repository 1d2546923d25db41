import { safeParse } from 'valibot'
import { checkSchema, schemaIssues } from '../../kernel/schema.ts'
import type { Checked } from '../../kernel/schema.ts'
import { badRequest } from '../../kernel/errors.ts'
import { measureRecipe, MAX_RECIPE_SIZE } from './measure-recipe.ts'
import { recipeSchema } from './schema.ts'
import type { Recipe } from './schema.ts'

/** What is found out on a run's first page comes on top of what its caller wrote. */
const MAX_SIZE_OF_A_RUN = 2 * MAX_RECIPE_SIZE

/** Checks that a value is a recipe that a caller may have: its shape and its size. */
export function checkRecipe(value: unknown): Checked<Recipe> {
  const checked = checkSchema(recipeSchema, value)
  return checked.issues === null ? measured(checked.output, MAX_RECIPE_SIZE) : checked
}

/**
 * Reads a recipe of a caller.
 *
 * @throws {PlatformError} `BAD_REQUEST` with an issue for each wrong place, its path relative to
 *   the recipe; also for one that is too large to be compiled
 */
export function parseRecipe(value: unknown): Recipe {
  return outputOf(checkRecipe(value))
}

/**
 * Reads the recipe of a run, which was admitted before and may have what was found out on its first
 * page.
 *
 * @throws {PlatformError} as {@link parseRecipe}
 */
export function parseRunRecipe(value: unknown): Recipe {
  return outputOf(measured(parseStoredRecipe(value), MAX_SIZE_OF_A_RUN))
}

/**
 * Reads a recipe that was admitted before, maybe by a version that refused less, and which is not
 * to be compiled.
 */
export function parseStoredRecipe(value: unknown): Recipe {
  const { success, output, issues } = safeParse(recipeSchema, value)
  if (success) return output
  throw badRequest(schemaIssues(issues))
}

function measured(recipe: Recipe, most: number): Checked<Recipe> {
  const tooLarge = measureRecipe(recipe, most)
  return tooLarge === null ? { output: recipe, issues: null } : { issues: [tooLarge] }
}

function outputOf(checked: Checked<Recipe>): Recipe {
  if (checked.issues === null) return checked.output
  throw badRequest(checked.issues)
}
