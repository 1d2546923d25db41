import { isList, isStructure, memberOf } from '../../../kernel/json.ts'
import type { Json, JsonObject } from '../../../kernel/json.ts'
import { answered, StepParts, type InOneOrParts, type Parts } from '../page/in-turns.ts'
import type { PageBudget } from '../page/page-budget.ts'
import { parseJsonPath } from './parse-json-path.ts'
import type { Operand, JsonPathQuery, Selection, JsonPathStep, Test } from './parse-json-path.ts'
import { compare, compareParts } from './json-path-compare.ts'
import { memberParts, membersOf } from './json-members.ts'
import { matchesPattern } from './linear-regex.ts'
import type { Issue } from '../../../kernel/errors.ts'

/** Maximum number of matches in one list. */
const MAX_RESULTS = 10_000
/** Steps to visit a node. */
const NODE_STEPS = 2

/** Steps that a turn counts for a condition that is tested in parts, which takes longer. */
const PARTS_STEPS = 40

/** Receives one match after the other. `true` ends the search. */
type TakeMatch = (value: Json) => boolean

/** Like {@link TakeMatch}, in parts if it takes long. */
type TakeParts = (value: Json) => InOneOrParts<boolean>

/**
 * A compiled JSONPath. It passes all matches in document order to `take` until `take` returns true,
 * and returns whether it did. The page's budget pays for each visited node.
 */
export interface JsonPath {
  (document: Json, budget: PageBudget, take: TakeMatch): boolean
  /** The same in parts, for runtimes without threads. It is slower. */
  parts(document: Json, budget: PageBudget, take: TakeParts): Parts<boolean>
}

/**
 * Compiles a JSONPath (RFC 9535), with all its functions. Patterns of `match()` and `search()` need
 * the engine that `prepareRecipe` loads.
 *
 * @throws {SyntaxError} naming the position that cannot be read.
 */
export function compileJsonPath(path: string): JsonPath {
  const steps = parseJsonPath(path)
  return Object.assign(
    (document: Json, budget: PageBudget, take: TakeMatch) =>
      new Evaluation(document, budget).evaluate(steps, 0, document, take),
    {
      parts: (document: Json, budget: PageBudget, take: TakeParts) =>
        new Evaluation(document, budget, new StepParts(budget)).parts(steps, 0, document, take),
    },
  )
}

const NOTHING: JsonPath = compileJsonPath('$[:0]')

/** Returns the matches in several documents, 10,000 at most. */
export function matchesIn(
  documents: readonly Json[],
  path: JsonPath,
  budget: PageBudget,
): readonly Json[] {
  const matches: Json[] = []
  const take = (value: Json): boolean => {
    if (matches.length === MAX_RESULTS) {
      budget.cut('matches of a JSONPath', MAX_RESULTS)
      return true
    }
    matches.push(value)
    return false
  }
  documents.some((document) => path(document, budget, take))
  return matches
}

type Slice = Extract<Selection, { kind: 'slice' }>

/** One search in one document. */
class Evaluation {
  readonly #root: Json
  readonly #budget: PageBudget
  /** `null`: the search is one part. */
  readonly #pass: StepParts | null

  constructor(root: Json, budget: PageBudget, pass: StepParts | null = null) {
    this.#root = root
    this.#budget = budget
    this.#pass = pass
  }

  // Searches depth first, one match at a time, so that no unneeded match is stored. Documents are
  // at most 64 levels deep (parseJson) and each step except the last goes deeper, so the recursion
  // is bounded.
  evaluate(steps: readonly JsonPathStep[], index: number, node: Json, take: TakeMatch): boolean {
    const step = steps[index]
    if (step === undefined) return take(node)
    const next = (match: Json): boolean => this.evaluate(steps, index + 1, match, take)
    return step.descend
      ? this.#descend(step.selections, node, next)
      : this.#select(step.selections, node, next)
  }

  /** Like {@link evaluate} in parts. */
  *parts(
    steps: readonly JsonPathStep[],
    index: number,
    node: Json,
    take: TakeParts,
  ): Parts<boolean> {
    const step = steps[index]
    if (step === undefined) return yield* answered(take(node))
    const isLast = index === steps.length - 1
    if (!step.descend) return yield* this.#selectParts(steps, index, node, take, isLast)
    return yield* this.#descendParts(steps, index, node, take, isLast)
  }

