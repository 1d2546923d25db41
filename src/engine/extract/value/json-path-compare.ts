import { isList, isStructure } from '../../../kernel/json.ts'
import type { Json } from '../../../kernel/json.ts'
import { StepParts, type Parts } from '../page/in-turns.ts'
import type { PageBudget } from '../page/page-budget.ts'
import { listingSteps } from './json-members.ts'
import type { Comparison } from './parse-json-path.ts'
import { namesOf } from './wide-names.ts'

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

/** Like {@link compare} in parts. */
export function* compareParts(
  operator: Comparison,
  left: Json | undefined,
  right: Json | undefined,
  budget: PageBudget,
): Parts<boolean> {
  const isOrder = operator === '<' || operator === '>'
  if (isOrder || !isStructure(left) || !isStructure(right))
    return compare(operator, left, right, budget)
  const areEqual = yield* equalParts(left, right, budget, new StepParts(budget))
  return (operator === '!=') !== areEqual
}

function* equalParts(
  left: Json | undefined,
  right: Json | undefined,
  budget: PageBudget,
  pass: StepParts,
): Parts<boolean> {
  if (left === right || !isStructure(left) || !isStructure(right)) return equal(left, right, budget)
  if (pass.ends()) yield
  budget.work(1)
  if (isList(left) || isList(right)) {
    if (!isList(left) || !isList(right) || left.length !== right.length) return false
    for (const [index, value] of left.entries())
      if (!(yield* equalParts(value, right[index], budget, pass))) return false
    return true
  }
  const names = namesOf(left)
  budget.work(listingSteps(names.length))
  if (names.length !== namesOf(right).length) return false
  for (const name of names) {
    if (!Object.hasOwn(right, name)) return false
    if (!(yield* equalParts(left[name], right[name], budget, pass))) return false
  }
  return true
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
