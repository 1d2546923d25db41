import { flat } from '../../../kernel/text/long-text.ts'
import { isList } from '../../../kernel/json.ts'
import type { Json } from '../../../kernel/json.ts'
import type { FieldSource, ValueReading } from '../../recipe/recipe-input.ts'
import type { Parts } from '../page/in-turns.ts'
import type { PageContent } from '../page/page-content.ts'
import { checkedRegex } from '../value/linear-regex.ts'
import { convertJson } from '../value/convert.ts'
import type { Compiling } from './reader.ts'
import { compileTransforms } from './transform.ts'
import type { Step } from './transform.ts'
import { VALUE_BYTES } from '../page/parse-json.ts'
import type { PageBudget } from '../page/page-budget.ts'

/**
 * Applies a source's `regex`, `transform` and `as` to a text. Returns a list for `many`, else one
 * value or the list of `split`.
 */
type Refine = (text: string, page: PageContent) => readonly Json[]

/**
 * Compiles a {@link Refine}. Returns `null` if a source has neither `regex` nor `transform`, so that
 * only its type applies.
 */
export function compileRefine(
  source: FieldSource,
  sourcePath: string,
  { issues }: Compiling,
): Refine | null {
  const { regex, group, transform, as, many } = source
  if (regex === undefined && transform === undefined) return null
  const pattern =
    regex === undefined ? null : checkedRegex(regex, group, `${sourcePath}.regex`, issues)
  const steps =
    transform === undefined ? [] : compileTransforms(transform, `${sourcePath}.transform`, issues)
  const isForPeople = readsText(source)
  return (text, page) => {
    const matched =
      regex === undefined
        ? [text]
        : pattern === null
          ? []
          : many === true
            ? pattern.all(text, page.budget)
            : [pattern.first(text, page.budget)].filter((match) => match !== null)
    return matched.flatMap((matchedText) => {
      const value = typed(run(steps, matchedText, page), as, page, isForPeople)
      return value === null ? [] : many === true && isList(value) ? value : [value]
    })
  }
}

/** Returns a found value as text for further steps. */
export function textOfJson(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function run(steps: readonly Step[], text: string, page: PageContent): Json {
  let value: Json = text
  for (const step of steps) value = step(value, page)
  return value
}

/** True if a source reads what people see, and not an attribute or data. */
export function readsText({ css, xpath, cell, attr, json, ...rest }: FieldSource): boolean {
  if (attr !== undefined || json !== undefined) return false
  if (css !== undefined || cell !== undefined) return true
  // The last step of the path may be an attribute.
  if (xpath !== undefined) return xpath.charAt(xpath.lastIndexOf('/') + 1) !== '@'
  return (
    rest.regex !== undefined &&
    rest.jsonld === undefined &&
    rest.state === undefined &&
    rest.product === undefined &&
    rest.microdata === undefined &&
    rest.meta === undefined &&
    rest.const === undefined &&
    rest.url === undefined &&
    rest.page === undefined
  )
}

function typed(
  value: Json,
  as: ValueReading | undefined,
  page: PageContent,
  isForPeople: boolean,
): Json {
  if (isList(value)) {
    const values = value
      .map((item) => typed(item, as, page, isForPeople))
      .filter((item) => item !== null)
    return values.length === 0 ? null : values
  }
  if (value === '') return null
  // The output of steps stays unchanged.
  return as === undefined || as === 'text' || as === 'html' || as === 'markdown'
    ? value
    : convertJson(value, as, page, isForPeople)
}

/** Maximum number of values that one field takes from one node. */
export const MAX_VALUES = 10_000

/** Steps to store a value. */
const VALUE_STEPS = 4

/** Steps that a turn counts for a match that is read in parts, which takes longer. */
const PARTS_STEPS = 60

/** Passes the matches one by one to `take`, until it returns true because it has enough. */
export type Find<T> = (take: (match: T) => boolean) => unknown

/** Passes the matches one by one in parts to `take`, as {@link Find} does. */
export type FindParts<T> = (take: (match: T) => Parts<boolean>) => Parts<unknown>

/** Passes the members of a list in parts. */
export function* eachParts<T>(list: readonly T[], take: (match: T) => Parts<boolean>): Parts<void> {
  for (const match of list) {
    if (yield* take(match)) return
    yield
  }
}

/** Passes the members of a list. */
export function each<T>(list: readonly T[]): Find<T> {
  return (take) => list.some(take)
}

/**
 * Returns the first valid value, or for `many` all of them. The budget pays for texts; other output
 * is already paid for.
 */
export function collect<T>(
  find: Find<T>,
  many: boolean,
  budget: PageBudget,
  read: (match: T) => Json,
): Json {
  if (!many) {
    let value: Json = null
    find((match) => {
      value = read(match)
      return value !== null
    })
    return value === null ? null : paidFor(value, budget)
  }
  const values: Json[] = []
  try {
    find((match) => {
      return isFullWith(values, read(match), budget)
    })
  } catch (error) {
    // The values read so far are kept.
    budget.settle(error, null)
  }
  return values
}

/** Like {@link collect} in parts. */
export function* collectParts<T>(
  find: FindParts<T>,
  many: boolean,
  budget: PageBudget,
  read: (match: T) => Parts<Json>,
): Parts<Json> {
  if (!many) {
    let value: Json = null
    yield* find(function* (match) {
      value = yield* read(match)
      return value !== null
    })
    return value === null ? null : paidFor(value, budget)
  }
  const values: Json[] = []
  try {
    yield* find(function* (match) {
      budget.unpaid(PARTS_STEPS)
      return isFullWith(values, yield* read(match), budget)
    })
  } catch (error) {
    budget.settle(error, null)
  }
  return values
}

/** Adds a value to a list, and pays for it. True: the list may not have another one. */
function isFullWith(values: Json[], value: Json, budget: PageBudget): boolean {
  if (value === null) return false
  if (values.length === MAX_VALUES) {
    budget.cut('values', MAX_VALUES)
    return true
  }
  values.push(paidFor(value, budget))
  return false
}

/** Pays for a value that a row receives; for a list, for each member. */
export function paidFor(value: Json, budget: PageBudget): Json {
  if (Array.isArray(value)) for (const entry of value) pay(entry, budget)
  else pay(value, budget)
  return value
}

function pay(value: Json, budget: PageBudget): void {
  budget.work(VALUE_STEPS)
  budget.make(typeof value === 'string' ? flat(value).length + VALUE_BYTES : VALUE_BYTES)
}
