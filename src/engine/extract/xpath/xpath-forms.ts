import type { Axis, Expression, FunctionName, PathStep } from './xpath-parts.ts'
import { isPositional } from './xpath-parts.ts'

/** The axes of siblings. */
export type SiblingAxis = Extract<Axis, 'following-sibling' | 'preceding-sibling'>

/** A path that begins with a step to siblings, whose conditions hold from whichever node it is. */
export interface SiblingPath {
  readonly step: SiblingStep
  /** The same step to those siblings from which the rest of the path leads anywhere. */
  readonly leading: SiblingStep
  /** The steps after it. */
  readonly rest: readonly PathStep[]
  /** True if the rest stays within each sibling, so that the first one has the first results. */
  readonly staysWithin: boolean
}

/** A step to siblings without a position. */
export interface SiblingStep extends PathStep {
  readonly axis: SiblingAxis
}

/** The siblings that a position chooses, counted from the node or from the far end. */
export interface Pick {
  readonly first: number
  readonly count: number
  readonly isFromEnd: boolean
}

/** A step to siblings with a position: the step without it, and what comes after it. */
export interface PickedStep {
  readonly step: SiblingStep
  readonly pick: Pick
  readonly after: readonly Expression[]
}

const WITHIN: ReadonlySet<Axis> = new Set<Axis>([
  'child',
  'attribute',
  'self',
  'descendant',
  'descendant-or-self',
])

/** True for the axes of siblings. */
export function isSiblingAxis(axis: Axis): axis is SiblingAxis {
  return axis === 'following-sibling' || axis === 'preceding-sibling'
}

/** Reads an expression as a path to siblings. `null`: it is another one. */
export function siblingPath(expression: Expression): SiblingPath | null {
  if (expression.kind !== 'path' || expression.path.start !== 'here') return null
  const [first, ...others] = expression.path.steps
  const [second, ...third] = others
  const [step, rest] = isHereStep(first) ? [second, third] : [first, others]
  if (step === undefined || step.test.kind === 'none' || step.predicates.some(isPositional))
    return null
  const { axis, test, predicates } = step
  if (!isSiblingAxis(axis)) return null
  const own: SiblingStep = { axis, test, predicates }
  const leads: Expression = { kind: 'path', path: { start: 'here', steps: rest } }
  return {
    step: own,
    leading: rest.length === 0 ? own : { axis, test, predicates: [...predicates, leads] },
    rest,
    staysWithin: rest.every((later) => WITHIN.has(later.axis)),
  }
}

/** Reads a step as one to siblings with a position. `null`: it is another one. */
export function pickedStep({ axis, test, predicates }: PathStep): PickedStep | null {
  if (!isSiblingAxis(axis) || test.kind === 'none') return null
  const index = predicates.findIndex(isPositional)
  const position = predicates[index]
  const pick = position === undefined ? null : pickOf(position)
  return pick === null
    ? null
    : {
        step: { axis, test, predicates: predicates.slice(0, index) },
        pick,
        after: predicates.slice(index + 1),
      }
}

const LAST: Pick = { first: 0, count: 1, isFromEnd: true }

/** The nodes that a condition chooses by its position alone. `null`: it is another condition. */
export function pickOf(condition: Expression): Pick | null {
  if (condition.kind === 'number') return pickAt(condition.value)
  if (isCall(condition, 'last')) return LAST
  if (condition.kind !== 'operation' || !isCall(condition.left, 'position')) return null
  const { operator, right } = condition
  if (operator === '=') return isCall(right, 'last') ? LAST : pickNumber(right)
  if (right.kind !== 'number') return null
  if (operator === '<') return { first: 0, count: Math.ceil(right.value) - 1, isFromEnd: false }
  if (operator === '<=') return { first: 0, count: Math.floor(right.value), isFromEnd: false }
  return null
}

function pickNumber(expression: Expression): Pick | null {
  return expression.kind === 'number' ? pickAt(expression.value) : null
}

/** No node has a position between two numbers. */
function pickAt(position: number): Pick {
  const isWhole = Number.isInteger(position) && position > 0
  return { first: isWhole ? position - 1 : 0, count: isWhole ? 1 : 0, isFromEnd: false }
}

function isCall(expression: Expression, name: 'last' | 'position'): boolean {
  return expression.kind === 'call' && expression.name === name
}

/** Functions that read no text, if their arguments are short. */
const QUICK: ReadonlySet<FunctionName> = new Set<FunctionName>([
  'boolean',
  'count',
  'false',
  'last',
  'local-name',
  'name',
  'not',
  'position',
  'true',
])

/**
 * True if an expression takes little work at any node: it looks at no more than the node, its
 * parent and its attributes, and makes no text.
 */
export function isShort(expression: Expression): boolean {
  switch (expression.kind) {
    case 'text':
    case 'number':
      return true
    case 'path':
      return expression.path.start === 'here' && expression.path.steps.every(isShortStep)
    case 'call':
      return QUICK.has(expression.name) && expression.args.every(isShort)
    case 'operation':
      return isQuickSide(expression.left) && isQuickSide(expression.right)
    default:
      return false
  }
}

/** Text is read only of attributes. */
function isQuickSide(side: Expression): boolean {
  if (!isShort(side)) return false
  return side.kind !== 'path' || side.path.steps.at(-1)?.axis === 'attribute'
}

function isShortStep({ axis, predicates }: PathStep): boolean {
  return (axis === 'self' || axis === 'parent' || axis === 'attribute') && predicates.length === 0
}

/** True for the first step of `./following-sibling::a`, which stays at its node. */
function isHereStep(step: PathStep | undefined): boolean {
  return step?.axis === 'self' && step.test.kind === 'node' && step.predicates.length === 0
}

/** How an expression reads the text of the node at hand. `null`: it reads something else. */
export function formOfText(expression: Expression): 'raw' | 'spaced' | null {
  if (isHere(expression)) return 'raw'
  if (expression.kind !== 'call') return null
  const { name, args } = expression
  if (name !== 'string' && name !== 'normalize-space') return null
  const [of] = args
  if (of !== undefined && !isHere(of)) return null
  return name === 'string' ? 'raw' : 'spaced'
}

/** True for `.`. */
function isHere(expression: Expression): boolean {
  return (
    expression.kind === 'path' &&
    expression.path.start === 'here' &&
    expression.path.steps.length === 1 &&
    isHereStep(expression.path.steps[0])
  )
}
