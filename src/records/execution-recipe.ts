import type { Json } from '../kernel/json.ts'
import type { ExecutionRecord } from './types.ts'

/**
 * The recipe that an execution's rows are of: with what was found out on its first page, where it
 * leaves something to that.
 */
export function recipeOf({ recipe, detected }: ExecutionRecord): Json {
  return detected ?? recipe
}
