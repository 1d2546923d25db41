import { PlatformError, badRequest } from '../../kernel/errors.ts'
import type { Json } from '../../kernel/json.ts'
import type { Admit } from '../recipes/service.ts'

/** What one execution does differently from its task's recipe. */
export interface StartInput {
  /** Replace `start`: a sitemap, a feed and a search of the recipe are then left out. */
  readonly urls?: readonly string[]
  /** Replace single entries of the recipe's budget. */
  readonly budget?: { readonly pages?: number; readonly credits?: number; readonly seconds?: number }
}

type JsonObject = { readonly [key: string]: Json }

/** As many as `page.headersTo` may have. */
const MOST_ORIGINS = 50
const START = 'recipe.start.'
const BUDGET = 'recipe.budget.'

/** A task's recipe with an execution's overrides, admitted anew. @throws {PlatformError} 400 at the override that is wrong */
export function overrideRecipe(recipe: Json, { urls, budget }: StartInput, admit: Admit): Json {
  if (!isObject(recipe) || (urls === undefined && budget === undefined)) return recipe
  const changed = {
    ...recipe,
    ...(urls && { start: { urls } }),
    ...(urls && keepsHeaders(recipe, admit)),
    ...(budget && { budget: { ...(isObject(recipe['budget']) && recipe['budget']), ...budget } }),
  }
  try {
    admit(changed)
  } catch (error) {
    if (!(error instanceof PlatformError) || error.issues.length === 0) throw error
    throw badRequest(error.issues.map(({ path, message }) => ({ path: pathInInput(path), message })))
  }
  return changed
}

/** The recipe's headers stay with the sites that the recipe names: whoever may start it need not be who knows its keys. */
function keepsHeaders(recipe: JsonObject, admit: Admit): JsonObject {
  const page = recipe['page'] ?? null
  if (!isObject(page) || page['headers'] === undefined || page['headersTo'] !== undefined) return {}
  return { page: { ...page, headersTo: admit(recipe).request.headersTo.slice(0, MOST_ORIGINS) } }
}

function pathInInput(path: string): string {
  if (path.startsWith(START)) return path.slice(START.length)
  return path.startsWith(BUDGET) ? `budget.${path.slice(BUDGET.length)}` : path
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
