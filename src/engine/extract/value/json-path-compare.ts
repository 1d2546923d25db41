import { isList, isStructure } from '../../../kernel/json.ts'
import type { Json } from '../../../kernel/json.ts'
import type { PageBudget } from '../page/page-budget.ts'
import { listingSteps } from './json-members.ts'
import type { Comparison } from './parse-json-path.ts'

/**
 * Compares as a filter does (RFC 9535, section 2.3.5.2.2). `undefined` is not a value, and equals
 * only itself. Numbers and texts have an order, other values do not.
 */
export function compare(
  operator: Comparison,
  left: Json | undefined,
  right: Json | undefined,
  budget: PageBudget,
): boolean {
  switch (operator) {
    case '==':
      return equal(left, right, budget)
    case '!=':
      return !equal(left, right, budget)
    case '<':
      return isLess(left, right, budget)
    case '>':
      return isLess(right, left, budget)
    case '<=':
      return isLess(left, right, budget) || equal(left, right, budget)
    case '>=':
      return isLess(right, left, budget) || equal(left, right, budget)
  }
}

// Documents are at most 64 levels deep, so the recursion is bounded.
function equal(left: Json | undefined, right: Json | undefined, budget: PageBudget): boolean {
  budget.work(1 + (typeof left === 'string' ? left.length >> 4 : 0))
  if (left === right) return true
  if (!isStructure(left) || !isStructure(right)) return false
  if (isList(left) || isList(right))
    return (
      isList(left) &&
      isList(right) &&
      left.length === right.length &&
      left.every((value, index) => equal(value, right[index], budget))
    )
  const names = Object.keys(left)
  budget.work(listingSteps(names.length))
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && equal(left[name], right[name], budget))
  )
}

function isLess(left: Json | undefined, right: Json | undefined, budget: PageBudget): boolean {
  if (typeof left === 'number' && typeof right === 'number') return left < right
  if (typeof left !== 'string' || typeof right !== 'string') return false
  budget.work(Math.min(left.length, right.length) >> 3)
  return precedes(left, right)
}

/** The order of code points. JavaScript's own order differs for surrogates. */
function precedes(left: string, right: string): boolean {
  const length = Math.min(left.length, right.length)
  for (let position = 0; position < length; position++) {
    const [leftUnit, rightUnit] = [left.charCodeAt(position), right.charCodeAt(position)]
    if (leftUnit !== rightUnit) return rank(leftUnit) < rank(rightUnit)
  }
  return left.length < right.length
}

/** Puts surrogates, which are halves of the highest code points, behind all other units. */
function rank(unit: number): number {
  return unit >= 0xe000 ? unit - 0x800 : unit >= 0xd800 ? unit + 0x2000 : unit
}
