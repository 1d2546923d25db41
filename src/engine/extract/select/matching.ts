import type { Element, ParentNode, ChildNode } from 'domhandler'
import type { PageBudget } from '../page/page-budget.ts'
import { isTag } from 'domhandler'

/** What selectors are matched against, besides the element. */
export interface Matching {
  /** The element below which is searched: what `:scope` means. */
  scope: Element | null
  /** Pays for the work: every matcher takes its steps from it. */
  readonly budget: PageBudget
  /** The child of each parent that was last asked for its position, and that position, from 1. */
  readonly positions: Map<ParentNode, { element: Element; position: number }>
}

/** Says whether an element matches; how it does is its own affair. */
export type Matcher = (element: Element, matching: Matching) => boolean

/** Matching on one page. */
export function startMatching(budget: PageBudget): Matching {
  return { scope: null, budget, positions: new Map() }
}

/** The element before this one, below the same parent. */
export function previousElement(element: Element): Element | null {
  let node: ChildNode | null = element.prev
  while (node !== null && !isTag(node)) node = node.prev
  return node
}

/** The element after this one, below the same parent. */
export function nextElement(element: Element): Element | null {
  let node: ChildNode | null = element.next
  while (node !== null && !isTag(node)) node = node.next
  return node
}
