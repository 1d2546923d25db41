import type { Element } from 'domhandler'
import { AheadPay, atOnce, type Parts } from '../page/in-turns.ts'
import type { PageBudget } from '../page/page-budget.ts'
import { isElement, isParent } from './xpath-nodes.ts'
import type { XPathNode } from './xpath-nodes.ts'
import type { Tree } from '../tree/parse-tree.ts'
import { isPositional } from './xpath-parts.ts'
import type { Expression, PathStep } from './xpath-parts.ts'
import { countBelow, remembered } from './xpath-siblings.ts'
import type { FindNodes } from './xpath-siblings.ts'

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

/**
 * Finds elements after a node, or before it, in a list of the page's elements. The list is made
 * for the second question, because visiting the elements from each node takes time in the square
 * of the page's size.
 */
export class FarElements {
  readonly #lists: FarLists
  readonly #tree: Tree
  readonly #budget: PageBudget
  readonly #find: FindNodes

  constructor(lists: FarLists, tree: Tree, budget: PageBudget, find: FindNodes) {
    this.#lists = lists
    this.#tree = tree
    this.#budget = budget
    this.#find = find
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
    const { elements } = this.#tree
    if (elements[node.startIndex ?? -1] !== node) return null
    this.#budget.work(LOOK_STEPS)
    const cached = lists.get(step)
    if (cached) return cached
    if (cached === undefined) {
      lists.set(step, null)
      return null
    }
    return atOnce(this.#listParts(step))
  }

  /** Makes the list in parts that the next question about an expression needs, if it is made then. */
  *prepare(expression: Expression, node: XPathNode): Parts<void> {
    yield* this.#prepareStep(this.#lists.ofPath(expression), node)
  }

  /** The same for {@link picked}. */
  *preparePicked(node: XPathNode, step: PathStep): Parts<void> {
    const { axis, predicates } = step
    if ((axis !== 'following' && axis !== 'preceding') || predicates.length === 0) return
    const far = this.#lists.ofStep(step)
    if (far !== null && far.position !== null) yield* this.#prepareStep(far, node)
  }

  *#prepareStep(far: FarStep | null, node: XPathNode): Parts<void> {
    if (far === null || !isParent(node) || !isElement(node)) return
    if (this.#tree.elements[node.startIndex ?? -1] !== node) return
    if (this.#lists.lists.get(far.step) === null) yield* this.#listParts(far.step)
  }

  *#listParts(step: PathStep): Parts<FarList> {
    const { document } = this.#tree
    const nodes = yield* this.#find.along(document, 'descendant', step.test)
    const passing = yield* this.#find.filter(nodes, step.predicates)
    const pay = new AheadPay(this.#budget, LIST_STEPS, passing.length)
    this.#budget.make(LIST_BYTES * passing.length)
    const elements: Element[] = []
    for (const match of passing) {
      if (pay.ends()) yield
      if (isParent(match) && isElement(match)) elements.push(match)
    }
    pay.end()
    const list: FarList = {
      elements,
      starts: Int32Array.from(elements, ({ startIndex }) => startIndex ?? 0),
      ends: Int32Array.from(elements, ({ endIndex }) => endIndex ?? 0).toSorted(),
    }
    this.#lists.lists.set(step, list)
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
