import type { Json } from '../../../kernel/json.ts'
import type { PageBudget } from '../page/page-budget.ts'
import { parseJsonPath, type Filter, type Selection, type Step } from './parse-json-path.ts'

const MAX_RESULTS = 10_000
/** To look at a node takes some steps. */
const NODE_STEPS = 2

/** A compiled JSONPath: all matches in document order. The page's budget pays for each node that is looked at. */
export type JsonPath = (document: Json, budget: PageBudget) => readonly Json[]

/**
 * Compiles a JSONPath (RFC 9535): names, wildcards, indexes, slices, lists of these, descendants (`..`), and filters that
 * compare a path below `@` with a literal (`?(@['@type']=="Product")`) or ask whether it exists.
 *
 * `most`: how many matches are kept.
 *
 * @throws {SyntaxError} naming the place that cannot be read.
 */
export function compileJsonPath(path: string, most = MAX_RESULTS): JsonPath {
  const steps = parseJsonPath(path)
  return (document, budget) => evaluate(steps, document, budget, most)
}

function evaluate(steps: readonly Step[], document: Json, budget: PageBudget, most: number): readonly Json[] {
  let nodes: Json[] = [document]
  for (const step of steps) {
    const next: Json[] = []
    for (const node of nodes) {
      if (step.descend) descend(node, (inner) => select(step.selections, inner, next, budget, most), budget)
      else select(step.selections, node, next, budget, most)
      if (next.length > most) break
    }
    nodes = next.length > most ? next.slice(0, most) : next
  }
  return nodes
}

// Documents are at most 64 levels deep (parseJson), so recursion is bounded.
function descend(node: Json, visit: (node: Json) => void, budget: PageBudget): void {
  budget.work(NODE_STEPS)
  visit(node)
  if (node !== null && typeof node === 'object') for (const child of Object.values(node)) if (typeof child === 'object') descend(child, visit, budget)
}

function select(selections: readonly Selection[], node: Json, into: Json[], budget: PageBudget, most: number): void {
  if (node === null || typeof node !== 'object') return
  for (const selection of selections) {
    budget.work(NODE_STEPS)
    if (into.length > most) return
    switch (selection.kind) {
      case 'name': {
        const value = member(node, selection.name)
        if (value !== undefined) into.push(value)
        break
      }
      case 'wildcard':
        for (const value of membersOf(node, budget)) into.push(value)
        break
      case 'index': {
        const value = isList(node) ? node.at(selection.index) : undefined
        if (value !== undefined) into.push(value)
        break
      }
      case 'slice':
        if (isList(node)) for (const value of slice(node, selection, budget)) into.push(value)
        break
      case 'filter':
        for (const value of membersOf(node, budget)) if (holds(selection.filter, value, budget)) into.push(value)
    }
  }
}

function holds(filter: Filter, node: Json, budget: PageBudget): boolean {
  const found = evaluate(filter.steps, node, budget, MAX_RESULTS)
  if (filter.operator === null) return found.length > 0
  const value = found[0]
  if (value === undefined) return filter.operator === '!='
  if (filter.operator === '==') return value === filter.literal
  if (filter.operator === '!=') return value !== filter.literal
  const literal = filter.literal
  if (!((typeof value === 'number' && typeof literal === 'number') || (typeof value === 'string' && typeof literal === 'string'))) return false
  if (filter.operator === '<') return value < literal
  if (filter.operator === '<=') return value <= literal
  return filter.operator === '>' ? value > literal : value >= literal
}

/** The values of a list or an object. */
function membersOf(node: Json & object, budget: PageBudget): readonly Json[] {
  const values = isList(node) ? node : Object.values(node)
  budget.work(values.length)
  return values
}

function slice(list: readonly Json[], { from, to, step }: Extract<Selection, { kind: 'slice' }>, budget: PageBudget): Json[] {
  budget.work(list.length)
  if (step > 0) return list.slice(from ?? 0, to ?? list.length).filter((_, at) => at % step === 0)
  const start = from === null ? list.length - 1 : from < 0 ? list.length + from : Math.min(from, list.length - 1)
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

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}
