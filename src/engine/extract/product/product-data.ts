import { isList, isObject } from '../../../kernel/json.ts'
import type { Json, JsonObject } from '../../../kernel/json.ts'
import { QuickPass, StepParts, type Parts } from '../page/in-turns.ts'
import type { PageBudget } from '../page/page-budget.ts'
import { namesOf } from '../value/wide-names.ts'
import { listingSteps } from '../value/json-members.ts'

const PRODUCTS = new Set(['product', 'productgroup', 'productmodel', 'individualproduct'])
/** Members that lead to other products. */
const OTHERS = new Set([
  'isRelatedTo',
  'isSimilarTo',
  'isAccessoryOrSparePartFor',
  'isConsumableFor',
  'itemListElement',
  'review',
  'reviews',
])
/** Maximum number of values that are visited in one document. */
const MOST_VALUES = 50_000
/** Steps of an object and of a value at a path that nobody pays for. */
const OBJECT_STEPS = 30
const VALUE_STEPS = 10

/**
 * Returns in parts the products that a schema.org document describes, without products that it only
 * refers to.
 */
export function* productParts(document: Json, budget: PageBudget): Parts<JsonObject[]> {
  const products: JsonObject[] = []
  yield* eachObject(
    document,
    budget,
    (object) => {
      if (isProduct(object)) products.push(object)
    },
    (name) => !OTHERS.has(name),
  )
  return products
}

/**
 * Calls `take` with each object of a document, the outer ones first. `enters`: decides by a
 * member's name whether to visit it.
 */
export function* eachObject(
  document: Json,
  budget: PageBudget,
  take: (object: JsonObject) => void,
  enters: (name: string) => boolean = () => true,
): Parts<void> {
  const parts = new StepParts(budget)
  let left = MOST_VALUES
  const open: Json[] = [document]
  for (let value = open.pop(); value !== undefined && left-- > 0; value = open.pop()) {
    budget.work(2)
    if (parts.ends()) yield
    if (isList(value)) {
      budget.work(value.length)
      for (let index = Math.min(value.length, left) - 1; index >= 0; index--)
        open.push(value[index] ?? null)
    } else if (isObject(value)) {
      take(value)
      const names = namesOf(value)
      budget.unpaid(OBJECT_STEPS + listingSteps(names.length))
      const inner = names.flatMap((name) => {
        const member = value[name] ?? null
        return typeof member === 'object' && member !== null && enters(name) ? [member] : []
      })
      for (const member of inner.toReversed()) open.push(member)
    }
  }
}

function isProduct(object: JsonObject): boolean {
  const types = listOf(object['@type'])
  return types.some(
    (type) =>
      typeof type === 'string' &&
      PRODUCTS.has(
        type.slice(Math.max(type.lastIndexOf('/'), type.lastIndexOf(':')) + 1).toLowerCase(),
      ),
  )
}

/** A value as a list: its members, itself, or nothing. */
export function listOf(value: Json | undefined): readonly Json[] {
  return value === undefined || value === null ? [] : isList(value) ? value : [value]
}

/**
 * Returns the values at a path of members, such as `offers.price`. A list stands for each of its
 * members.
 */
export function* valuesAt(
  object: JsonObject,
  path: string,
  budget: PageBudget,
): Parts<readonly Json[]> {
  let values: readonly Json[] = [object]
  for (const name of path.split('.')) {
    const [only] = values
    if (values.length === 1) values = memberValues(only ?? null, name)
    else {
      const pass = new QuickPass(budget, VALUE_STEPS)
      const inner: Json[] = []
      for (const value of values) {
        if (pass.ends()) yield
        for (const member of memberValues(value, name)) inner.push(member)
      }
      values = inner
    }
  }
  return values
}

function memberValues(value: Json, name: string): readonly Json[] {
  return isObject(value) && Object.hasOwn(value, name) ? listOf(value[name]) : []
}

/** Returns a value as a text without outer blanks; `null` for anything else and for an empty one. */
export function plainText(value: Json | undefined): string | null {
  const text =
    typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : ''
  return text === '' || /^(?:null|undefined|n\/?a|none|-)$/i.test(text) ? null : text
}
