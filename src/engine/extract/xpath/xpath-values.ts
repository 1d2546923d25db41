import type { PageBudget } from '../page/page-budget.ts'
import { stringOf, type XPathNode } from './xpath-nodes.ts'
import type { Arithmetic } from './xpath-parts.ts'

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

/** Converts like `string()`. From nodes it uses the first. */
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

const NUMBER = /^-?(?:\d+(?:\.\d*)?|\.\d+)$/
const SPACE = /^[ \t\n\r]+|(?<![ \t\n\r])[ \t\n\r]+$/g

/** Reads a text as XPath does: digits with a sign and a point, no exponent. */
export function toNumber(text: string): number {
  const trimmed = text.replace(SPACE, '')
  return NUMBER.test(trimmed) ? Number(trimmed) : Number.NaN
}
