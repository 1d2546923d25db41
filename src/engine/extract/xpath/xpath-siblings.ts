import type { ChildNode, ParentNode } from 'domhandler'
import type { PageBudget } from '../page/page-budget.ts'
import { isChild, type TreeNodes, type XPathNode } from './xpath-nodes.ts'
import type { Axis, Expression, PathStep } from './xpath-parts.ts'
import { isPositional } from './xpath-parts.ts'

type SiblingAxis = Extract<Axis, 'following-sibling' | 'preceding-sibling'>

/** Leaves the nodes for which all predicates hold. */
type FilterNodes = (nodes: XPathNode[], predicates: readonly Expression[]) => readonly XPathNode[]

/** Below this number of siblings it takes less time to visit them. */
const FEW = 16
/** Steps and bytes for a node that is numbered. */
const NUMBER_STEPS = 6
const NUMBER_BYTES = 32
/** Steps and bytes for a number in the list of a step. */
const LIST_STEPS = 4
const LIST_BYTES = 4
/** Steps to look up a number. */
const LOOK_STEPS = 8

function isSiblingAxis(axis: Axis): axis is SiblingAxis {
  return axis === 'following-sibling' || axis === 'preceding-sibling'
}

/** The siblings of a page that were listed. They serve all XPaths of a page, and all its rows. */
export class SiblingLists {
  /** The number of each child of a parent. */
  readonly numbers = new Map<ParentNode, ReadonlyMap<ChildNode, number>>()
  /**
   * For each step, the numbers of a parent's children that pass it, in order. `null`: they were
   * asked for once, and visited.
   */
  readonly passing = new Map<PathStep, Map<ParentNode, Int32Array | null>>()
}

/**
 * Counts the siblings of a node. Those of all nodes with the same parent are listed at the second
 * question: visiting all siblings of each takes the square of their number.
 */
export class SiblingCounts {
  readonly #lists: SiblingLists
  readonly #nodes: TreeNodes
  readonly #budget: PageBudget
  readonly #filter: FilterNodes

  constructor(lists: SiblingLists, nodes: TreeNodes, budget: PageBudget, filter: FilterNodes) {
    this.#lists = lists
    this.#nodes = nodes
    this.#budget = budget
    this.#filter = filter
  }

  /**
   * The number of nodes that an expression selects, if it is one step to siblings without a
   * position. Its predicates then hold for a sibling whichever node the step is from. `null`: it is
   * another expression, or the siblings are few or asked for the first time.
   */
  countOf(expression: Expression, node: XPathNode): number | null {
    if (expression.kind !== 'path') return null
    const { start, steps } = expression.path
    const index = isHere(steps[0]) ? 1 : 0
    const step = steps[index]
    return start !== 'here' ||
      step === undefined ||
      steps.length > index + 1 ||
      step.predicates.some(isPositional)
      ? null
      : this.#countAlong(node, step)
  }

  #countAlong(node: XPathNode, step: PathStep): number | null {
    const { axis, test } = step
    if (!isSiblingAxis(axis) || !isChild(node) || test.kind === 'none') return null
    const { parent } = node
    if (parent === null || parent.children.length < FEW) return null
    this.#budget.work(LOOK_STEPS)
    const numbers = this.#passingIn(parent, step)
    const number = numbers === null ? undefined : this.#numbersIn(parent).get(node)
    if (numbers === null || number === undefined) return null
    return axis === 'preceding-sibling'
      ? countBelow(numbers, number)
      : numbers.length - countBelow(numbers, number + 1)
  }

  #numbersIn(parent: ParentNode): ReadonlyMap<ChildNode, number> {
    const cached = this.#lists.numbers.get(parent)
    if (cached !== undefined) return cached
    this.#budget.work(NUMBER_STEPS * parent.children.length)
    this.#budget.make(NUMBER_BYTES * parent.children.length)
    const numbers = new Map(parent.children.map((child, index) => [child, index]))
    this.#lists.numbers.set(parent, numbers)
    return numbers
  }

  /** The numbers of the children that pass the test and the predicates of a step, in order. */
  #passingIn(parent: ParentNode, step: PathStep): Int32Array | null {
    const lists = this.#lists.passing.get(step) ?? new Map<ParentNode, Int32Array | null>()
    this.#lists.passing.set(step, lists)
    const cached = lists.get(parent)
    if (cached) return cached
    if (cached === undefined) {
      lists.set(parent, null)
      return null
    }
    const all = this.#numbersIn(parent)
    const children = this.#filter([...this.#nodes.childrenOf(parent, step.test)], step.predicates)
    this.#budget.work(LIST_STEPS * children.length)
    this.#budget.make(LIST_BYTES * children.length)
    const numbers: number[] = []
    for (const child of children) {
      const number = isChild(child) ? all.get(child) : undefined
      if (number !== undefined) numbers.push(number)
    }
    const list = Int32Array.from(numbers)
    lists.set(parent, list)
    return list
  }
}

/** True for the first step of `./following-sibling::a`, which stays at its node. */
function isHere(step: PathStep | undefined): boolean {
  return step?.axis === 'self' && step.test.kind === 'node' && step.predicates.length === 0
}

/** How many of the numbers, which are in order, are below another. */
function countBelow(numbers: Int32Array, other: number): number {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((numbers[middle] ?? 0) < other) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * Leaves out nodes whose siblings on an axis are siblings of another of them, too: of the nodes
 * with the same parent the first has all that follow, the last all that precede. A position counts
 * from each node, so with one none is left out. The nodes are in document order.
 */
export function withoutSubsets(
  nodes: readonly XPathNode[],
  { axis, predicates }: PathStep,
): readonly XPathNode[] {
  if (!isSiblingAxis(axis) || nodes.length < 2 || predicates.some(isPositional)) return nodes
  const chosen = new Map<ParentNode | XPathNode, XPathNode>()
  for (const node of nodes) {
    const key = isChild(node) ? (node.parent ?? node) : node
    if (axis === 'preceding-sibling' || !chosen.has(key)) chosen.set(key, node)
  }
  return [...chosen.values()]
}
