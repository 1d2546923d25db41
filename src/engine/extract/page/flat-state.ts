import { DEEPEST } from '../../../kernel/json-depth.ts'
import { isList, isStructure, type Json } from '../../../kernel/json.ts'
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
  const pass = new QuickPass(budget, VALUE_STEPS)
  /** Most values are simple, and a generator for each takes several times as long. */
  const simpleAt = (position: Json | undefined, depth: number): Json | undefined => {
    budget.work(1)
    budget.make(VALUE_ROOM)
    left--
    // Negative positions mean `undefined`, holes, and numbers that JSON does not have.
    if (typeof position !== 'number' || position < 0 || depth > DEEPEST || left < 0) return null
    const value = flat[position]
    return isStructure(value) ? undefined : (value ?? null)
  }
  const structureAt = function* (position: Json | undefined, depth: number): Parts<Json> {
    const value = flat[Number(position)]
    if (isList(value)) return yield* ofList(value, depth)
    const members: [string, Json][] = []
    for (const [name, member] of Object.entries(value ?? {})) {
      if (pass.ends()) yield
      const simple = simpleAt(member, depth + 1)
      members.push([name, simple === undefined ? yield* structureAt(member, depth + 1) : simple])
    }
    return Object.fromEntries(members)
  }
  const allAt = function* (positions: readonly Json[], depth: number): Parts<Json> {
    const values: Json[] = []
    for (const position of positions) {
      if (pass.ends()) yield
      const simple = simpleAt(position, depth + 1)
      values.push(simple === undefined ? yield* structureAt(position, depth + 1) : simple)
    }
    return values
  }
  const ofList = function* (parts: readonly Json[], depth: number): Parts<Json> {
    const [tag] = parts
    if (typeof tag !== 'string') return yield* allAt(parts, depth)
    if (tag === 'Set') return yield* allAt(parts.slice(1), depth)
    if (tag === 'Date' || tag === 'URL' || tag === 'BigInt') return parts[1] ?? null
    if (!WRAPPED.test(tag)) return null
    const simple = simpleAt(parts[1], depth + 1)
    return simple === undefined ? yield* structureAt(parts[1], depth + 1) : simple
  }
  const simple = simpleAt(0, 0)
  const state = simple === undefined ? yield* structureAt(0, 0) : simple
  return left < 0 ? undefined : state
}
