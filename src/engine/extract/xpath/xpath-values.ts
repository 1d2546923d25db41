import type { PageBudget } from '../page/page-budget.ts'
import { stringOf, type XPathNode } from './xpath-nodes.ts'
import type { Operator } from './xpath-parts.ts'

/** Steps to store a text in a set. */
const TEXT_STEPS = 4

/** The value of an expression: nodes, or one of XPath 1.0's three other types. */
export type XPathValue = readonly XPathNode[] | string | number | boolean

/** Converts like `boolean()`. */
export function truthOf(value: XPathValue): boolean {
  return typeof value === 'object'
    ? value.length > 0
    : typeof value === 'string'
      ? value !== ''
      : typeof value === 'number'
        ? value !== 0 && !Number.isNaN(value)
        : value
}

/** Converts like `string()`: of nodes, the first. */
export function textOfValue(value: XPathValue, budget: PageBudget): string {
  if (typeof value !== 'object') {
    const text = String(value)
    budget.work(1 + (text.length >> 4))
    return text
  }
  const first = value[0]
  return first === undefined ? '' : stringOf(first, budget)
}

/** Converts like `number()`. */
export function numberOf(value: XPathValue, budget: PageBudget): number {
  if (typeof value === 'boolean') return value ? 1 : 0
  return typeof value === 'number' ? value : toNumber(textOfValue(value, budget))
}

/** Compares like XPath, where nodes equal a value if one of them does. Also calculates. */
export function compare(
  operator: Exclude<Operator, 'or' | 'and'>,
  left: XPathValue,
  right: XPathValue,
  budget: PageBudget,
): boolean | number {
  if (operator === '+' || operator === '-' || operator === 'mod') {
    const [a, b] = [numberOf(left, budget), numberOf(right, budget)]
    return operator === '+' ? a + b : operator === '-' ? a - b : a % b
  }
  if (typeof left === 'boolean' || typeof right === 'boolean')
    return holds(operator, Number(truthOf(left)), Number(truthOf(right)))
  const isNumber =
    typeof left === 'number' || typeof right === 'number' || (operator !== '=' && operator !== '!=')
  const lefts = textsOf(left, budget)
  const rights = textsOf(right, budget)
  if (isNumber)
    return compareAll(lefts.map(toNumber), rights.map(toNumber), budget, (a, b) =>
      holds(operator, a, b),
    )
  return operator === '=' ? haveCommon(lefts, rights, budget) : haveDifferent(lefts, rights, budget)
}

/**
 * True if a text is in both lists. Texts may be long and similar, so they are not compared pair by
 * pair.
 */
function haveCommon(
  lefts: readonly string[],
  rights: readonly string[],
  budget: PageBudget,
): boolean {
  budget.work(TEXT_STEPS * (lefts.length + rights.length))
  const known = new Set(rights)
  return lefts.some((one) => known.has(one))
}

/** True if some pair of texts, one from each list, differs. */
function haveDifferent(
  lefts: readonly string[],
  rights: readonly string[],
  budget: PageBudget,
): boolean {
  budget.work(lefts.length + rights.length)
  const [first] = lefts
  if (first === undefined || rights.length === 0) return false
  return lefts.some((one) => one !== first) || rights.some((one) => one !== first)
}

/** True if the comparison holds for some pair, one from each list. */
function compareAll(
  lefts: readonly number[],
  rights: readonly number[],
  budget: PageBudget,
  holdsFor: (a: number, b: number) => boolean,
): boolean {
  return lefts.some((a) => {
    budget.work(rights.length)
    return rights.some((b) => holdsFor(a, b))
  })
}

function textsOf(value: XPathValue, budget: PageBudget): string[] {
  return typeof value === 'object' ? value.map((node) => stringOf(node, budget)) : [String(value)]
}

function toNumber(text: string): number {
  const trimmed = text.trim()
  return trimmed === '' ? Number.NaN : Number(trimmed)
}

function holds(operator: '=' | '!=' | '<' | '<=' | '>' | '>=', a: number, b: number): boolean {
  switch (operator) {
    case '=':
      return a === b
    case '!=':
      return a !== b
    case '<':
      return a < b
    case '<=':
      return a <= b
    case '>':
      return a > b
    case '>=':
      return a >= b
  }
}
