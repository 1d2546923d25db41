import { compileRecipe } from '../engine/recipe/compile.ts'
import { parseRecipe } from '../engine/recipe/parse-recipe.ts'
import type { Plan } from '../engine/recipe/plan.ts'
import type { Renderer } from '../engine/render/renderer.ts'
import { PlatformError } from '../kernel/errors.ts'
import type { Json } from '../kernel/json.ts'
import type { Reason } from '../records/types.ts'

const NO_BROWSER: Reason = { code: 'no_browser', message: 'The recipe asks for a browser, and this worker has none' }

/** Compiles what was valid when it was saved; a recipe that no longer is fails its execution with the reason. `found`: what its search gave. */
export function compileExecution(recipe: Json, renderer: Renderer | null, found: readonly string[] = []): Plan | Reason {
  try {
    const plan = compileRecipe(parseRecipe(recipe), found)
    return plan.request.render !== null && renderer === null ? NO_BROWSER : plan
  } catch (error) {
    if (error instanceof PlatformError) return { code: 'invalid_recipe', message: error.message }
    throw error
  }
}