  *#descendParts(
    steps: readonly JsonPathStep[],
    index: number,
    node: Json,
    take: TakeParts,
    isLast: boolean,
  ): Parts<boolean> {
    this.#budget.work(NODE_STEPS)
    if (this.#pass?.ends() === true) yield
    if (yield* this.#selectParts(steps, index, node, take, isLast)) return true
    if (!isStructure(node)) return false
    for (const child of yield* memberParts(node, this.#budget))
      if (
        typeof child === 'object' &&
        (yield* this.#descendParts(steps, index, child, take, isLast))
      )
        return true
    return false
  }

  *#selectParts(
    steps: readonly JsonPathStep[],
    index: number,
    node: Json,
    take: TakeParts,
    isLast: boolean,
  ): Parts<boolean> {
    if (!isStructure(node)) return false
    for (const selection of steps[index]?.selections ?? []) {
      this.#budget.work(NODE_STEPS)
      const filter = selection.kind === 'filter' ? selection.filter : null
      const isOfAll = filter !== null || selection.kind === 'wildcard'
      const values = isOfAll
        ? yield* memberParts(node, this.#budget)
        : this.#selected(selection, node)
      for (const value of values) {
        if (this.#pass?.ends() === true) yield
        if (value === undefined) continue
        if (filter !== null && !(yield* this.#holdsParts(filter, value))) continue
        const isEnough = isLast ? take(value) : this.parts(steps, index + 1, value, take)
        if (isEnough === true || (isEnough !== false && (yield* isEnough))) return true
      }
    }
    return false
  }

  /** The values that a name, an index or a slice selects; `undefined` for one that is absent. */
  *#selected(
    selection: Selection,
    node: readonly Json[] | JsonObject,
  ): Generator<Json | undefined, void, void> {
    switch (selection.kind) {
      case 'name':
        yield memberOf(node, selection.name)
        break
      case 'index':
        if (isList(node)) yield node.at(selection.index)
        break
      case 'slice':
        if (isList(node)) yield* this.#sliced(node, selection)
        break
      default:
        break
    }
  }

  *#holdsParts(test: Test, node: Json): Parts<boolean> {
    this.#budget.unpaid(PARTS_STEPS)
    switch (test.kind) {
      case 'or':
      case 'and':
        this.#budget.work(1)
        for (const inner of test.tests)
          if ((yield* this.#holdsParts(inner, node)) === (test.kind === 'or'))
            return test.kind === 'or'
        return test.kind === 'and'
      case 'not':
        this.#budget.work(1)
        return !(yield* this.#holdsParts(test.test, node))
      case 'exists':
        this.#budget.work(1)
        return yield* this.#queryParts(test.query, node, () => true)
      case 'matches': {
        this.#budget.work(1)
        const [text, pattern] = test.args
        return this.#isMatch(
          yield* this.#valueParts(text, node),
          yield* this.#valueParts(pattern, node),
          test.whole,
        )
      }
      case 'compare':
        this.#budget.work(1)
        return yield* compareParts(
          test.operator,
          yield* this.#valueParts(test.left, node),
          yield* this.#valueParts(test.right, node),
          this.#budget,
        )
    }
  }

  #queryParts({ absolute, steps }: JsonPathQuery, node: Json, take: TakeMatch): Parts<boolean> {
    return this.parts(steps, 0, absolute ? this.#root : node, take)
  }

  *#valueParts(operand: Operand, node: Json): Parts<Json | undefined> {
    switch (operand.kind) {
      case 'literal':
        return operand.value
      case 'length':
        return yield* this.#lengthParts(yield* this.#valueParts(operand.of, node))
      case 'query': {
        const [first] = yield* this.#matchParts(operand, node, 1)
        return first
      }
      case 'count': {
        let count = 0
        yield* this.#queryParts(operand.of, node, () => {
          count++
          return false
        })
        return count
      }
      case 'value': {
        const matches = yield* this.#matchParts(operand.of, node, 2)
        return matches.length === 1 ? matches[0] : undefined
      }
    }
  }

  *#lengthParts(value: Json | undefined): Parts<number | undefined> {
    if (!isStructure(value) || isList(value)) return lengthOf(value, this.#budget)
    return (yield* memberParts(value, this.#budget)).length
  }

  /** The first matches of a query. */
  *#matchParts(query: JsonPathQuery, node: Json, most: number): Parts<readonly Json[]> {
    const matches: Json[] = []
    yield* this.#queryParts(query, node, (match) => matches.push(match) >= most)
    return matches
  }

  #descend(selections: readonly Selection[], node: Json, next: TakeMatch): boolean {
    this.#budget.work(NODE_STEPS)
    if (this.#select(selections, node, next)) return true
    if (!isStructure(node)) return false
    for (const child of membersOf(node, this.#budget))
      if (typeof child === 'object' && this.#descend(selections, child, next)) return true
    return false
  }

  #select(selections: readonly Selection[], node: Json, next: TakeMatch): boolean {
    if (!isStructure(node)) return false
    for (const selection of selections) {
      this.#budget.work(NODE_STEPS)
      switch (selection.kind) {
        case 'name': {
          const value = memberOf(node, selection.name)
          if (value !== undefined && next(value)) return true
          break
        }
        case 'wildcard':
          if (membersOf(node, this.#budget).some(next)) return true
          break
        case 'index': {
          const value = isList(node) ? node.at(selection.index) : undefined
          if (value !== undefined && next(value)) return true
          break
        }
        case 'slice':
          if (isList(node) && this.#slice(node, selection, next)) return true
          break
        case 'filter':
          if (
            membersOf(node, this.#budget).some(
              (value) => this.#holds(selection.filter, value) && next(value),
            )
          )
            return true
      }
    }
    return false
  }

  #slice(list: readonly Json[], slice: Slice, next: TakeMatch): boolean {
    const { step } = slice
    const { start, end } = boundsOf(slice, list.length)
    for (let index = start; step > 0 ? index < end : index > end; index += step) {
      this.#budget.work(1)
      const value = list[index]
      if (value !== undefined && next(value)) return true
    }
    return false
  }

  *#sliced(list: readonly Json[], slice: Slice): Generator<Json | undefined, void, void> {
    const { step } = slice
    const { start, end } = boundsOf(slice, list.length)
    for (let index = start; step > 0 ? index < end : index > end; index += step) {
      this.#budget.work(1)
      yield list[index]
    }
  }

  #holds(test: Test, node: Json): boolean {
    this.#budget.work(1)
    switch (test.kind) {
      case 'or':
        return test.tests.some((inner) => this.#holds(inner, node))
      case 'and':
        return test.tests.every((inner) => this.#holds(inner, node))
      case 'not':
        return !this.#holds(test.test, node)
      case 'exists':
        return this.#query(test.query, node, () => true)
      case 'matches': {
        const [text, pattern] = test.args
        return this.#isMatch(this.#value(text, node), this.#value(pattern, node), test.whole)
      }
      case 'compare':
        return compare(
          test.operator,
          this.#value(test.left, node),
          this.#value(test.right, node),
          this.#budget,
        )
    }
  }

  #isMatch(text: Json | undefined, pattern: Json | undefined, whole: boolean): boolean {
    return (
      typeof text === 'string' &&
      typeof pattern === 'string' &&
      matchesPattern(text, pattern, whole, this.#budget)
    )
  }

  #query({ absolute, steps }: JsonPathQuery, node: Json, take: TakeMatch): boolean {
    return this.evaluate(steps, 0, absolute ? this.#root : node, take)
  }

  /** The value of an operand. `undefined`: it has no value, which differs from each value. */
  #value(operand: Operand, node: Json): Json | undefined {
    switch (operand.kind) {
      case 'literal':
        return operand.value
      case 'query':
        return this.#first(operand, node)
      case 'length':
        return lengthOf(this.#value(operand.of, node), this.#budget)
      case 'count': {
        let count = 0
        this.#query(operand.of, node, () => {
          count++
          return false
        })
        return count
      }
      case 'value': {
        let only: Json | undefined
        const isSeveral = this.#query(operand.of, node, (match) => {
          if (only !== undefined) return true
          only = match
          return false
        })
        return isSeveral ? undefined : only
      }
    }
  }

  #first(query: JsonPathQuery, node: Json): Json | undefined {
    let first: Json | undefined
    this.#query(query, node, (match) => {
      first = match
      return true
    })
    return first
  }
}

/** RFC 9535, section 2.3.4.2. */
function boundsOf(
  { from, to, step }: Slice,
  length: number,
): { readonly start: number; readonly end: number } {
  if (step === 0) return { start: 0, end: 0 }
  const [least, most] = step > 0 ? [0, length] : [-1, length - 1]
  const bounded = (bound: number): number =>
    Math.min(Math.max(bound < 0 ? length + bound : bound, least), most)
  return {
    start: from === null ? (step > 0 ? least : most) : bounded(from),
    end: to === null ? (step > 0 ? most : least) : bounded(to),
  }
}

/** The number of characters. One of two units is one character. */
function charactersIn(text: string): number {
  let count = text.length
  for (let position = 1; position < text.length; position++)
    if (isLow(text.charCodeAt(position)) && isHigh(text.charCodeAt(position - 1))) count--
  return count
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}

/** The characters of a text, or the members of a list or an object. */
function lengthOf(value: Json | undefined, budget: PageBudget): number | undefined {
  if (typeof value === 'string') {
    budget.work(value.length >> 2)
    return charactersIn(value)
  }
  if (!isStructure(value)) return undefined
  return isList(value) ? value.length : membersOf(value, budget).length
}

/**
 * Compiles a recipe's JSONPath. For an invalid path, adds an issue at `at` and returns a path that
 * finds nothing.
 */
export function checkedJsonPath(path: string, recipePath: string, issues: Issue[]): JsonPath {
  try {
    // A path in a recipe may end in white space, which the RFC does not allow.
    return compileJsonPath(path.trimEnd())
  } catch (error) {
    issues.push({
      path: recipePath,
      message:
        `${JSON.stringify(path)} is not a JSONPath: ` +
        `${error instanceof Error ? error.message : 'cannot be read'}`,
    })
    return NOTHING
  }
}
