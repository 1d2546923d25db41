import type { Element } from 'domhandler'
import type { PageBudget } from '../page/page-budget.ts'
import type { Tree } from '../tree/parse-tree.ts'
import { searchSteps } from '../value/search-steps.ts'
import { compare, numberOf, textOfValue, truthOf, type XPathValue } from './xpath-values.ts'
import { alongAxis, isElement, isParent, nameOf, stringOf, type XPathNode } from './xpath-nodes.ts'
import type { Expression, LocationPath, PathStep } from './xpath-parts.ts'

interface Context {
  readonly node: XPathNode
  readonly position: number
  readonly last: () => number
}

/**
 * Returns what paths select from a node (`null`: the document), in document order: elements, and
 * the values of attributes and texts. The page's budget pays for the work.
 *
 * @throws {PageTooCostly}
 */
export function evaluateXPath(
  paths: readonly LocationPath[],
  tree: Tree,
  scope: Element | null,
  budget: PageBudget,
): readonly (Element | string)[] {
  const evaluation = new Evaluation(tree, budget)
  const from = scope ?? tree.document
  const [only] = paths
  const nodes =
    paths.length === 1 && only !== undefined
      ? evaluation.select(only, from)
      : inOrder(new Set(paths.flatMap((path) => evaluation.select(path, from))), budget)
  return nodes.flatMap((node): (Element | string)[] => {
    if (!isParent(node)) return [stringOf(node, budget)]
    return isElement(node) ? [node] : tree.root === null ? [] : [tree.root]
  })
}

class Evaluation {
  readonly #tree: Tree
  readonly #budget: PageBudget

  constructor(tree: Tree, budget: PageBudget) {
    this.#tree = tree
    this.#budget = budget
  }

