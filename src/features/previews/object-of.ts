import { badRequest } from '../../kernel/errors.ts'
import { isObject } from '../../kernel/json.ts'
import type { Json } from '../../kernel/json.ts'
import type { JsonObject } from '../tasks/schema.ts'

/**
 * A recipe that is to be taken apart.
 *
 * @throws {PlatformError} 400
 */
export function objectOf(recipe: Json): JsonObject {
  if (isObject(recipe)) return recipe
  throw badRequest([{ path: 'recipe', message: 'must be an object' }])
}
