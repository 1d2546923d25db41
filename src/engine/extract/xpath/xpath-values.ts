import type { Matching } from '../select/matching.ts'
import { spend, stringOf, type XPathNode } from './xpath-nodes.ts'
import type { Operator } from './xpath-parts.ts'

/** What an expression is worth: nodes, or one of XPath 1.0's three other types. */
export type XPathValue = readonly XPathNode[] | string | number | boolean

/** As `boolean()` says. */
export function truthOf(value: XPathValue): boolean {
  return typeof value === 'object' ? value.length > 0 : typeof value === 'string' ? value !== '' : typeof value === 'number' ? value !== 0 && !Number.isNaN(value) : value
}

/** As `string()` says: of nodes, the first. */
export function textOfValue(value: XPathValue, matching: Matching): string {
  if (typeof value !== 'object') {
    const text = String(value)
    spend(matching, 1 + (text.length >> 4))
    return text
  }
  const first = value[0]
  return first === undefined ? '' : stringOf(first, matching)
}

/** As `number()` says. */
export function numberOf(value: XPathValue, matching: Matching): number {
  if (typeof value === 'boolean') return value ? 1 : 0
  return typeof value === 'number' ? value : toNumber(textOfValue(value, matching))
}

/** Compares as XPath does, where nodes are equal to a value if one of them is; and calculates. */
export function compare(operator: Exclude<Operator, 'or' | 'and'>, left: XPathValue, right: XPathValue, matching: Matching): boolean | number {
  if (operator === '+' || operator === '-' || operator === 'mod') {
    const [a, b] = [numberOf(left, matching), numberOf(right, matching)]
    return operator === '+' ? a + b : operator === '-' ? a - b : a % b
  }
  if (typeof left === 'boolean' || typeof right === 'boolean') return holds(operator, Number(truthOf(left)), Number(truthOf(right)))
  const isNumber = typeof left === 'number' || typeof right === 'number' || (operator !== '=' && operator !== '!=')
  const lefts = textsOf(left, matching)
  const rights = textsOf(right, matching)
  spend(matching, lefts.length * rights.length)
  return lefts.some((a) => rights.some((b) => (isNumber ? holds(operator, toNumber(a), toNumber(b)) : operator === '=' ? a === b : a !== b)))
}

function textsOf(value: XPathValue, matching: Matching): string[] {
  return typeof value === 'object' ? value.map((node) => stringOf(node, matching)) : [String(value)]
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
