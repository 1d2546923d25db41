import { isTraversal, SelectorType } from 'css-what'
import type { Selector as Token, TraversalType } from 'css-what'
import { isTag, type Element, type ParentNode } from 'domhandler'
import { namesScope } from './general-matcher.ts'
import type { Matcher, Matching, NearbyElements } from './matching.ts'
import { nextElement, RESULT_BYTES } from './matching.ts'

/** One step from an element to others, with a test for them: `> b`. */
interface Step {
  readonly combinator: TraversalType
  readonly compound: readonly Token[]
}

/**
 * Compiles `:has(…)`, in time linear in the page: the result for an element, or for all children of
 * a parent, is stored. `null`: it has a part that only css-select supports.
 */
export function hasMatcher(
  alternatives: readonly (readonly Token[])[],
  compile: (compound: readonly Token[]) => Matcher,
): Matcher | null {
  const matchers: Matcher[] = []
  for (const tokens of alternatives) {
    const matcher = chainMatcher(tokens, compile)
    if (matcher === null) return null
    matchers.push(matcher)
  }
  return (element, matching) => matchers.some((matches) => matches(element, matching))
}

/** Compiles one alternative from the right, because each part depends on the parts after it. */
function chainMatcher(
  tokens: readonly Token[],
  compile: (compound: readonly Token[]) => Matcher,
): Matcher | null {
  let rest: Matcher | null = null
  for (const { combinator, compound } of stepsOf(tokens).toReversed()) {
    if (compound.length === 0 || namesScope(compound)) return null
    rest = stepMatcher(combinator, fitting(compile(compound), rest))
    if (rest === null) return null
  }
  return rest
}

/** The steps from the element that has `:has(…)`. A leading `:scope` is that element. */
function stepsOf(tokens: readonly Token[]): Step[] {
  const [first, second] = tokens
  const isScope = first?.type === SelectorType.Pseudo && first.name === 'scope'
  const steps: { combinator: TraversalType; compound: Token[] }[] = []
  for (const token of isScope && second !== undefined && isTraversal(second)
    ? tokens.slice(1)
    : tokens) {
    if (isTraversal(token)) steps.push({ combinator: token.type, compound: [] })
    else if (steps.length === 0)
      steps.push({ combinator: SelectorType.Descendant, compound: [token] })
    else steps.at(-1)?.compound.push(token)
  }
  return steps
}

function fitting(matches: Matcher, rest: Matcher | null): Matcher {
  return (element, matching) => {
    matching.budget.work(1)
    return matches(element, matching) && (rest === null || rest(element, matching))
  }
}

/** Checks whether one of the elements that a combinator leads to fits. */
function stepMatcher(combinator: TraversalType, fits: Matcher): Matcher | null {
  switch (combinator) {
    case SelectorType.Descendant:
      return (element, matching) => fitBelow(element, fits, matching) !== null
    case SelectorType.Child:
      return (element, matching) => firstChild(element, fits, matching) !== null
    case SelectorType.Adjacent:
      return (element, matching) => {
        const next = nextElement(element)
        return next !== null && fits(next, matching)
      }
    case SelectorType.Sibling:
      return (element, matching) =>
        (element.startIndex ?? 0) < (lastSibling(element, fits, matching)?.startIndex ?? 0)
    default:
      return null
  }
}

/** An element below another that fits. A tree has at most 500 levels. */
function fitBelow(element: Element, fits: Matcher, matching: Matching): Element | null {
  const cache = cacheOf(fits, matching)
  const cached = cache.get(element)
  if (cached !== undefined) return cached
  let result: Element | null = null
  for (const child of element.children) {
    if (!isTag(child)) continue
    if (fits(child, matching)) result = child
    else if (child.children.length > 0) result = fitBelow(child, fits, matching)
    if (result !== null) break
  }
  remember(cache, element, result, matching)
  return result
}

function firstChild(element: Element, fits: Matcher, matching: Matching): Element | null {
  const cache = cacheOf(fits, matching)
  const cached = cache.get(element)
  if (cached !== undefined) return cached
  const child = element.children.find((node) => isTag(node) && fits(node, matching))
  const result = child !== undefined && isTag(child) ? child : null
  remember(cache, element, result, matching)
  return result
}

/** The last fitting element among the elements with the same parent. It comes after all others. */
function lastSibling({ parent }: Element, fits: Matcher, matching: Matching): Element | null {
  if (parent === null) return null
  const cache = cacheOf(fits, matching)
  const cached = cache.get(parent)
  if (cached !== undefined) return cached
  const sibling = parent.children.findLast((node) => isTag(node) && fits(node, matching))
  const result = sibling !== undefined && isTag(sibling) ? sibling : null
  remember(cache, parent, result, matching)
  return result
}

function remember(
  cache: NearbyElements,
  key: ParentNode,
  result: Element | null,
  { budget }: Matching,
): void {
  budget.make(RESULT_BYTES)
  cache.set(key, result)
}

function cacheOf(fits: Matcher, { nearby }: Matching): NearbyElements {
  const cached = nearby.get(fits)
  if (cached !== undefined) return cached
  const cache: NearbyElements = new Map()
  nearby.set(fits, cache)
  return cache
}
