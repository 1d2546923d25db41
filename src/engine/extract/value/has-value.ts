import type { Json } from '../../../kernel/json.ts'

/** True unless there is nothing: `null`, and the empty list of `many`. */
export function hasValue(value: Json | undefined): boolean {
  return value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0)
}
