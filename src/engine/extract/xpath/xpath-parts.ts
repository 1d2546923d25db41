/** The directions of a step from a node. */
export const AXES = [
  'child',
  'descendant',
  'descendant-or-self',
  'self',
  'parent',
  'ancestor',
  'ancestor-or-self',
  'following',
  'following-sibling',
  'preceding',
  'preceding-sibling',
  'attribute',
  'namespace',
] as const

/** The direction of a step from a node. */
export type Axis = (typeof AXES)[number]

/**
 * The nodes that a step selects: elements of a name (`null`: any; `prefix:*`: any with the prefix),
 * text, any node, or none. None is for comments, which a page's tree leaves out.
 */
export type NodeTest =
  | { readonly kind: 'name'; readonly name: string | null }
  | { readonly kind: 'text' | 'node' | 'none' }

/** One step of a path. */
export interface PathStep {
  readonly axis: Axis
  readonly test: NodeTest
  readonly predicates: readonly Expression[]
}

/** A location path. */
export interface LocationPath {
  /** The start of the path: the page's root, the current node, or the nodes of an expression. */
  readonly start: 'root' | 'here' | Expression
  readonly steps: readonly PathStep[]
}

/** An expression. */
export type Expression =
  | { readonly kind: 'path'; readonly path: LocationPath }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'call'; readonly name: FunctionName; readonly args: readonly Expression[] }
  | { readonly kind: 'filter'; readonly of: Expression; readonly predicates: readonly Expression[] }
  | { readonly kind: 'union'; readonly parts: readonly Expression[] }
  | { readonly kind: 'minus'; readonly of: Expression }
  | {
      readonly kind: 'operation'
      readonly operator: XPathOperator
      readonly left: Expression
      readonly right: Expression
    }

/** An operator between two expressions. */
export type XPathOperator = 'or' | 'and' | Relation | Arithmetic

/** The operators of comparisons. */
export type Relation = '=' | '!=' | '<' | '<=' | '>' | '>='

/** The arithmetic operators. */
export type Arithmetic = '+' | '-' | '*' | 'div' | 'mod'

/** The operators that calculate. */
export const ARITHMETIC: readonly Arithmetic[] = ['+', '-', '*', 'div', 'mod']

const ANY_NUMBER = Number.MAX_SAFE_INTEGER

/** The functions of XPath 1.0, with their numbers of arguments. */
export const FUNCTIONS = {
  last: [0, 0],
  position: [0, 0],
  count: [1, 1],
  id: [1, 1],
  'local-name': [0, 1],
  'namespace-uri': [0, 1],
  name: [0, 1],
  string: [0, 1],
  concat: [2, ANY_NUMBER],
  'starts-with': [2, 2],
  contains: [2, 2],
  'substring-before': [2, 2],
  'substring-after': [2, 2],
  substring: [2, 3],
  'string-length': [0, 1],
  'normalize-space': [0, 1],
  translate: [3, 3],
  boolean: [1, 1],
  not: [1, 1],
  true: [0, 0],
  false: [0, 0],
  lang: [1, 1],
  number: [0, 1],
  sum: [1, 1],
  floor: [1, 1],
  ceiling: [1, 1],
  round: [1, 1],
} as const satisfies Record<string, readonly [number, number]>

/** A function's name. */
export type FunctionName = keyof typeof FUNCTIONS

const NUMBER_FUNCTIONS: ReadonlySet<FunctionName> = new Set<FunctionName>([
  'last',
  'position',
  'count',
  'string-length',
  'number',
  'sum',
  'floor',
  'ceiling',
  'round',
])

/** True if a predicate depends on the position: it is a number, or uses the position. */
export function isPositional(expression: Expression): boolean {
  return isNumeric(expression) || usesPosition(expression)
}

function isNumeric(expression: Expression): boolean {
  switch (expression.kind) {
    case 'number':
    case 'minus':
      return true
    case 'call':
      return NUMBER_FUNCTIONS.has(expression.name)
    case 'operation':
      return ARITHMETIC.some((operator) => operator === expression.operator)
    default:
      return false
  }
}

function usesPosition(expression: Expression): boolean {
  switch (expression.kind) {
    case 'operation':
      return usesPosition(expression.left) || usesPosition(expression.right)
    case 'minus':
    case 'filter':
      return usesPosition(expression.of)
    case 'union':
      return expression.parts.some(usesPosition)
    case 'path':
      return typeof expression.path.start === 'object' && usesPosition(expression.path.start)
    case 'call':
      return (
        expression.name === 'position' ||
        expression.name === 'last' ||
        expression.args.some(usesPosition)
      )
    default:
      return false
  }
}
