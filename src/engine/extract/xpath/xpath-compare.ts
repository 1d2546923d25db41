import type { Parts } from '../page/in-turns.ts'
import type { PageBudget } from '../page/page-budget.ts'
import type { Positions, ValueRange } from './xpath-listed-values.ts'
import { stringOf, stringParts } from './xpath-nodes.ts'
import type { XPathNode } from './xpath-nodes.ts'
import type { Relation } from './xpath-parts.ts'
import { numberOf, textOfValue, toNumber, truthOf, type XPathValue } from './xpath-values.ts'

/** Steps to store a text in a set. */
const TEXT_STEPS = 8

/** One side of a comparison: a value, or nodes whose texts are listed. */
export type ComparedValue = XPathValue | ValueRange

function isRange(
  operand: ComparedValue | readonly string[] | readonly number[],
): operand is ValueRange {
  return typeof operand === 'object' && 'values' in operand && 'kind' in operand
}

/** The values of one side, as texts or as numbers. Texts that are not numbers are `NaN`. */
interface Side<T extends string | number> {
  readonly isEmpty: boolean
  readonly first: T | undefined
  readonly areSame: boolean
  /** `null`: the values are listed, and need not be visited. */
  readonly values: readonly T[] | null
  readonly has: (value: T) => boolean
}

/** Compares like XPath, where nodes equal a value if one of them does. */
export function compare(
  relation: Relation,
  left: ComparedValue,
  right: ComparedValue,
  budget: PageBudget,
): boolean {
  const hasNodes = typeof left === 'object' || typeof right === 'object'
  const isEquality = relation === '=' || relation === '!='
  // Compared with a boolean, nodes are converted to a boolean.
  if ((typeof left === 'boolean' || typeof right === 'boolean') && (hasNodes || isEquality))
    return holds(relation, Number(isTrue(left)), Number(isTrue(right)))
  const hasNumber = typeof left === 'number' || typeof right === 'number'
  if (typeof left !== 'object' && typeof right !== 'object' && (hasNumber || !isEquality))
    return holds(relation, numberOf(left, budget), numberOf(right, budget))
  if (relation !== '=' && relation !== '!=')
    return relation === '<' || relation === '<='
      ? haveOrdered(relation, endsOf(left, budget), endsOf(right, budget))
      : haveOrdered(relation === '>' ? '<' : '<=', endsOf(right, budget), endsOf(left, budget))
  if (hasNumber) return areEqual(relation, numbersOf(left, budget), numbersOf(right, budget))
  if (relation === '=' && isRange(left) && isRange(right)) return left.values.meets(left, right)
  return areEqual(relation, textsOf(left, budget), textsOf(right, budget))
}

/** Like {@link compare} in parts. */
export function* compareParts(
  relation: Relation,
  left: ComparedValue,
  right: ComparedValue,
  budget: PageBudget,
): Parts<boolean> {
  const isEquality = relation === '=' || relation === '!='
  const hasNumber = typeof left === 'number' || typeof right === 'number'
  if (typeof left === 'boolean' || typeof right === 'boolean')
    return compare(relation, left, right, budget)
  if (relation === '=' && !hasNumber && isRange(left) && isRange(right))
    yield* left.values.readMeetings(left, right)
  else
    for (const side of [left, right])
      if (isRange(side))
        yield* isEquality && !hasNumber ? side.values.readPositions() : side.values.readNumeric()
  if (!isNodes(left) && !isNodes(right)) return compare(relation, left, right, budget)
  const lefts = isRange(left) ? left : yield* listParts(left, budget)
  const rights = isRange(right) ? right : yield* listParts(right, budget)
  if (isEquality && !hasNumber)
    return areEqual(
      relation,
      isRange(lefts) ? textsOf(lefts, budget) : yield* sideParts(lefts, budget),
      isRange(rights) ? textsOf(rights, budget) : yield* sideParts(rights, budget),
    )
  const [numbers, others] = [yield* numberParts(lefts, budget), yield* numberParts(rights, budget)]
  if (isEquality)
    return areEqual(
      relation,
      isRange(numbers) ? numbersOf(numbers, budget) : yield* sideParts(numbers, budget),
      isRange(others) ? numbersOf(others, budget) : yield* sideParts(others, budget),
    )
  const [less, more] = [endsIn(numbers), endsIn(others)]
  return relation === '<' || relation === '<='
    ? haveOrdered(relation, less, more)
    : haveOrdered(relation === '>' ? '<' : '<=', more, less)
}

function isNodes(operand: ComparedValue): operand is readonly XPathNode[] {
  return Array.isArray(operand)
}

