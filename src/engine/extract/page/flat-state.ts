import { DEEPEST } from '../../../kernel/json-depth.ts'
import { isList, isObject, type Json } from '../../../kernel/json.ts'
import type { PageBudget } from './page-budget.ts'
import { VALUE_ROOM } from './parse-json.ts'

/** Names before the position of a wrapped value. */
const WRAPPED = /^(?:(?:Shallow)?(?:Reactive|Ref)|Object|NuxtError)$/
/**
 * Maximum number of values of the result for each position of the list, because a position may be
 * referenced often.
 */
const MOST_VALUES = 4
const LEAST_VALUES = 10_000

/**
 * Expands flat state in the format of Nuxt 3 (`__NUXT_DATA__`): a list in which objects and lists
 * contain the positions of their members. `undefined`: it is not such a list, or it would have too
 * many values.
 *
 * @throws {PageTooCostly}
 */
export function readFlatState(flat: Json, budget: PageBudget): Json | undefined {
  if (!isList(flat) || typeof flat[0] !== 'object' || flat[0] === null) return undefined
  let left = LEAST_VALUES + MOST_VALUES * flat.length
  const valueAt = (position: Json | undefined, depth: number): Json => {
    budget.work(1)
    budget.make(VALUE_ROOM)
    left--
    // Negative positions mean `undefined`, holes, and numbers that JSON does not have.
    if (typeof position !== 'number' || position < 0 || depth > DEEPEST || left < 0) return null
    const value = flat[position]
    if (isList(value)) return ofList(value, depth)
    if (!isObject(value)) return value ?? null
    return Object.fromEntries(
      Object.entries(value).map(([name, member]): [string, Json] => [
        name,
        valueAt(member, depth + 1),
      ]),
    )
  }
  const ofList = (parts: readonly Json[], depth: number): Json => {
    const [tag, ...rest] = parts
    if (typeof tag !== 'string') return parts.map((part) => valueAt(part, depth + 1))
    if (tag === 'Set') return rest.map((part) => valueAt(part, depth + 1))
    if (tag === 'Date' || tag === 'URL' || tag === 'BigInt') return rest[0] ?? null
    return WRAPPED.test(tag) ? valueAt(rest[0], depth + 1) : null
  }
  const state = valueAt(0, 0)
  return left < 0 ? undefined : state
}
