import type { Json } from '../../../kernel/json.ts'
import { VALUE_BYTES } from '../page/json-size.ts'
import type { PageBudget } from '../page/page-budget.ts'

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
