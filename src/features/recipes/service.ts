import { refusalOf } from '../../engine/egress/guard.ts'
import type { ColumnType } from '../../ports/row-work.ts'
import { columnTypes } from '../../engine/plan/column-types.ts'
import { columnsOf, mediaOf } from '../../engine/recipe/columns.ts'
import type { MediaPath } from '../../engine/recipe/columns.ts'
import { expandUrls } from '../../engine/recipe/expand-urls.ts'
import { parseRecipe, parseStoredRecipe } from '../../engine/recipe/parse-recipe.ts'
import { prepareRecipe } from '../../engine/plan/prepare-recipe.ts'
import type { CrawlPlan } from '../../engine/plan/plan.ts'
import type { Recipe } from '../../engine/recipe/schema.ts'
import { MOST_ISSUES, PlatformError, badRequest } from '../../kernel/errors.ts'
import type { Issue } from '../../kernel/errors.ts'
import type { Json, JsonObject } from '../../kernel/json.ts'
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

/**
 * Compiles a recipe to its plan. `found`: the results of its search.
 *
 * @throws {PlatformError} 400 with the path of each invalid field, below `recipe`
 */
export type Admit = (recipe: Json, found?: readonly string[]) => CrawlPlan

/** Decides which recipes may be saved and run. */
export interface Recipes {
  /**
   * Loads the modules that admitting this recipe needs, which is most of the engine. The returned
   * function admits the recipe, and variants of it without new patterns. Never rejects because of a
   * recipe's content.
   */
  prepare(recipe: Json): Promise<Admit>
  /** The columns of a recipe that was admitted before. */
  columns(recipe: Json): readonly string[]
  /** Types of those columns, as far as the recipe determines them. */
  types(recipe: Json): ReadonlyMap<string, ColumnType>
  /** Paths at which its rows have media. */
  media(recipe: Json): readonly MediaPath[]
}

/** Opens the service that checks every recipe of a caller before it is stored. */
export function createRecipes({
  allowPrivateNetwork = false,
  canRender = false,
  canAsk = false,
}: RecipesOptions = {}): Recipes {
  return {
    async prepare(given) {
      // Loads the half of the platform that reads pages. Other requests do without it.
      const [{ compileRecipe }] = await Promise.all([
        import('../../engine/plan/compile.ts'),
        prepareRecipe(given),
      ])
      return (recipe, found) => {
        const plan = compileBelow('recipe', recipe, (parsed) => compileRecipe(parsed, found))
        if (plan.request.render !== null && !canRender)
          throw badRequest([
            {
              path: 'recipe.page.render',
              message:
                'needs a browser, and this platform has none; its operator can add one with ' +
                'createPlatform({ browser })',
            },
          ])
        if (plan.model !== null && !canAsk)
          throw badRequest(
            plan.model.columns.map(({ path }) => ({
              path: `recipe.${path}.model`,
              message:
                'needs a model, and this platform has none; its operator can add one with ' +
                'createPlatform({ model })',
            })),
          )
        const refused = refusedStarts(recipe, plan, allowPrivateNetwork)
        if (refused.length > 0) throw badRequest(refused)
        return plan
      }
    },
    columns: (recipe) => columnsOf(parseStoredRecipe(recipe)),
    types: (recipe) => columnTypes(parseStoredRecipe(recipe)),
    media: (recipe) => mediaOf(parseStoredRecipe(recipe)),
  }
}

/** Reports start URLs that the egress function would refuse, with their path in the recipe. */
function refusedStarts(recipe: Json, plan: CrawlPlan, allowPrivateNetwork: boolean): Issue[] {
  const issues: Issue[] = []
  const refusal = (url: string) => refusalOf(url, { allowPrivateNetwork })
  for (const list of ['sitemap', 'feed'] as const) {
    const url = plan[list]
    const message = url === null ? null : refusal(url)
    if (message !== null) issues.push({ path: `recipe.start.${list}`, message })
  }
  if (plan.startUrls.every((url) => refusal(url) === null)) return issues
  for (const [at, written] of (parseRecipe(recipe).start.urls ?? []).entries()) {
    // The first refused URL of each pattern. All URLs together are within a recipe's limit.
    const message = expandUrls([written], '', [])
      .map(refusal)
      .find((reason) => reason !== null)
    if (message) issues.push({ path: `recipe.start.urls.${at}`, message })
    if (issues.length === MOST_ISSUES) break
  }
  return issues
}

function compileBelow(
  root: string,
  recipe: Json,
  compile: (recipe: Recipe) => CrawlPlan,
): CrawlPlan {
  try {
    return compile(parseRecipe(recipe))
  } catch (error) {
    if (!(error instanceof PlatformError) || error.issues.length === 0) throw error
    throw badRequest(
      error.issues.map(({ path, message }) => ({
        path: path === '' ? root : `${root}.${path}`,
        message,
      })),
    )
  }
}

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
  readonly recipe: Json
  readonly plan: CrawlPlan
}

/**
 * Applies an execution's overrides to a recipe and admits the result, compiling it once.
 *
 * @throws {PlatformError} 400 at the invalid override, or at the path below `recipe`
 */
export function overrideRecipe(recipe: Json, { urls, budget }: StartInput, admit: Admit): Admitted {
  if (!isObject(recipe) || (urls === undefined && budget === undefined))
    return { recipe, plan: admit(recipe) }
  const changed = {
    ...recipe,
    ...(urls && { start: { urls } }),
    ...(urls && keepsHeaders(recipe)),
    ...(budget && { budget: { ...(isObject(recipe['budget']) && recipe['budget']), ...budget } }),
  }
  try {
    return { recipe: changed, plan: admit(changed) }
  } catch (error) {
    if (!(error instanceof PlatformError) || error.issues.length === 0) throw error
    throw badRequest(
      error.issues.map(({ path, message }) => ({
        path: pathInInput(path, { ...(urls && { urls }), ...(budget && { budget }) }),
        message,
      })),
    )
  }
}

/**
 * Limits the recipe's headers to the sites that the recipe names. A caller that may start the
 * recipe need not know the keys in its headers.
 */
function keepsHeaders(recipe: JsonObject): JsonObject {
  const page = recipe['page'] ?? null
  if (!isObject(page) || page['headers'] === undefined || page['headersTo'] !== undefined) return {}
  return { page: { ...page, headersTo: namedOrigins(recipe).slice(0, MOST_ORIGINS) } }
}

/** Maps a path to the caller's input. A part that is not overridden keeps its path in the recipe. */
function pathInInput(path: string, { urls, budget = {} }: StartInput): string {
  if (urls && path.startsWith(START)) return path.slice(START.length)
  const [entry = ''] = path.startsWith(BUDGET) ? path.slice(BUDGET.length).split('.') : []
  return Object.hasOwn(budget, entry) ? `budget.${path.slice(BUDGET.length)}` : path
}
