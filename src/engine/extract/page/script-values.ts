import { DEEPEST } from '../../../kernel/json-depth.ts'
import { defineMember, isList, type Json, type JsonObject } from '../../../kernel/json.ts'
import { VALUE_ROOM } from './parse-json.ts'
import { QuickPass, StepParts, type Parts } from './in-turns.ts'
import type { PageBudget } from './page-budget.ts'

/** A value during reading. The values of names may still change, and may occur in several places. */
export type Value = null | boolean | number | string | Value[] | Members
export interface Members {
  [name: string]: Value
}

/** Thrown for code that is not plain data. */
export class NotPlainData extends Error {}

/** Makes JSON from values that may occur in several places, or inside themselves. */
export class Plain {
  #left: number
  readonly #budget: PageBudget
  readonly #pass: QuickPass

  constructor(most: number, budget: PageBudget) {
    this.#left = most
    this.#budget = budget
    this.#pass = new QuickPass(budget)
  }

  *of(value: Value, depth: number): Parts<Json> {
    if (--this.#left < 0) throw new NotPlainData()
    this.#budget.make(VALUE_ROOM)
    if (typeof value !== 'object' || value === null) return value
    if (depth >= DEEPEST) return null
    if (Array.isArray(value)) {
      const list: Json[] = []
      for (const item of value) {
        if (this.#pass.ends()) yield
        list.push(this.#scalar(item) ?? (yield* this.of(item, depth + 1)))
      }
      return list
    }
    const plain: JsonObject = {}
    for (const name in value) {
      if (this.#pass.ends()) yield
      const member = value[name] ?? null
      defineMember(plain, name, this.#scalar(member) ?? (yield* this.of(member, depth + 1)))
    }
    return plain
  }

  /** A text, a number or a truth value. */
  #scalar(value: Value): string | number | boolean | undefined {
    if (typeof value === 'object') return undefined
    if (--this.#left < 0) throw new NotPlainData()
    this.#budget.make(VALUE_ROOM)
    return value
  }
}

/** Sets a member of a list or an object. */
export function assignTo(holder: Value | undefined, key: Value | undefined, value: Value): void {
  if (Array.isArray(holder)) {
    if (!isIndexOf(holder, key)) throw new NotPlainData()
    holder[key] = value
  } else if (typeof holder === 'object' && holder !== null && key !== undefined)
    defineMember(holder, String(key), value)
  else throw new NotPlainData()
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
/** Steps that a turn counts for a copied value. */
const COPY_STEPS = 4

/** A copy of JSON that may be changed. Its depth is added to the depth of the values around it. */
export function* copyParts(
  json: Json,
  depth: number,
  budget: PageBudget,
  pass = new StepParts(budget),
): Parts<Value> {
  if (typeof json !== 'object' || json === null) return scalarOf(json)
  budget.work(STEPS)
  if (depth >= DEEPEST) throw new NotPlainData()
  if (pass.ends()) yield
  const copy: Value[] | Members = isList(json) ? [] : {}
  if (isList(json)) budget.make(VALUE_ROOM * json.length)
  for (const [name, member] of Object.entries(json)) {
    if (!isList(json)) budget.make(VALUE_ROOM)
    const isScalar = typeof member !== 'object' || member === null
    budget.unpaid(COPY_STEPS)
    const value = isScalar ? scalarOf(member) : yield* copyParts(member, depth + 1, budget, pass)
    if (Array.isArray(copy)) copy.push(value)
    else defineMember(copy, name, value)
  }
  return copy
}

function scalarOf(json: Exclude<Json, object>): Value {
  return typeof json === 'number' ? (Number.isFinite(json) ? json || 0 : null) : json
}
