import { checkSchema } from '../../kernel/schema.ts'
import { PlatformError, badRequest } from '../../kernel/errors.ts'
import type { Issue } from '../../kernel/errors.ts'
import type { Json, JsonObject } from '../../kernel/json.ts'
import type { Template } from './template.ts'

/**
 * Fills a template's recipe with a caller's parameters, as JSON.
 *
 * @throws {PlatformError} 400 with each missing, unknown and invalid parameter, with its path below
 *   `params`
 */
export function fillTemplate(template: Template, parameters: Json): JsonObject {
  const checked = checkSchema(template.parameters, parameters)
  if (checked.issues !== null)
    throw badRequest(
      checked.issues.map(({ path, message }) => ({
        path: path === '' ? 'params' : `params.${path}`,
        message,
      })),
    )
  // A recipe is stored as it is written, so `undefined` members are removed.
  return JSON.parse(JSON.stringify(template.recipe(checked.output)))
}

/**
 * Calls `use` with the recipe of a template. The caller has not written the recipe, so an error in
 * it is reported at the parameter that it came from.
 *
 * @throws {PlatformError} 400 with paths below `params`, and any other error of `use`
 */
export async function blameParameters<T>(
  recipe: JsonObject,
  parameters: Json,
  use: () => Promise<T>,
): Promise<T> {
  try {
    return await use()
  } catch (error) {
    if (!(error instanceof PlatformError) || error.issues.length === 0) throw error
    throw badRequest(error.issues.map((issue) => blame(issue, recipe, parameters)))
  }
}

function blame({ path, message }: Issue, recipe: JsonObject, parameters: Json): Issue {
  if (!path.startsWith('recipe.')) return { path, message }
  const wrong = path.split('.').slice(1).reduce<Json | undefined>(member, recipe)
  const found = typeof wrong === 'string' ? placeOf(parameters, wrong, 'params') : null
  return { path: found ?? 'params', message: found === null ? `${path}: ${message}` : message }
}

/** The path of a text among the parameters: first an equal text, then a text that contains it. */
function placeOf(value: Json, text: string, path: string): string | null {
  const places: { readonly path: string; readonly text: string }[] = []
  const walk = (inner: Json | undefined, at: string): void => {
    if (typeof inner === 'string' && inner.trim() !== '')
      places.push({ path: at, text: inner.trim() })
    else if (typeof inner === 'object' && inner !== null)
      for (const [key, child] of Object.entries(inner)) walk(child, `${at}.${key}`)
  }
  walk(value, path)
  return (
    (
      places.find((place) => place.text === text) ??
      places.find((place) => text.includes(place.text))
    )?.path ?? null
  )
}

function member(value: Json | undefined, key: string): Json | undefined {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).find(([name]) => name === key)?.[1]
    : undefined
}
