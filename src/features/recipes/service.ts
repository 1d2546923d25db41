import { refusalOf } from '../../engine/egress/guard.ts'
import { expandUrls } from '../../engine/recipe/expand-urls.ts'
import { acceptRecipe, demandSize, readRecipe } from '../../engine/recipe/parse-recipe.ts'
import type { ParsedRecipe } from '../../engine/recipe/parse-recipe.ts'
import { prepare } from '../../engine/plan/prepare-recipe.ts'
import type { CrawlPlan } from '../../engine/plan/plan.ts'
import type { Recipe } from '../../engine/recipe/schema.ts'
import { MOST_ISSUES, PlatformError, badRequest } from '../../kernel/errors.ts'
import type { Issue } from '../../kernel/errors.ts'
import type { Json, JsonObject } from '../../kernel/json.ts'
import { originOf } from '../../kernel/url.ts'
import type { NormalUrl } from '../../kernel/url.ts'
import { namedOrigins } from '../../engine/plan/named-origins.ts'
import { isObject } from '../../kernel/json.ts'

/** Options of {@link createRecipes}. */
interface RecipesOptions {
  /** Allows start addresses that are not on the public internet. */
  readonly allowPrivateNetwork?: boolean
  /** True if there is a browser. Default `false`: recipes that need one are refused. */
  readonly canRender?: boolean
  /** True if there is a model. Default `false`: recipes that need one are refused. */
  readonly canAsk?: boolean
}

/** Decides which recipes may be saved and run. */
export interface Recipes {
  /**
   * Compiles a recipe, if this platform can run it. Loads what that needs, which is most of the
   * engine. `found`: the results of its search.
   *
   * @throws {PlatformError} 400 with the path of each invalid field, below `recipe`
   */
  admit(recipe: ParsedRecipe, found?: readonly string[]): Promise<CrawlPlan>
}

/** Opens the service that checks every recipe of a caller before it is stored. */
export function createRecipes({
  allowPrivateNetwork = false,
  canRender = false,
  canAsk = false,
}: RecipesOptions = {}): Recipes {
  return {
    async admit(recipe, found) {
      belowRecipe(() => demandSize(recipe))
      // Loads the half of the platform that reads pages. Other requests do without it.
      const { compileRecipe } = await import('../../engine/plan/compile.ts')
      await prepare(recipe)
      const plan = belowRecipe(() => compileRecipe(recipe.recipe, found))
      if (plan.request.render !== null && !canRender)
        throw badRequest([
          {
            path: 'recipe.page.render',
            message:
              'asks for a browser, and this platform has none; its host gives it one by createPlatform({ browser })',
          },
        ])
      if (plan.model !== null && !canAsk)
        throw badRequest(
          plan.model.columns.map(({ path }) => ({
            path: `recipe.${path}.model`,
            message:
              'asks for a model, and this platform has none; its host gives it one by createPlatform({ model })',
          })),
        )
      const refused = refusedStarts(recipe, plan, allowPrivateNetwork)
      if (refused.length > 0) throw badRequest(refused)
      return plan
    },
  }
}

/** Reports start URLs that the egress function would refuse, with their path in the recipe. */
function refusedStarts(
  { recipe }: ParsedRecipe,
  plan: CrawlPlan,
  allowPrivateNetwork: boolean,
): Issue[] {
  const issues: Issue[] = []
  // The rules are for schemes, hosts and ports, so all URLs of one origin share an answer.
  const byOrigin = new Map<string, string | null>()
  const refusal = (url: NormalUrl): string | null => {
    const origin = originOf(url)
    const known = byOrigin.get(origin)
    if (known !== undefined) return known
    const message = refusalOf(origin, { allowPrivateNetwork })
    byOrigin.set(origin, message)
    return message
  }
  for (const list of ['sitemap', 'feed'] as const) {
    const url = plan[list]
    const message = url === null ? null : refusal(url)
    if (message !== null) issues.push({ path: `recipe.start.${list}`, message })
  }
  if (plan.startUrls.every((url) => refusal(url) === null)) return issues
  for (const [at, written] of (recipe.start.urls ?? []).entries()) {
    // The first refused URL of each pattern. All URLs together are within a recipe's limit.
    const message = expandUrls([written], '', [])
      .map(refusal)
      .find((reason) => reason !== null)
    if (message) issues.push({ path: `recipe.start.urls.${at}`, message })
    if (issues.length === MOST_ISSUES) break
  }
  return issues
}

