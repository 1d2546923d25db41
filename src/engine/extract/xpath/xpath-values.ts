import type { PageBudget } from '../page/page-budget.ts'
import { stringOf, type XPathNode } from './xpath-nodes.ts'
import type { Arithmetic, Relation } from './xpath-parts.ts'

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
    const text = typeof value === 'number' ? textOfNumber(value) : String(value)
    budget.work(1 + (text.length >> 4))
    return text
  }
  const first = value[0]
  return first === undefined ? '' : stringOf(first, budget)
}

/** Writes a number as XPath does: without an exponent, and zero without a sign. */
export function textOfNumber(value: number): string {
  const text = String(value)
  if (!text.includes('e')) return text
  if (Math.abs(value) >= 1) return BigInt(value).toString()
  const [digits = '', exponent = ''] = text.split('e-')
  const sign = digits.startsWith('-') ? '-' : ''
  return `${sign}0.${'0'.repeat(Number(exponent) - 1)}${digits.replace(/[-.]/g, '')}`
}

/** Converts like `number()`. */
export function numberOf(value: XPathValue, budget: PageBudget): number {
  if (typeof value === 'boolean') return value ? 1 : 0
  return typeof value === 'number' ? value : toNumber(textOfValue(value, budget))
}

/** Adds, subtracts, multiplies or divides. */
export function calculate(operator: Arithmetic, left: number, right: number): number {
  switch (operator) {
    case '+':
      return left + right
    case '-':
      return left - right
    case '*':
      return left * right
    case 'div':
      return left / right
    case 'mod':
      return left % right
  }
}

/** Compares like XPath, where nodes equal a value if one of them does. */
export function compare(
  relation: Relation,
  left: XPathValue,
  right: XPathValue,
  budget: PageBudget,
): boolean {
  const hasNodes = typeof left === 'object' || typeof right === 'object'
  const isEquality = relation === '=' || relation === '!='
  // Compared with a boolean, nodes are converted to a boolean.
  if ((typeof left === 'boolean' || typeof right === 'boolean') && (hasNodes || isEquality))
    return holds(relation, Number(truthOf(left)), Number(truthOf(right)))
  const hasNumber = typeof left === 'number' || typeof right === 'number'
  if (!hasNodes && (hasNumber || !isEquality))
    return holds(relation, numberOf(left, budget), numberOf(right, budget))
  const lefts = textsOf(left, budget)
  const rights = textsOf(right, budget)
  budget.work(TEXT_STEPS * (lefts.length + rights.length))
  if (hasNumber || !isEquality)
    return compareNumbers(relation, lefts.map(toNumber), rights.map(toNumber))
  return relation === '=' ? haveCommon(lefts, rights) : haveDifferent(lefts, rights)
}

/** True if the comparison holds for some pair of numbers, one from each list. */
function compareNumbers(
  relation: Relation,
  lefts: readonly number[],
  rights: readonly number[],
): boolean {
  if (lefts.length === 0 || rights.length === 0) return false
  const isNumber = (value: number): boolean => !Number.isNaN(value)
  const [a, b] = [lefts.filter(isNumber), rights.filter(isNumber)]
  // `NaN` differs from every number.
  if (relation === '!=')
    return a.length < lefts.length || b.length < rights.length || haveDifferent(a, b)
  if (a.length === 0 || b.length === 0) return false
  if (relation === '=') return haveCommon(a, b)
  // If some pair is in order, then so are the smallest and the largest number.
  return relation === '<' || relation === '<='
    ? holds(relation, least(a), most(b))
    : holds(relation, most(a), least(b))
}

/**
 * True if a value is in both lists. Texts may be long and similar, so they are not compared pair by
 * pair.
 */
function haveCommon<T>(lefts: readonly T[], rights: readonly T[]): boolean {
  const rightValues = new Set(rights)
  return lefts.some((left) => rightValues.has(left))
}

/** True if some pair of values, one from each list, differs. */
function haveDifferent<T>(lefts: readonly T[], rights: readonly T[]): boolean {
  const [first] = lefts
  if (first === undefined || rights.length === 0) return false
  return lefts.some((left) => left !== first) || rights.some((right) => right !== first)
}

function least(values: readonly number[]): number {
  return values.reduce((smallest, value) => Math.min(smallest, value), Infinity)
}

function most(values: readonly number[]): number {
  return values.reduce((greatest, value) => Math.max(greatest, value), -Infinity)
}

function textsOf(value: XPathValue, budget: PageBudget): string[] {
  return typeof value === 'object'
    ? value.map((node) => stringOf(node, budget))
    : [textOfValue(value, budget)]
}

const NUMBER = /^-?(?:\d+(?:\.\d*)?|\.\d+)$/
const SPACE = /^[ \t\n\r]+|(?<![ \t\n\r])[ \t\n\r]+$/g

/** Reads a text as XPath does: digits with a sign and a point, no exponent. */
function toNumber(text: string): number {
  const trimmed = text.replace(SPACE, '')
  return NUMBER.test(trimmed) ? Number(trimmed) : Number.NaN
}

function holds(relation: Relation, a: number, b: number): boolean {
  switch (relation) {
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
