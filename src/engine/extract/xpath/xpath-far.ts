import type { Element } from 'domhandler'
import type { PageBudget } from '../page/page-budget.ts'
import { isElement, isParent } from './xpath-nodes.ts'
import type { TreeNodes, XPathNode } from './xpath-nodes.ts'
import { isPositional } from './xpath-parts.ts'
import type { Expression, PathStep } from './xpath-parts.ts'
import { countBelow, remembered } from './xpath-siblings.ts'

/** Steps and bytes for an element that is listed. */
const LIST_STEPS = 8
const LIST_BYTES = 16
/** Steps to look up a node, and for each element that is passed on the way to a position. */
const LOOK_STEPS = 8
const PASS_STEPS = 2

/** A step to all elements after a node, or before it, whose conditions hold from whichever node. */
interface FarStep {
  readonly step: PathStep
  /** A position that is counted from the node; `null`: all of them. */
  readonly position: number | null
  /** The conditions after the position. */
  readonly after: readonly Expression[]
}

/** All elements of a page that pass such a step, in document order, and where they end, in order. */
interface FarList {
  readonly elements: readonly Element[]
  readonly starts: Int32Array
  readonly ends: Int32Array
}

/** The lists of a page, for all its XPaths. `null`: the step was taken once. */
export class FarLists {
  readonly lists = new Map<PathStep, FarList | null>()
  readonly #paths = new Map<Expression, FarStep | null>()
  readonly #steps = new Map<PathStep, FarStep | null>()

  ofPath(expression: Expression): FarStep | null {
    return remembered(this.#paths, expression, farPath)
  }

  ofStep(step: PathStep): FarStep | null {
    return remembered(this.#steps, step, farStep)
  }
}

/** Returns the nodes that fulfil all conditions. */
type FilterNodes = (nodes: XPathNode[], predicates: readonly Expression[]) => readonly XPathNode[]

/**
 * Finds elements after a node, or before it, in a list of the page's elements. The list is made
 * for the second question, because visiting the elements from each node takes time in the square
 * of the page's size.
 */
export class FarElements {
  readonly #lists: FarLists
  readonly #nodes: TreeNodes
  readonly #budget: PageBudget
  readonly #filter: FilterNodes

  constructor(lists: FarLists, nodes: TreeNodes, budget: PageBudget, filter: FilterNodes) {
    this.#lists = lists
    this.#nodes = nodes
    this.#budget = budget
    this.#filter = filter
  }

  /** How many elements an expression selects. `null`: it is another one, or has no list yet. */
  countOf(expression: Expression, node: XPathNode): number | null {
    const far = this.#lists.ofPath(expression)
    if (far === null || !isParent(node) || !isElement(node)) return null
    const list = this.#listOf(far.step, node)
    if (list === null) return null
    // Elements around the node end after it, so they are not before it.
    return far.step.axis === 'following'
      ? list.starts.length - countBelow(list.starts, (node.endIndex ?? 0) + 1)
      : countBelow(list.ends, node.startIndex ?? 0)
  }

  /** Whether an expression selects any element. `null`: as for {@link countOf}. */
  hasAny(expression: Expression, node: XPathNode): boolean | null {
    const count = this.countOf(expression, node)
    return count === null ? null : count > 0
  }

  /** The element that a position chooses, and the conditions after it. `null`: as before. */
  picked(
    node: XPathNode,
    step: PathStep,
  ): { readonly nodes: XPathNode[]; readonly after: readonly Expression[] } | null {
    const { axis, predicates } = step
    if ((axis !== 'following' && axis !== 'preceding') || predicates.length === 0) return null
    const far = this.#lists.ofStep(step)
    if (far === null || far.position === null || !isParent(node) || !isElement(node)) return null
    const list = this.#listOf(far.step, node)
    if (list === null) return null
    const match =
      axis === 'following'
        ? list.elements[countBelow(list.starts, (node.endIndex ?? 0) + 1) + far.position - 1]
        : this.#before(list, node, far.position)
    return { nodes: match === undefined ? [] : [match], after: far.after }
  }

  /** Goes back past what is around the node, at most 500 levels. */
  #before({ elements, starts }: FarList, node: Element, position: number): Element | undefined {
    const start = node.startIndex ?? 0
    let left = position
    for (let index = countBelow(starts, start) - 1; index >= 0; index--) {
      this.#budget.work(PASS_STEPS)
      const element = elements[index]
      if (element !== undefined && (element.endIndex ?? 0) < start && --left === 0) return element
    }
    return undefined
  }

  #listOf(step: PathStep, node: Element): FarList | null {
    const { lists } = this.#lists
    const { document, elements } = this.#nodes.tree
    if (elements[node.startIndex ?? -1] !== node) return null
    this.#budget.work(LOOK_STEPS)
    const cached = lists.get(step)
    if (cached) return cached
    if (cached === undefined) {
      lists.set(step, null)
      return null
    }
    const passing = this.#filter(
      this.#nodes.along(document, 'descendant', step.test),
      step.predicates,
    ).filter((match) => isParent(match) && isElement(match))
    this.#budget.work(LIST_STEPS * passing.length)
    this.#budget.make(LIST_BYTES * passing.length)
    const list: FarList = {
      elements: passing,
      starts: Int32Array.from(passing, ({ startIndex }) => startIndex ?? 0),
      ends: Int32Array.from(passing, ({ endIndex }) => endIndex ?? 0).toSorted(),
    }
    lists.set(step, list)
    return list
  }
}

function farPath(expression: Expression): FarStep | null {
  if (expression.kind !== 'path' || expression.path.start !== 'here') return null
  const [step, ...others] = expression.path.steps
  const far = step === undefined || others.length > 0 ? null : farStep(step)
  return far === null || far.position !== null ? null : far
}

function farStep(step: PathStep): FarStep | null {
  const { axis, test, predicates } = step
  if ((axis !== 'following' && axis !== 'preceding') || test.kind !== 'name') return null
  const index = predicates.findIndex(isPositional)
  if (index === -1) return { step: { axis, test, predicates }, position: null, after: [] }
  const position = predicates[index]
  if (position?.kind !== 'number' || !(Number.isInteger(position.value) && position.value > 0))
    return null
  return {
    step: { axis, test, predicates: predicates.slice(0, index) },
    position: position.value,
    after: predicates.slice(index + 1),
  }
}
