import type { Element, ParentNode } from 'domhandler'

/** Steps that the selectors of one page may take, some tens of milliseconds. What is left unmatched then stays unmatched. */
const MAX_STEPS = 2_000_000

/** What selectors are matched against, besides the element. */
export interface Matching {
  /** The element below which is searched: what `:scope` means. */
  scope: Element | null
  /** Steps left; a matcher takes them and gives up below zero. */
  steps: number
  /** The child of each parent that was last asked for its position, and that position, from 1. */
  readonly positions: Map<ParentNode, { element: Element; position: number }>
}

/** Says whether an element matches; how it does is its own affair. */
export type Matcher = (element: Element, matching: Matching) => boolean

/** A fresh allowance, for one page. */
export function startMatching(): Matching {
  return { scope: null, steps: MAX_STEPS, positions: new Map() }
}
