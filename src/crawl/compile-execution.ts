import { compileRecipe } from '../engine/plan/compile.ts'
import type { ReadByModel } from '../engine/model/model-reader.ts'
import { prepare } from '../engine/plan/prepare-recipe.ts'
import { readRunRecipe } from '../engine/recipe/parse-recipe.ts'
import type { ParsedRecipe } from '../engine/recipe/parse-recipe.ts'
import type { CrawlPlan } from '../engine/plan/plan.ts'
import type { Renderer } from '../engine/render/renderer.ts'
import { PlatformError } from '../kernel/errors.ts'
import type { Json } from '../kernel/json.ts'
import type { Reason } from '../features/executions/records.ts'
import type { NormalUrl } from '../kernel/url.ts'

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

/** A run's recipe, and the plan that was compiled from it. */
export interface Compiled {
  readonly recipe: ParsedRecipe
  readonly plan: CrawlPlan
}

/**
 * Reads and compiles what was valid when it was saved. A recipe that no longer is fails its
 * execution with the reason. `found`: what its search gave.
 */
export async function compileExecution(
  recipe: Json,
  means: Means,
  found?: readonly NormalUrl[],
): Promise<Compiled | Reason> {
  return orInvalid(async () => {
    const parsed = readRunRecipe(recipe)
    await prepare(parsed)
    return compiled(parsed, means, found)
  })
}

/** Compiles a recipe again, with what its search gave. */
export async function compileWithStarts(
  { recipe }: Compiled,
  means: Means,
  found: readonly NormalUrl[],
): Promise<Compiled | Reason> {
  return orInvalid(() => compiled(recipe, means, found))
}

function compiled(
  recipe: ParsedRecipe,
  { renderer, model }: Means,
  found?: readonly NormalUrl[],
): Compiled | Reason {
  const plan = compileRecipe(recipe.recipe, found)
  if (plan.request.render !== null && renderer === null) return NO_BROWSER
  return plan.model !== null && model === null ? NO_MODEL : { recipe, plan }
}

async function orInvalid(
  compile: () => Compiled | Reason | Promise<Compiled | Reason>,
): Promise<Compiled | Reason> {
  try {
    return await compile()
  } catch (error) {
    if (error instanceof PlatformError) return { code: 'invalid_recipe', message: error.message }
    throw error
  }
}
