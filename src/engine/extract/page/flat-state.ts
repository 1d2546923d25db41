import { DEEPEST } from '../../../kernel/json-depth.ts'
import { isList, isObject, type Json } from '../../../kernel/json.ts'
import { copyLevels, Level } from './copy-levels.ts'
import { QuickPass, type Parts } from './in-turns.ts'
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
/** Steps that a turn counts for a value. */
const VALUE_STEPS = 12

type FlatLevel = Level<Json, Json>

/**
 * Expands flat state in the format of Nuxt 3 (`__NUXT_DATA__`): a list in which objects and lists
 * contain the positions of their members. `undefined`: it is not such a list, or it would have too
 * many values.
 *
 * @throws {PageTooCostly}
 */
export function* flatStateParts(flat: Json, budget: PageBudget): Parts<Json | undefined> {
  if (!isList(flat) || typeof flat[0] !== 'object' || flat[0] === null) return undefined
  let left = LEAST_VALUES + MOST_VALUES * flat.length
  const valueAt = (position: Json | undefined, depth: number): Json | FlatLevel => {
    budget.work(1)
    budget.make(VALUE_ROOM)
    left--
    // Negative positions mean `undefined`, holes, and numbers that JSON does not have.
    if (typeof position !== 'number' || position < 0 || depth > DEEPEST || left < 0) return null
    const value = flat[position]
    if (isList(value)) return ofList(value, depth)
    return isObject(value) ? new Level(value, depth + 1) : (value ?? null)
  }
  const ofList = (parts: readonly Json[], depth: number): Json | FlatLevel => {
    const [tag, first] = parts
    if (typeof tag !== 'string') return new Level(parts, depth + 1)
    if (tag === 'Set') return new Level(parts.slice(1), depth + 1)
    if (tag === 'Date' || tag === 'URL' || tag === 'BigInt') return first ?? null
    return WRAPPED.test(tag) ? valueAt(first, depth + 1) : null
  }
  const root = valueAt(0, 0)
  const pass = new QuickPass(budget, VALUE_STEPS)
  const state =
    root instanceof Level
      ? yield* copyLevels(root, (position, level) => valueAt(position, level.depth), pass)
      : root
  return left < 0 ? undefined : state
}
