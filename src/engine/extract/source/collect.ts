import type { Json } from '../../../kernel/json.ts'
import { VALUE_BYTES } from '../page/json-size.ts'
import type { PageBudget } from '../page/page-budget.ts'

/** Most values that one field takes from one place. */
export const MAX_VALUES = 10_000

/** The first value that is one, or for `many` all of them. The budget pays for texts; what else is made has paid already. */
export function collect<T>(found: Iterable<T>, many: boolean, budget: PageBudget, read: (one: T) => Json): Json {
  if (!many) {
    for (const one of found) {
      const value = read(one)
      if (value !== null) return kept(value, budget)
    }
    return null
  }
  const values: Json[] = []
  try {
    for (const one of found) {
      const value = read(one)
      if (value !== null && values.push(kept(value, budget)) === MAX_VALUES) break
    }
  } catch (error) {
    // The values that were read are kept.
    budget.settle(error, null)
  }
  return values
}

/** Pays for a value that a row is given. */
export function kept(value: Json, budget: PageBudget): Json {
  budget.make(typeof value === 'string' ? value.length + VALUE_BYTES : VALUE_BYTES)
  return value
}