  select(path: LocationPath, from: XPathNode): XPathNode[] {
    let nodes: XPathNode[] = [path.absolute ? this.#tree.document : from]
    for (let at = 0; at < path.steps.length && nodes.length > 0; at++) {
      const step = path.steps[at]
      const next = path.steps[at + 1]
      if (step === undefined) break
      // `//a` is two steps. Without a positional predicate they are taken as one.
      if (
        step.axis === 'descendant-or-self' &&
        step.test.kind === 'node' &&
        step.predicates.length === 0 &&
        next?.axis === 'child' &&
        !next.predicates.some(isPositional)
      ) {
        nodes = this.#descend(nodes, { ...next, axis: 'descendant' })
        at++
      } else if (step.axis === 'descendant' || step.axis === 'descendant-or-self')
        nodes = step.predicates.some(isPositional)
          ? this.#step(nodes, step)
          : this.#descend(nodes, step)
      else nodes = this.#step(nodes, step)
    }
    return this.#filter(nodes, path.predicates)
  }

  #step(nodes: readonly XPathNode[], step: PathStep): XPathNode[] {
    const found = new Set<XPathNode>()
    for (const node of nodes)
      for (const one of this.#filter(
        [...alongAxis(node, step.axis, step.test, this.#tree, this.#budget)],
        step.predicates,
      ))
        found.add(one)
    return nodes.length === 1 &&
      !step.axis.startsWith('ancestor') &&
      step.axis !== 'preceding-sibling'
      ? [...found]
      : inOrder(found, this.#budget)
  }

  /**
   * Walks down from several nodes. Nodes inside others are left out, so no element is visited
   * twice.
   */
  #descend(nodes: readonly XPathNode[], step: PathStep): XPathNode[] {
    const found: XPathNode[] = []
    let end = -1
    for (const node of nodes) {
      if (isParent(node) && isElement(node)) {
        if ((node.startIndex ?? 0) <= end) continue
        end = node.endIndex ?? -1
      }
      for (const one of alongAxis(node, step.axis, step.test, this.#tree, this.#budget))
        found.push(one)
    }
    return this.#filter(found, step.predicates)
  }

  #filter(nodes: XPathNode[], predicates: readonly Expression[]): XPathNode[] {
    return predicates.reduce((left, predicate) => {
      if (predicate.kind === 'number') {
        const one = left[predicate.value - 1]
        return one === undefined ? [] : [one]
      }
      return left.filter((node, at) => {
        const value = this.#value(predicate, { node, position: at + 1, last: () => left.length })
        return typeof value === 'number' ? value === at + 1 : truthOf(value)
      })
    }, nodes)
  }

  #value(expression: Expression, context: Context): XPathValue {
    this.#budget.work(1)
    switch (expression.kind) {
      case 'text':
      case 'number':
        return expression.value
      case 'path':
        return this.select(expression.path, context.node)
      case 'operation': {
        const { operator, left, right } = expression
        if (operator === 'or')
          return truthOf(this.#value(left, context)) || truthOf(this.#value(right, context))
        if (operator === 'and')
          return truthOf(this.#value(left, context)) && truthOf(this.#value(right, context))
        return compare(
          operator,
          this.#value(left, context),
          this.#value(right, context),
          this.#budget,
        )
      }
      case 'call':
        return this.#call(expression, context)
    }
  }

  /** Pays for a text that is made from another. */
  #made(text: string): string {
    this.#budget.work(text.length)
    this.#budget.make(text.length)
    return text
  }

  #call({ name, given }: Extract<Expression, { kind: 'call' }>, context: Context): XPathValue {
    const value = (at: number): XPathValue => {
      const argument = given[at]
      return argument === undefined ? [context.node] : this.#value(argument, context)
    }
    const text = (at: number): string => textOfValue(value(at), this.#budget)
    switch (name) {
      case 'position':
        return context.position
      case 'last':
        return context.last()
      case 'true':
        return true
      case 'false':
        return false
      case 'not':
        return !truthOf(value(0))
      case 'string':
        return text(0)
      case 'number':
        return numberOf(value(0), this.#budget)
      case 'starts-with':
        return text(0).startsWith(text(1))
      case 'string-length':
        return text(0).length
      case 'normalize-space':
        return this.#made(text(0))
          .replace(/[\t\n\r ]+/g, ' ')
          .replace(/^ | $/g, '')
      case 'concat':
        return given.map((_, at) => this.#made(text(at))).join('')
      case 'contains':
      case 'substring-before':
      case 'substring-after': {
        const [whole, mark] = [text(0), text(1)]
        this.#budget.work(searchSteps(whole, mark))
        const at = whole.indexOf(mark)
        if (name === 'contains') return at !== -1
        if (at === -1) return ''
        return name === 'substring-before' ? whole.slice(0, at) : whole.slice(at + mark.length)
      }
      case 'translate':
        return translate(this.#made(text(0)), text(1), text(2))
      case 'name':
      case 'local-name': {
        const nodes = value(0)
        const first = typeof nodes === 'object' ? nodes[0] : undefined
        const whole = first === undefined ? '' : nameOf(first)
        return name === 'name' ? whole : whole.slice(whole.indexOf(':') + 1)
      }
    }
  }
}

/** Steps per node to sort. */
const SORT_STEPS = 4

/** True if the predicate depends on the position, so that the steps before it cannot be merged. */
function isPositional(expression: Expression): boolean {
  return isNumeric(expression) || usesPosition(expression)
}

function isNumeric(expression: Expression): boolean {
  if (expression.kind === 'operation')
    return (
      expression.operator === '+' || expression.operator === '-' || expression.operator === 'mod'
    )
  return (
    expression.kind === 'number' ||
    (expression.kind === 'call' &&
      (expression.name === 'number' || expression.name === 'string-length'))
  )
}

function usesPosition(expression: Expression): boolean {
  if (expression.kind === 'operation')
    return usesPosition(expression.left) || usesPosition(expression.right)
  return (
    expression.kind === 'call' &&
    (expression.name === 'position' ||
      expression.name === 'last' ||
      expression.given.some(usesPosition))
  )
}

function inOrder(nodes: ReadonlySet<XPathNode>, budget: PageBudget): XPathNode[] {
  budget.work(SORT_STEPS * nodes.size)
  const list = [...nodes]
  return list.every((node) => isParent(node))
    ? list.toSorted((a, b) => placeOf(a) - placeOf(b))
    : list
}

function placeOf(node: XPathNode): number {
  return isParent(node) && isElement(node) ? (node.startIndex ?? 0) : -1
}

function translate(text: string, from: string, to: string): string {
  const map = new Map<string, string>()
  const targets = [...to]
  for (const [at, char] of [...from].entries()) if (!map.has(char)) map.set(char, targets[at] ?? '')
  return [...text].map((char) => map.get(char) ?? char).join('')
}
