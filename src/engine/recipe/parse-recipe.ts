import { checkSchema } from '../../kernel/check-schema.ts'
import { badRequest } from '../../kernel/errors.ts'
import { recipeSchema } from './schema.ts'
import type { Recipe } from './schema.ts'

/** Checks that a value has the shape of a recipe. @throws {PlatformError} `BAD_REQUEST` with an issue for each wrong place, its path relative to the recipe. */
export function parseRecipe(value: unknown): Recipe {
  const checked = checkSchema(recipeSchema, value)
  if (checked.issues === null) return checked.output
  throw badRequest(checked.issues)
}
