import { isList } from '../../../kernel/json.ts'
import type { Json } from '../../../kernel/json.ts'
import type { FieldSource, ValueType } from '../../recipe/field-schema.ts'
import type { PageContent } from '../page/page-content.ts'
import { checkedRegex } from '../value/linear-regex.ts'
import { convertJson } from '../value/convert.ts'
import type { Compiling } from './place.ts'
import { compileTransforms } from './transform.ts'
import type { Step } from './transform.ts'
import { VALUE_BYTES } from '../page/parse-json.ts'
import type { PageBudget } from '../page/page-budget.ts'

/**
 * What a source's `regex`, `transform` and `as` make of a text: a list for `many`, else one value,
 * or the list of `split`.
 */
type Refine = (text: string, page: PageContent) => readonly Json[]

/**
 * Compiles them; `null` where a source has neither `regex` nor `transform`, so that a type is all
 * there is to it.
 */
export function compileRefine(
  { regex, group, transform, as, many }: FieldSource,
  at: string,
  { issues }: Compiling,
): Refine | null {
  if (regex === undefined && transform === undefined) return null
  const pattern = regex === undefined ? null : checkedRegex(regex, group, `${at}.regex`, issues)
  const steps =
    transform === undefined ? [] : compileTransforms(transform, `${at}.transform`, issues)
  return (text, page) => {
    const matched =
      regex === undefined
        ? [text]
        : pattern === null
          ? []
          : many === true
            ? pattern.all(text, page.budget)
            : [pattern.first(text, page.budget)].filter((found) => found !== null)
    return matched.flatMap((found) => {
      const value = typed(run(steps, found, page), as, page)
      return value === null ? [] : many === true && isList(value) ? value : [value]
    })
  }
}

/** A found value as a text that can be refined. */
export function textOfJson(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function run(steps: readonly Step[], text: string, page: PageContent): Json {
  let value: Json = text
  for (const step of steps) value = step(value, page)
  return value
}

function typed(value: Json, as: ValueType | undefined, page: PageContent): Json {
  if (isList(value)) {
    const known = value.map((one) => typed(one, as, page)).filter((one) => one !== null)
    return known.length === 0 ? null : known
  }
  if (value === '') return null
  // What steps have made of a text stays as it is.
  return as === undefined || as === 'text' || as === 'html' || as === 'markdown'
    ? value
    : convertJson(value, as, page)
}

/** Most values that one field takes from one place. */
export const MAX_VALUES = 10_000

/** To keep a value takes some steps. */
const VALUE_STEPS = 4

/** Gives what was found, one after the other, until `take` returns true: it has enough. */
export type Find<T> = (take: (one: T) => boolean) => unknown

/** Gives what is in a list. */
export function each<T>(list: readonly T[]): Find<T> {
  return (take) => list.some(take)
}

/**
 * The first value that is one, or for `many` all of them. The budget pays for texts; what else is
 * made has paid already.
 */
export function collect<T>(
  find: Find<T>,
  many: boolean,
  budget: PageBudget,
  read: (one: T) => Json,
): Json {
  if (!many) {
    let value: Json = null
    find((one) => {
      value = read(one)
      return value !== null
    })
    return value === null ? null : kept(value, budget)
  }
  const values: Json[] = []
  try {
    find((one) => {
      const value = read(one)
      if (value === null) return false
      if (values.length === MAX_VALUES) {
        budget.cut('values', MAX_VALUES)
        return true
      }
      values.push(kept(value, budget))
      return false
    })
  } catch (error) {
    // The values that were read are kept.
    budget.settle(error, null)
  }
  return values
}

/** Pays for a value that a row is given; of a list, for each. */
export function kept(value: Json, budget: PageBudget): Json {
  if (Array.isArray(value)) for (const one of value) pay(one, budget)
  else pay(value, budget)
  return value
}

function pay(value: Json, budget: PageBudget): void {
  budget.work(VALUE_STEPS)
  budget.make(typeof value === 'string' ? value.length + VALUE_BYTES : VALUE_BYTES)
}
