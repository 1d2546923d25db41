import { compileOnce, readStored } from '../engine/plan/compiled-recipes.ts'
import type { ReadByModelFor } from '../engine/model/model-reader.ts'
import { prepare } from '../engine/plan/prepare-recipe.ts'
import { demandRunSize } from '../engine/recipe/parse-recipe.ts'
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

/** Capabilities that recipes may need and that not every worker has. */
export interface Means {
  readonly renderer: Renderer | null
  readonly model: ReadByModelFor | null
}

/** The recipe of a run, and its compiled plan. */
export interface Compiled {
  readonly recipe: ParsedRecipe
  readonly plan: CrawlPlan
}

/**
 * Reads and compiles a stored recipe, which was valid when it was saved. If it is not valid any
 * more, the execution fails with the reason. `found`: the URLs that its search returned.
 */
export async function compileExecution(
  recipe: Json,
  means: Means,
  foundStarts?: readonly NormalUrl[],
): Promise<Compiled | Reason> {
  return orInvalid(async () => {
    const parsed = readStored(recipe)
    demandRunSize(parsed)
    await prepare(parsed)
    return compiled(parsed, means, foundStarts)
  })
}

/** Compiles a recipe again, with the URLs that its search returned. */
export async function compileWithStarts(
  { recipe }: Compiled,
  means: Means,
  foundStarts: readonly NormalUrl[],
): Promise<Compiled | Reason> {
  return orInvalid(() => compiled(recipe, means, foundStarts))
}

function compiled(
  recipe: ParsedRecipe,
  { renderer, model }: Means,
  foundStarts?: readonly NormalUrl[],
): Compiled | Reason {
  const plan = compileOnce(recipe, foundStarts)
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
