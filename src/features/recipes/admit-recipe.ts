import { refusalOfNormal } from '../../engine/egress/normal-refusal.ts'
import { compileOnce, readStored } from '../../engine/plan/compiled-recipes.ts'
import type { CrawlPlan } from '../../engine/plan/plan.ts'
import { prepare } from '../../engine/plan/prepare-recipe.ts'
import { expandUrls } from '../../engine/recipe/expand-urls.ts'
import { demandSize } from '../../engine/recipe/parse-recipe.ts'
import type { ParsedRecipe } from '../../engine/recipe/parse-recipe.ts'
import { MOST_ISSUES, badRequest, switchedOff } from '../../kernel/errors.ts'
import type { Issue } from '../../kernel/errors.ts'
import type { Json } from '../../kernel/json.ts'
import { originOf } from '../../kernel/url.ts'
import type { NormalUrl } from '../../kernel/url.ts'
import { belowRecipe } from '../common/issue-paths.ts'

/** Options of the service of recipes. */
export interface RecipesOptions {
  /** Allows start addresses that are not on the public internet. */
  readonly allowPrivateNetwork?: boolean
  /** True if there is a browser. Default `false`: recipes that need one are refused. */
  readonly canRender?: boolean
  /** True if there is a model. Default `false`: recipes that need one are refused. */
  readonly canAsk?: boolean
}

/**
 * Compiles a recipe, if a platform with these options can run it. `searchResults`: the results of
 * its search.
 *
 * @throws {PlatformError} 400 with the path of each invalid field, below `recipe`; 404 with the
 *   path of each field that needs a browser or a model, if the platform has none
 */
export async function admitRecipe(
  { allowPrivateNetwork = false, canRender = false, canAsk = false }: RecipesOptions,
  recipe: ParsedRecipe,
  searchResults: readonly NormalUrl[] | undefined,
): Promise<CrawlPlan> {
  belowRecipe(() => demandSize(recipe))
  await prepare(recipe)
  const plan = belowRecipe(() => compileOnce(recipe, searchResults))
  if (plan.request.render !== null && !canRender)
    throw switchedOff([
      {
        path: 'recipe.page.render',
        message:
          'needs a browser, and this platform has none; leave it out, or ask its operator for one',
      },
    ])
  if (plan.model !== null && !canAsk)
    throw switchedOff(
      plan.model.columns.map(({ path }) => ({
        path: `recipe.${path}.model`,
        message:
          'needs a model, and this platform has none; leave it out, or ask its operator for one',
      })),
    )
  const refused = refusedStarts(recipe, plan, allowPrivateNetwork)
  if (refused.length > 0) throw badRequest(refused)
  return plan
}

/**
 * Reads a stored recipe.
 *
 * @throws {PlatformError} 400 with the path of each field that is not valid any more
 */
export function takeStored(recipe: Json): ParsedRecipe {
  return belowRecipe(() => readStored(recipe))
}

/** Reports start URLs that the egress function would refuse, with their path in the recipe. */
function refusedStarts(
  { recipe }: ParsedRecipe,
  plan: CrawlPlan,
  allowPrivateNetwork: boolean,
): Issue[] {
  const issues: Issue[] = []
  // The rules concern only schemes, hosts and ports, so all URLs of one origin share an answer.
  const byOrigin = new Map<string, string | null>()
  const refusal = (url: NormalUrl): string | null => {
    const origin = originOf(url)
    const cached = byOrigin.get(origin)
    if (cached !== undefined) return cached
    const message = refusalOfNormal(url, { allowPrivateNetwork })
    byOrigin.set(origin, message)
    return message
  }
  for (const list of ['sitemap', 'feed'] as const) {
    const url = plan[list]
    const message = url === null ? null : refusal(url)
    if (message !== null) issues.push({ path: `recipe.start.${list}`, message })
  }
  if (plan.startUrls.every((url) => refusal(url) === null)) return issues
  for (const [index, pattern] of (recipe.start.urls ?? []).entries()) {
    // Returns the first refused URL of each pattern. Each URL can be checked, because a recipe's
    // limit bounds their number.
    const message = expandUrls([pattern], '', [])
      .map(refusal)
      .find((reason) => reason !== null)
    if (message) issues.push({ path: `recipe.start.urls.${index}`, message })
    if (issues.length === MOST_ISSUES) break
  }
  return issues
}