/**
 * Takes the recipe of a call.
 *
 * @throws {PlatformError} 400 with the path of each invalid field, below `recipe`
 */
export function takeRecipe(recipe: Json | ParsedRecipe): ParsedRecipe {
  return belowRecipe(() => acceptRecipe(recipe))
}

/**
 * Reads a stored recipe, to run it again.
 *
 * @throws {PlatformError} as {@link takeRecipe}, if it is not valid any more
 */
export function takeStored(recipe: Json): ParsedRecipe {
  return belowRecipe(() => readRecipe(recipe))
}

/** Puts the paths of issues below `recipe`, where a call has the recipe. */
function belowRecipe<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw withPaths(error, (path) => (path === '' ? 'recipe' : `recipe.${path}`))
  }
}

/** Changes the paths of an error's issues. Errors without issues are returned as they are. */
export function withPaths(error: unknown, pathOf: (path: string) => string): unknown {
  if (!(error instanceof PlatformError) || error.issues.length === 0) return error
  return badRequest(error.issues.map(({ path, message }) => ({ path: pathOf(path), message })))
}

/**
 * A recipe in a call. Its type helps a caller that writes one by hand; a recipe from elsewhere may
 * be any JSON object. The service checks both alike.
 */
export type RecipeInput = Recipe | { readonly [key: string]: Json }

/** How one execution differs from its task's recipe. */
export interface StartInput {
  /** Replaces `start`. A sitemap, a feed and a search of the recipe are then omitted. */
  readonly urls?: readonly string[]
  /** Replace single entries of the recipe's budget. */
  readonly budget?: {
    readonly pages?: number
    readonly credits?: number
    readonly seconds?: number
  }
}

/** The limit of `page.headersTo`. */
const MOST_ORIGINS = 50
const START = 'recipe.start.'
const BUDGET = 'recipe.budget.'

/** A recipe that may run, and its plan. A caller that has both need not compile it again. */
export interface Admitted {
  readonly recipe: ParsedRecipe
  readonly plan: CrawlPlan
}

/**
 * Applies an execution's overrides to a recipe and admits the result, compiling it once.
 *
 * @throws {PlatformError} 400 at the invalid override, or at the path below `recipe`
 */
export async function overrideRecipe(
  recipes: Recipes,
  recipe: ParsedRecipe,
  { urls, budget }: StartInput,
): Promise<Admitted> {
  if (urls === undefined && budget === undefined)
    return { recipe, plan: await recipes.admit(recipe) }
  const { written } = recipe
  try {
    const changed = takeRecipe({
      ...written,
      ...(urls && { start: { urls } }),
      ...(urls && keepsHeaders(recipe)),
      ...(budget && { budget: { ...objectOf(written['budget']), ...budget } }),
    })
    return { recipe: changed, plan: await recipes.admit(changed) }
  } catch (error) {
    throw withPaths(error, (path) =>
      pathInInput(path, { ...(urls && { urls }), ...(budget && { budget }) }),
    )
  }
}

/**
 * Limits the recipe's headers to the sites that the recipe names. A caller that may start the
 * recipe need not know the keys in its headers.
 */
function keepsHeaders({ written, recipe }: ParsedRecipe): JsonObject {
  const { page, start } = recipe
  if (page?.headers === undefined || page.headersTo !== undefined) return {}
  const headersTo = namedOrigins(start).slice(0, MOST_ORIGINS)
  return { page: { ...objectOf(written['page']), headersTo } }
}

function objectOf(part: Json | undefined): JsonObject {
  return isObject(part) ? part : {}
}

/** Maps a path to the caller's input. A part that is not overridden keeps its path in the recipe. */
function pathInInput(path: string, { urls, budget = {} }: StartInput): string {
  if (urls && path.startsWith(START)) return path.slice(START.length)
  const [entry = ''] = path.startsWith(BUDGET) ? path.slice(BUDGET.length).split('.') : []
  return Object.hasOwn(budget, entry) ? `budget.${path.slice(BUDGET.length)}` : path
}
