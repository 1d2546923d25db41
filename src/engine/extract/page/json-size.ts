import { isList } from '../../../kernel/json.ts'
import type { Json } from '../../../kernel/json.ts'
import type { PageBudget } from './page-budget.ts'

/** Room that a value takes besides its text: its place in a row. */
export const VALUE_BYTES = 8

/**
 * Pays for a JSON value by the size of its text, part by part: what is shared by several parts is
 * written out for each of them. Stops where the budget ends. Documents are at most 64 levels deep,
 * so the recursion is bounded.
 *
 * @throws {PageTooCostly}
 */
export function makeJson(value: Json, budget: PageBudget): void {
  budget.work(1)
  if (typeof value === 'string') return budget.make(value.length + VALUE_BYTES)
  budget.make(VALUE_BYTES)
  if (value === null || typeof value !== 'object') return
  if (isList(value)) return value.forEach((one) => makeJson(one, budget))
  for (const [name, one] of Object.entries(value)) {
    budget.make(name.length)
    makeJson(one, budget)
  }
}
