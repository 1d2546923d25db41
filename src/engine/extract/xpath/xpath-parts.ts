/** The direction of a step from a node. */
export type Axis =
  | 'child'
  | 'descendant'
  | 'descendant-or-self'
  | 'self'
  | 'parent'
  | 'ancestor'
  | 'ancestor-or-self'
  | 'following-sibling'
  | 'preceding-sibling'
  | 'attribute'

/** The nodes that a step selects: elements of a name (`null`: any), text, or any node. */
export type NodeTest =
  | { readonly kind: 'name'; readonly name: string | null }
  | { readonly kind: 'text' }
  | { readonly kind: 'node' }

/** One step of a path. */
export interface PathStep {
  readonly axis: Axis
  readonly test: NodeTest
  readonly predicates: readonly Expression[]
}

/** A location path. */
export interface LocationPath {
  /** True if the path begins at the page's root. */
  readonly absolute: boolean
  readonly steps: readonly PathStep[]
  /** Predicates of the whole path in parentheses: `(//a)[1]`. */
  readonly predicates: readonly Expression[]
}

/** An expression in a predicate. */
export type Expression =
  | { readonly kind: 'path'; readonly path: LocationPath }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'call'; readonly name: FunctionName; readonly given: readonly Expression[] }
  | {
      readonly kind: 'operation'
      readonly operator: Operator
      readonly left: Expression
      readonly right: Expression
    }

/** The supported functions, with their numbers of arguments. */
export const FUNCTIONS = {
  position: [0, 0],
  last: [0, 0],
  not: [1, 1],
  contains: [2, 2],
  'starts-with': [2, 2],
  'normalize-space': [0, 1],
  string: [0, 1],
  'string-length': [0, 1],
  concat: [2, 10],
  'substring-before': [2, 2],
  'substring-after': [2, 2],
  translate: [3, 3],
  true: [0, 0],
  false: [0, 0],
  name: [0, 0],
  'local-name': [0, 0],
  number: [0, 1],
} as const satisfies Record<string, readonly [number, number]>

/** A function's name. */
export type FunctionName = keyof typeof FUNCTIONS

/** An operator between two expressions. */
export type Operator = 'or' | 'and' | '=' | '!=' | '<' | '<=' | '>' | '>=' | '+' | '-' | 'mod'
