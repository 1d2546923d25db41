import type { Element, ParentNode, ChildNode } from 'domhandler'
import type { PageBudget } from '../page/page-budget.ts'
import { isTag } from 'domhandler'
import { NestedTexts } from './nested-texts.ts'
import type { SiblingElements } from './sibling-elements.ts'

/** The context that selectors are matched in. */
export interface Matching {
  /** The element whose descendants are searched: the meaning of `:scope`. */
  scope: Element | null
  /** Pays for the work. Every matcher takes its steps from it. */
  readonly budget: PageBudget
  /** For each parent, the child whose position was requested last, and that position, from 1. */
  readonly positions: Map<ParentNode, { element: Element; position: number }>
  /** The children of each parent that were counted, by their kind. */
  readonly siblings: Map<ParentNode, SiblingElements>
  /** The results of long searches for a part of a selector, by the element where they began. */
  readonly searches: Searches
  /** The results for each part of a `:has(…)`, by element. */
  readonly nearby: Map<Matcher, NearbyElements>
  /**
   * For each list of `:nth-child(2n of .x)`: the positions of those children of a parent that match
   * it.
   */
  readonly listed: Map<Matcher, Map<ParentNode, ReadonlyMap<Element, number>>>
  /** For `:contains(…)`. */
  readonly texts: NestedTexts
}

/** For an element or a parent: an element below it that fits a part of `:has(…)`, or `null`. */
export type NearbyElements = Map<ParentNode, Element | null>

/** Bytes for the result of an element that is remembered until the page is read. */
export const RESULT_BYTES = 16

/** Results of searches among the elements above or before an element. They are valid for one scope. */
export class Searches {
  #scope: Element | null = null
  readonly #results = new Map<object, Map<Element, number>>()

  /** The result of the search for a part from an element on. `undefined`: not known yet. */
  get(part: object, from: Element, scope: Element | null): number | undefined {
    return this.#scope === scope ? this.#results.get(part)?.get(from) : undefined
  }

  set(part: object, from: Element, scope: Element | null, result: number): void {
    if (this.#scope !== scope) this.#results.clear()
    this.#scope = scope
    const results = this.#results.get(part)
    if (results === undefined) this.#results.set(part, new Map([[from, result]]))
    else results.set(from, result)
  }
}

/** Tells whether an element matches. */
export type Matcher = (element: Element, matching: Matching) => boolean

/** Starts matching on one page. */
export function startMatching(budget: PageBudget): Matching {
  return {
    scope: null,
    budget,
    positions: new Map(),
    siblings: new Map(),
    searches: new Searches(),
    nearby: new Map(),
    listed: new Map(),
    texts: new NestedTexts(budget),
  }
}

/** Returns the previous sibling element. */
export function previousElement(element: Element): Element | null {
  let node: ChildNode | null = element.prev
  while (node !== null && !isTag(node)) node = node.prev
  return node
}

/** Returns the next sibling element. */
export function nextElement(element: Element): Element | null {
  let node: ChildNode | null = element.next
  while (node !== null && !isTag(node)) node = node.next
  return node
}
