import { compileRecipe } from '../engine/plan/compile.ts'
import type { ReadByModel } from '../engine/model/model-reader.ts'
import { parseRunRecipe } from '../engine/recipe/parse-recipe.ts'
import type { CrawlPlan } from '../engine/plan/plan.ts'
import type { Renderer } from '../engine/render/renderer.ts'
import { PlatformError } from '../kernel/errors.ts'
import type { Json } from '../kernel/json.ts'
import type { Reason } from '../features/executions/records.ts'

const NO_BROWSER: Reason = {
  code: 'no_browser',
  message: 'The recipe needs a browser, and this worker has none',
}

const NO_MODEL: Reason = {
  code: 'no_model',
  message: 'The recipe needs a model, and this worker has none',
}

/** What recipes may ask for, and not every worker has. */
export interface Means {
  readonly renderer: Renderer | null
  readonly model: ReadByModel | null
}

/**
 * Compiles what was valid when it was saved; a recipe that no longer is fails its execution with
 * the reason. `found`: what its search gave.
 */
export function compileExecution(
  recipe: Json,
  { renderer, model }: Means,
  found: readonly string[] = [],
): CrawlPlan | Reason {
  try {
    const plan = compileRecipe(parseRunRecipe(recipe), found)
    if (plan.request.render !== null && renderer === null) return NO_BROWSER
    return plan.model !== null && model === null ? NO_MODEL : plan
  } catch (error) {
    if (error instanceof PlatformError) return { code: 'invalid_recipe', message: error.message }
    throw error
  }
}
