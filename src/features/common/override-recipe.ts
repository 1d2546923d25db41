import { namedOrigins } from '../../engine/plan/named-origins.ts'
import type { Plan } from '../../engine/plan/plan.ts'
import { PlatformError, badRequest } from '../../kernel/errors.ts'
import { isObject } from '../../kernel/json.ts'
import type { Json } from '../../kernel/json.ts'
import type { Admit } from '../recipes/service.ts'

/** What one execution does differently from its task's recipe. */
export interface StartInput {
  /** Replace `start`: a sitemap, a feed and a search of the recipe are then left out. */
  readonly urls?: readonly string[]
  /** Replace single entries of the recipe's budget. */
  readonly budget?: {
    readonly pages?: number
    readonly credits?: number
    readonly seconds?: number
  }
}

type JsonObject = { readonly [key: string]: Json }

/** As many as `page.headersTo` may have. */
const MOST_ORIGINS = 50
const START = 'recipe.start.'
const BUDGET = 'recipe.budget.'

/** A recipe that may run, and its plan: who has both need not compile it again. */
export interface Admitted {
  readonly recipe: Json
  readonly plan: Plan
}

/**
 * A recipe with an execution's overrides, admitted: it is compiled once, as what it has become.
 *
 * @throws {PlatformError} 400 at the override that is wrong, or at the place below `recipe`
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
 * The recipe's headers stay with the sites that the recipe names: whoever may start it need not be
 * who knows its keys.
 */
function keepsHeaders(recipe: JsonObject): JsonObject {
  const page = recipe['page'] ?? null
  if (!isObject(page) || page['headers'] === undefined || page['headersTo'] !== undefined) return {}
  return { page: { ...page, headersTo: namedOrigins(recipe).slice(0, MOST_ORIGINS) } }
}

/** What is not overridden keeps its place in the recipe. */
function pathInInput(path: string, { urls, budget = {} }: StartInput): string {
  if (urls && path.startsWith(START)) return path.slice(START.length)
  const [entry = ''] = path.startsWith(BUDGET) ? path.slice(BUDGET.length).split('.') : []
  return Object.hasOwn(budget, entry) ? `budget.${path.slice(BUDGET.length)}` : path
}