/** Values that are read in one part, and the steps that a turn counts for each of them. */
const READ = 5_000
const READ_STEPS = 4

function* listParts(value: XPathValue, budget: PageBudget): Parts<readonly string[]> {
  if (!isNodes(value)) return listOf(value, budget)
  const texts: string[] = []
  for (const node of value) if (texts.push(yield* stringParts(node, budget)) % READ === 0) yield
  budget.work(TEXT_STEPS * texts.length)
  return texts
}

function* numberParts(
  texts: readonly string[] | ValueRange,
  budget: PageBudget,
): Parts<readonly number[] | ValueRange> {
  if (isRange(texts)) return texts
  const numbers: number[] = []
  for (const text of texts) {
    if (numbers.push(toNumber(text)) % READ !== 0) continue
    budget.unpaid(READ_STEPS * READ)
    yield
  }
  return numbers
}

function* sideParts<T extends string | number>(
  values: readonly T[],
  budget: PageBudget,
): Parts<Side<T>> {
  const all = new Set<T>()
  for (const [index, value] of values.entries()) {
    all.add(value)
    if (index % READ !== READ - 1) continue
    budget.unpaid(READ_STEPS * READ)
    yield
  }
  return sideOf(values, all)
}

/** Whether some pair of values, one from each side, is equal, or differs. */
function areEqual<T extends string | number>(
  relation: '=' | '!=',
  lefts: Side<T>,
  rights: Side<T>,
): boolean {
  if (lefts.isEmpty || rights.isEmpty) return false
  // `NaN` differs from every number.
  if (relation === '!=') return !lefts.areSame || !rights.areSame || lefts.first !== rights.first
  const { values } = lefts
  // Texts may be long and similar, so they are not compared pair by pair.
  if (values !== null) return values.some((value) => !Number.isNaN(value) && rights.has(value))
  return rights.values?.some((value) => !Number.isNaN(value) && lefts.has(value)) === true
}

/** The smallest and the largest number of a side. */
interface Ends {
  readonly least: number
  readonly most: number
}

/** If some pair is in order, then so are the smallest and the largest number. */
function haveOrdered(relation: '<' | '<=', lefts: Ends, rights: Ends): boolean {
  const hasNone = lefts.least > lefts.most || rights.least > rights.most
  return !hasNone && holds(relation, lefts.least, rights.most)
}

function endsOf(operand: ComparedValue, budget: PageBudget): Ends {
  return endsIn(isRange(operand) ? operand : listOf(operand, budget).map(toNumber))
}

function endsIn(numbers: readonly number[] | ValueRange): Ends {
  if (isRange(numbers)) {
    const { numeric } = numbers.values
    return { least: numeric.leastOf(numbers), most: numeric.mostOf(numbers) }
  }
  let [least, most] = [Infinity, -Infinity]
  for (const number of numbers) {
    if (number < least) least = number
    if (number > most) most = number
  }
  return { least, most }
}

function textsOf(operand: ComparedValue, budget: PageBudget): Side<string> {
  if (!isRange(operand)) return sideOf(listOf(operand, budget))
  return listedSide(operand, operand.values.texts, operand.values.positions)
}

function numbersOf(operand: ComparedValue, budget: PageBudget): Side<number> {
  if (!isRange(operand)) return sideOf(listOf(operand, budget).map(toNumber))
  const { numbers, positions } = operand.values.numeric
  return listedSide(operand, numbers, positions)
}

function listedSide<T extends string | number>(
  range: ValueRange,
  values: readonly T[],
  positions: Positions<T>,
): Side<T> {
  return {
    isEmpty: range.from >= range.to,
    first: values[range.from],
    areSame: positions.areSame(range),
    values: null,
    has: (value) => positions.has(value, range),
  }
}

function sideOf<T extends string | number>(
  values: readonly T[],
  set: ReadonlySet<T> | null = null,
): Side<T> {
  const [first] = values
  let all = set
  return {
    isEmpty: values.length === 0,
    first,
    areSame: values.every((value) => value === first) || values.length === 1,
    values,
    has: (value) => (all ??= new Set(values)).has(value),
  }
}

function listOf(value: XPathValue, budget: PageBudget): string[] {
  const texts =
    typeof value === 'object'
      ? value.map((node) => stringOf(node, budget))
      : [textOfValue(value, budget)]
  budget.work(TEXT_STEPS * texts.length)
  return texts
}

function isTrue(operand: ComparedValue): boolean {
  return isRange(operand) ? operand.from < operand.to : truthOf(operand)
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
