import type { PseudoSelector } from 'css-what'
import { isTag, type Element } from 'domhandler'
import type { Matcher, Matching } from './matching.ts'
import { nextElement, previousElement, RESULT_BYTES } from './matching.ts'
import { SiblingElements } from './sibling-elements.ts'

/**
 * Compiles a pseudo-class that asks for a position among siblings, in time linear in their number.
 * `null`: it is another one, or `compileList` cannot compile the list of `:nth-child(2n of .x)`.
 */
export function positionMatcher(
  token: PseudoSelector,
  compileList: (css: string) => Matcher | null,
): Matcher | null {
  const { name, data } = token
  if (data === null) return SIMPLE.get(name) ?? null
  const positionIn = POSITIONS.get(name)
  if (positionIn === undefined || typeof data !== 'string') return null
  const part = formulaAndList(token)
  if (part === null) return nthMatcher(data, positionIn)
  const isListed = compileList(part.list)
  if (isListed === null) return null
  const isCounted = nthMatcher(part.formula, positionAmong(isListed, name === 'nth-last-child'))
  return (
    isCounted &&
    ((element, matching) => isListed(element, matching) && isCounted(element, matching))
  )
}

/** The parts of `:nth-child(2n of .x, .y)`, or `null` for any other pseudo-class. */
export function formulaAndList({
  name,
  data,
}: PseudoSelector): { readonly formula: string; readonly list: string } | null {
  if (typeof data !== 'string' || (name !== 'nth-child' && name !== 'nth-last-child')) return null
  const [, formula, list] = OF.exec(data) ?? []
  return formula === undefined || list === undefined ? null : { formula, list }
}

const OF = /^([-+\dn\s]{1,40}|\s*(?:odd|even))\sof\s(.+)$/is

/** Returns the position of an element among some of its siblings, from 1. */
type PositionReader = (element: Element, matching: Matching) => number

const SIMPLE: ReadonlyMap<string, Matcher> = new Map<string, Matcher>([
  ['first-child', (element) => previousElement(element) === null],
  ['last-child', (element) => nextElement(element) === null],
  ['only-child', (element) => previousElement(element) === null && nextElement(element) === null],
  ['first-of-type', (element, matching) => positionOfType(element, matching) === 1],
  ['last-of-type', (element, matching) => positionOfTypeFromEnd(element, matching) === 1],
  [
    'only-of-type',
    (element, matching) =>
      positionOfType(element, matching) === 1 && positionOfTypeFromEnd(element, matching) === 1,
  ],
])

const POSITIONS: ReadonlyMap<string, PositionReader> = new Map([
  ['nth-child', positionOf],
  ['nth-last-child', positionFromEnd],
  ['nth-of-type', positionOfType],
  ['nth-last-of-type', positionOfTypeFromEnd],
])

const FORMULA = /^\s*(?:([+-]?\d{0,9})n(?:\s*([+-])\s*(\d{1,9}))?|([+-]?\d{1,9}))\s*$/i

/** Compiles `odd`, `even`, `3`, `2n + 1`. Returns `null` for anything else, such as `2n of .x`. */
function nthMatcher(formula: string, positionIn: PositionReader): Matcher | null {
  const text = formula.trim().toLowerCase()
  const parsed = FORMULA.exec(text === 'odd' ? '2n+1' : text === 'even' ? '2n' : text)
  if (parsed === null) return null
  const [, factor, sign, offset, plain] = parsed
  if (plain !== undefined) {
    const index = Number(plain)
    return (element, matching) => positionIn(element, matching) === index
  }
  const a = factor === '' || factor === '+' ? 1 : factor === '-' ? -1 : Number(factor)
  const b = offset === undefined ? 0 : Number(offset) * (sign === '-' ? -1 : 1)
  return (element, matching) => {
    const distance = positionIn(element, matching) - b
    return a === 0 ? distance === 0 : distance % a === 0 && distance / a >= 0
  }
}

/** Number of siblings that are visited to find a position, before all of them are counted. */
const MOST_WALKED = 200

// Elements mostly come in document order, so the sibling of the last call is usually the one
// directly before.
function positionOf(element: Element, matching: Matching): number {
  const { parent } = element
  if (parent === null) return 1
  const all = matching.siblings.get(parent)
  if (all !== undefined) return all.positionOf(element)
  const last = matching.positions.get(parent)
  let walked = 0
  let node: Element | null = element
  while (node !== null && node !== last?.element) {
    if (walked === MOST_WALKED) return siblingsOf(element, matching).positionOf(element)
    walked++
    node = previousElement(node)
  }
  const position = walked + (node === null ? 0 : (last?.position ?? 0))
  matching.budget.work(1 + walked)
  matching.positions.set(parent, { element, position })
  return position
}

/** Counts the siblings of a list, all at once if needed. */
function positionAmong(isListed: Matcher, fromEnd: boolean): PositionReader {
  return (element, matching) => {
    const { parent } = element
    if (parent === null) return 1
    const lists = cached(matching.listed, isListed, () => new Map())
    const positions = cached(lists, parent, () => {
      matching.budget.work(parent.children.length)
      const listed = parent.children.filter(isTag).filter((child) => isListed(child, matching))
      matching.budget.make(RESULT_BYTES * listed.length)
      return new Map(listed.map((child, index) => [child, index + 1]))
    })
    const position = positions.get(element) ?? 1
    return fromEnd ? positions.size - position + 1 : position
  }
}

function cached<K, V>(cache: Map<K, V>, key: K, make: () => V): V {
  const cachedValue = cache.get(key)
  if (cachedValue !== undefined) return cachedValue
  const value = make()
  cache.set(key, value)
  return value
}

function positionFromEnd(element: Element, matching: Matching): number {
  const siblings = siblingsOf(element, matching)
  return siblings.count - siblings.positionOf(element) + 1
}

function positionOfType(element: Element, matching: Matching): number {
  return siblingsOf(element, matching).positionOfType(element)
}

function positionOfTypeFromEnd(element: Element, matching: Matching): number {
  const siblings = siblingsOf(element, matching)
  return siblings.countOfType(element) - siblings.positionOfType(element) + 1
}

const ALONE = new SiblingElements([])

// All siblings are counted at once, because each of them is likely to be tested too.
function siblingsOf({ parent }: Element, matching: Matching): SiblingElements {
  if (parent === null) return ALONE
  const counted = matching.siblings.get(parent)
  if (counted !== undefined) return counted
  matching.budget.work(parent.children.length)
  matching.budget.make(2 * RESULT_BYTES * parent.children.length)
  const siblings = new SiblingElements(parent.children.filter(isTag))
  matching.siblings.set(parent, siblings)
  return siblings
}
