import { safeParse } from 'valibot'
import { badRequest } from '../../kernel/errors.ts'
import { schemaIssues } from '../../kernel/schema-issues.ts'
import { recipeSchema } from './schema.ts'
import type { Recipe } from './schema.ts'

/** Checks that a value has the shape of a recipe. @throws {PlatformError} `BAD_REQUEST` with an issue for each wrong place, its path relative to the recipe. */
export function parseRecipe(value: unknown): Recipe {
  const result = safeParse(recipeSchema, value)
  if (result.success) return result.output
  throw badRequest(schemaIssues(result.issues))
}
