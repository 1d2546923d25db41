import { DEEPEST } from '../../../kernel/json-depth.ts'
import { defineMember, isList, type Json } from '../../../kernel/json.ts'
import { copyLevels, Level } from './copy-levels.ts'
import { VALUE_ROOM } from './parse-json.ts'
import { addsName } from '../value/wide-names.ts'
import { QuickPass, type Parts } from './in-turns.ts'
import type { PageBudget } from './page-budget.ts'

/** Steps that a turn counts for a member that is copied. */
const COPY_STEPS = 16

/** A value during reading. The values of names may still change, and may occur in several places. */
export type Value = null | boolean | number | string | Value[] | Members
export interface Members {
  [name: string]: Value
}

/** Thrown for code that is not plain data. */
export class NotPlainData extends Error {}

/**
 * Makes JSON from values that may occur in several places, or inside themselves. `most`: the
 * maximum number of values.
 */
export function* plainParts(value: Value, most: number, budget: PageBudget): Parts<Json> {
  let left = most
  const read = (member: Value, depth: number): Json | Level<Value, Json> => {
    if (--left < 0) throw new NotPlainData()
    budget.make(VALUE_ROOM)
    if (typeof member !== 'object' || member === null) return member
    return depth < DEEPEST ? new Level(member, depth + 1) : null
  }
  const root = read(value, 0)
  if (!(root instanceof Level)) return root
  return yield* copyLevels(
    root,
    (member, level) => read(member, level.depth),
    new QuickPass(budget, COPY_STEPS),
  )
}

/** Sets a member of a list or an object. */
export function assignTo(holder: Value | undefined, key: Value | undefined, value: Value): void {
  if (Array.isArray(holder)) {
    if (!isIndexOf(holder, key)) throw new NotPlainData()
    holder[key] = value
  } else if (typeof holder === 'object' && holder !== null && key !== undefined) {
    if (!addsName(holder, String(key))) throw new NotPlainData()
    defineMember(holder, String(key), value)
  } else throw new NotPlainData()
}

function isIndexOf(list: readonly Value[], key: Value | undefined): key is number {
  return Number.isInteger(key) && typeof key === 'number' && key >= 0 && key <= list.length
}

export function memberOf(holder: Value | undefined, key: Value): Value | undefined {
  if (Array.isArray(holder)) return typeof key === 'number' ? holder[key] : undefined
  if (typeof holder !== 'object' || holder === null) return undefined
  return Object.hasOwn(holder, String(key)) ? holder[String(key)] : undefined
}

/** Names of the language that are values. Values that JSON cannot represent are `null`. */
export const WORDS: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['true', true],
  ['false', false],
  ['null', null],
  ['undefined', null],
  ['NaN', null],
  ['Infinity', null],
])

/** Steps to copy a list or an object. */
const STEPS = 4

/** A copy of JSON that may be changed. Its depth is added to the depth of the values around it. */
export function* copyParts(json: Json, depth: number, budget: PageBudget): Parts<Value> {
  const read = (member: Json, around: number): Value | Level<Json, Value> => {
    if (typeof member !== 'object' || member === null) return scalarOf(member)
    budget.work(STEPS)
    if (around >= DEEPEST) throw new NotPlainData()
    if (isList(member)) budget.make(VALUE_ROOM * member.length)
    return new Level(member, around + 1)
  }
  const root = read(json, depth)
  if (!(root instanceof Level)) return root
  return yield* copyLevels(
    root,
    (member, level, name) => {
      if (name !== undefined) budget.make(VALUE_ROOM)
      return read(member, level.depth)
    },
    new QuickPass(budget, COPY_STEPS),
  )
}

function scalarOf(json: Exclude<Json, object>): Value {
  return typeof json === 'number' ? (Number.isFinite(json) ? json || 0 : null) : json
}
