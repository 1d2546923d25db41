import type { Json } from '../../../kernel/json.ts'
import { parseJsonPath, type Filter, type Selection, type Step } from './parse-json-path.ts'

/** Nodes that one query may look at; a page that asks for more gets what was found until then. */
const MAX_NODES = 100_000
const MAX_RESULTS = 10_000

/** A compiled JSONPath: all matches in document order. `work` bounds all queries that share it. */
export type JsonPath = (document: Json, work?: PathWork) => readonly Json[]

/** Nodes that may still be looked at. */
export interface PathWork {
  left: number
}

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
  return (document, shared) => {
    const allowed = Math.min(MAX_NODES, shared?.left ?? MAX_NODES)
    const work: PathWork = { left: allowed }
    const found = evaluate(steps, document, work, most)
    if (shared !== undefined) shared.left -= allowed - Math.max(0, work.left)
    return found
  }
}

function evaluate(steps: readonly Step[], document: Json, work: PathWork, most: number): readonly Json[] {
  let nodes: Json[] = [document]
  for (const step of steps) {
    const next: Json[] = []
    for (const node of nodes) {
      if (step.descend) descend(node, (inner) => select(step.selections, inner, next, work), work)
      else select(step.selections, node, next, work)
      if (work.left <= 0 || next.length > most) break
    }
    nodes = next.length > most ? next.slice(0, most) : next
  }
  return nodes
}

// Documents are at most 64 levels deep (parseJson), so recursion is bounded.
function descend(node: Json, visit: (node: Json) => void, work: PathWork): void {
  if (work.left-- <= 0) return
  visit(node)
  if (node !== null && typeof node === 'object') for (const child of Object.values(node)) if (typeof child === 'object') descend(child, visit, work)
}

function select(selections: readonly Selection[], node: Json, into: Json[], work: PathWork): void {
  if (node === null || typeof node !== 'object') return
  for (const selection of selections) {
    if (work.left-- <= 0) return
    switch (selection.kind) {
      case 'name': {
        const value = member(node, selection.name)
        if (value !== undefined) into.push(value)
        break
      }
      case 'wildcard':
        for (const value of Object.values(node)) into.push(value)
        break
      case 'index': {
        const value = isList(node) ? node.at(selection.index) : undefined
        if (value !== undefined) into.push(value)
        break
      }
      case 'slice':
        if (isList(node)) into.push(...slice(node, selection.from, selection.to, selection.step))
        break
      case 'filter':
        for (const value of Object.values(node)) if (work.left-- > 0 && holds(selection.filter, value, work)) into.push(value)
    }
  }
}

function holds(filter: Filter, node: Json, work: PathWork): boolean {
  const found = evaluate(filter.steps, node, work, MAX_RESULTS)
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

function slice(list: readonly Json[], from: number | null, to: number | null, step: number): Json[] {
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
