import { isList } from '../../../kernel/json.ts'
import type { Json } from '../../../kernel/json.ts'
import type { PageBudget } from '../page/page-budget.ts'
import { parseJsonPath } from './parse-json-path.ts'
import type { Filter, Selection, Step } from './parse-json-path.ts'
import type { Issue } from '../../../kernel/errors.ts'

/** Maximum number of matches in one list. */
const MAX_RESULTS = 10_000
/** Steps to visit a node. */
const NODE_STEPS = 2

/** Receives one match after the other. `true` ends the search. */
type TakeMatch = (value: Json) => boolean

/**
 * A compiled JSONPath. It passes all matches in document order to `take` until `take` returns true,
 * and returns whether it did. The page's budget pays for each visited node.
 */
export type JsonPath = (document: Json, budget: PageBudget, take: TakeMatch) => boolean

/**
 * Compiles a JSONPath (RFC 9535): names, wildcards, indexes, slices, lists of these, descendants
 * (`..`), and filters. A filter compares a path below `@` with a literal
 * (`?(@['@type']=="Product")`) or tests whether it exists.
 *
 * @throws {SyntaxError} naming the place that cannot be read.
 */
export function compileJsonPath(path: string): JsonPath {
  const steps = parseJsonPath(path)
  return (document, budget, take) => evaluate(steps, 0, document, budget, take)
}

/** Returns the matches in several documents, 10,000 at most. */
export function matchesIn(
  documents: readonly Json[],
  path: JsonPath,
  budget: PageBudget,
): readonly Json[] {
  const found: Json[] = []
  const take = (value: Json): boolean => {
    if (found.length === MAX_RESULTS) {
      budget.cut('matches of a JSONPath', MAX_RESULTS)
      return true
    }
    found.push(value)
    return false
  }
  documents.some((document) => path(document, budget, take))
  return found
}

// Depth first, one match at a time, so that nothing unneeded is stored. Documents are at most 64
// levels deep (parseJson) and each step except the last goes deeper, so the recursion is bounded.
function evaluate(
  steps: readonly Step[],
  at: number,
  node: Json,
  budget: PageBudget,
  take: TakeMatch,
): boolean {
  const step = steps[at]
  if (step === undefined) return take(node)
  const next = (found: Json): boolean => evaluate(steps, at + 1, found, budget, take)
  return step.descend
    ? descend(step.selections, node, budget, next)
    : select(step.selections, node, budget, next)
}

function descend(
  selections: readonly Selection[],
  node: Json,
  budget: PageBudget,
  next: TakeMatch,
): boolean {
  budget.work(NODE_STEPS)
  if (select(selections, node, budget, next)) return true
  if (node === null || typeof node !== 'object') return false
  for (const child of Object.values(node))
    if (typeof child === 'object' && descend(selections, child, budget, next)) return true
  return false
}

function select(
  selections: readonly Selection[],
  node: Json,
  budget: PageBudget,
  next: TakeMatch,
): boolean {
  if (node === null || typeof node !== 'object') return false
  for (const selection of selections) {
    budget.work(NODE_STEPS)
    switch (selection.kind) {
      case 'name': {
        const value = member(node, selection.name)
        if (value !== undefined && next(value)) return true
        break
      }
      case 'wildcard':
        if (membersOf(node, budget).some(next)) return true
        break
      case 'index': {
        const value = isList(node) ? node.at(selection.index) : undefined
        if (value !== undefined && next(value)) return true
        break
      }
      case 'slice':
        if (isList(node) && slice(node, selection, budget).some(next)) return true
        break
      case 'filter':
        if (
          membersOf(node, budget).some(
            (value) => holds(selection.filter, value, budget) && next(value),
          )
        )
          return true
    }
  }
  return false
}

function holds({ steps, operator, literal }: Filter, node: Json, budget: PageBudget): boolean {
  let value: Json | undefined
  evaluate(steps, 0, node, budget, (found) => {
    value = found
    return true
  })
  if (operator === null) return value !== undefined
  if (value === undefined) return operator === '!='
  if (operator === '==') return value === literal
  if (operator === '!=') return value !== literal
  if (
    !(
      (typeof value === 'number' && typeof literal === 'number') ||
      (typeof value === 'string' && typeof literal === 'string')
    )
  )
    return false
  if (operator === '<') return value < literal
  if (operator === '<=') return value <= literal
  return operator === '>' ? value > literal : value >= literal
}

/** Returns the values of a list or an object. */
function membersOf(node: Json & object, budget: PageBudget): readonly Json[] {
  const values = isList(node) ? node : Object.values(node)
  budget.work(values.length)
  return values
}

function slice(
  list: readonly Json[],
  { from, to, step }: Extract<Selection, { kind: 'slice' }>,
  budget: PageBudget,
): Json[] {
  budget.work(list.length)
  if (step > 0) return list.slice(from ?? 0, to ?? list.length).filter((_, at) => at % step === 0)
  const start =
    from === null
      ? list.length - 1
      : from < 0
        ? list.length + from
        : Math.min(from, list.length - 1)
  const end = to === null ? -1 : to < 0 ? list.length + to : to
  const found: Json[] = []
  if (step === 0) return found
  for (let at = start; at > end; at += step) {
    const value = list[at]
    if (value !== undefined) found.push(value)
  }
  return found
}

function member(node: Json, name: string): Json | undefined {
  if (node === null || typeof node !== 'object' || isList(node)) return undefined
  return Object.hasOwn(node, name) ? node[name] : undefined
}

/**
 * Compiles a recipe's JSONPath. For an invalid path, adds an issue at `at` and returns a path that
 * finds nothing.
 */
export function checkedJsonPath(path: string, at: string, issues: Issue[]): JsonPath {
  try {
    return compileJsonPath(path)
  } catch (error) {
    issues.push({
      path: at,
      message:
        `${JSON.stringify(path)} is not a JSONPath: ` +
        `${error instanceof Error ? error.message : 'cannot be read'}`,
    })
    return () => false
  }
}
