import { isTraversal, SelectorType, type Selector as Token, type TraversalType } from 'css-what'
import { isTag, type Element } from 'domhandler'
import { compoundMatcher } from './compound-matcher.ts'
import type { Matcher, Matching } from './matching.ts'
import { previousElement, RESULT_BYTES } from './matching.ts'

interface Part {
  readonly matches: Matcher
  /** The combinator between this part and the next one to the left. `null` for the last part. */
  readonly combinator: TraversalType | null
}

/**
 * Compiles one alternative of a selector, such as `ul.list > li a`, matched from the right. Returns
 * `null` if it uses anything that this matcher does not support.
 */
export function complexMatcher(
  compounds: readonly (readonly Token[])[],
  combinators: readonly TraversalType[],
  xml: boolean,
): Matcher | null {
  const parts: Part[] = []
  for (let index = compounds.length - 1; index >= 0; index--) {
    const matches = compoundMatcher(compounds[index] ?? [], xml, innerMatcher)
    const combinator = index === 0 ? null : (combinators[index - 1] ?? null)
    if (combinator === SelectorType.Parent || combinator === SelectorType.ColumnCombinator)
      return null
    parts.push({ matches, combinator })
  }
  const [only] = parts
  if (parts.length === 1 && only !== undefined) return only.matches
  return (element, matching) => match(parts, 0, element, matching) === MATCHES
}

/** The compounds of a selector, and the combinators between them. */
export function partsOf(tokens: readonly Token[]): {
  readonly compounds: readonly (readonly Token[])[]
  readonly combinators: readonly TraversalType[]
} {
  const compounds: Token[][] = [[]]
  const combinators: TraversalType[] = []
  for (const token of tokens) {
    if (isTraversal(token)) {
      combinators.push(token.type)
      compounds.push([])
    } else compounds.at(-1)?.push(token)
  }
  return { compounds, combinators }
}

/** Compiles the list in the parentheses of `:not(…)` and `:is(…)`. */
function innerMatcher(tokens: readonly Token[], xml: boolean): Matcher | null {
  const { compounds, combinators } = partsOf(tokens)
  return compounds.some((compound) => compound.length === 0)
    ? null
    : complexMatcher(compounds, combinators, xml)
}

// A failure shows which other candidates cannot match either, so that no ancestor is tried in vain.
// Simple backtracking over descendant combinators would take depth to the power of the number of
// parts.
const MATCHES = 0
const FAILS_HERE = 1
const FAILS_FOR_SIBLINGS = 2
const FAILS_FOR_ALL = 3

function match(
  parts: readonly Part[],
  index: number,
  element: Element,
  matching: Matching,
): number {
  const part = parts[index]
  matching.budget.work(1)
  if (part === undefined) return FAILS_FOR_ALL
  if (!part.matches(element, matching)) return FAILS_HERE
  switch (part.combinator) {
    case null:
      return MATCHES
    case SelectorType.Descendant:
      return search(parts, index, element, matching)
    case SelectorType.Child: {
      const above = parentElement(element)
      if (above === null) return FAILS_FOR_ALL
      const result = match(parts, index + 1, above, matching)
      return result === MATCHES || result === FAILS_FOR_ALL ? result : FAILS_FOR_SIBLINGS
    }
    case SelectorType.Adjacent: {
      const before = previousElement(element)
      return before === null ? FAILS_FOR_SIBLINGS : match(parts, index + 1, before, matching)
    }
    default:
      return search(parts, index, element, matching)
  }
}

/**
 * Number of elements after which a search stores its result, for later searches that reach the same
 * element.
 */
const FAR = 16

/**
 * Tries the next part on the elements above an element, or before it. A complete search for each
 * element of a deep or long page would take the square of its size. So each search ends at an
 * element where an earlier search has stored its result.
 */
function search(
  parts: readonly Part[],
  index: number,
  element: Element,
  matching: Matching,
): number {
  const { scope, searches } = matching
  const part = parts[index]
  const isAbove = part?.combinator === SelectorType.Descendant
  const next = isAbove ? parentElement : previousElement
  let result = isAbove ? FAILS_FOR_ALL : FAILS_FOR_SIBLINGS
  let farElement: Element | null = null
  let steps = 0
  for (let other = next(element); other !== null; other = next(other)) {
    if (++steps > FAR && part !== undefined) {
      const cached = searches.get(part, other, scope)
      if (cached !== undefined) {
        result = cached
        break
      }
      farElement ??= other
    }
    const outcome = match(parts, index + 1, other, matching)
    if (outcome !== FAILS_HERE && !(isAbove && outcome === FAILS_FOR_SIBLINGS)) {
      result = outcome
      break
    }
  }
  if (farElement !== null && part !== undefined) {
    matching.budget.make(RESULT_BYTES)
    searches.set(part, farElement, scope, result)
  }
  return result
}

function parentElement(element: Element): Element | null {
  const { parent } = element
  return parent !== null && isTag(parent) ? parent : null
}
