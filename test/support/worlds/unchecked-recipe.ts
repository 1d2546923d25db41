import type { RecipeInput } from 'seine'

/** JSON that a caller sends as a recipe and that no compiler has checked: it may be wrong. */
export function uncheckedRecipe(json: unknown): RecipeInput {
  return JSON.parse(JSON.stringify(json))
}
