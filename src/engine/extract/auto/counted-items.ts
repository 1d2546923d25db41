import type { Element } from 'domhandler'
import type { PageBudget } from '../page/page-budget.ts'

/** A class that ends with the number of an item: `answer-7`. Its stem names all items. */
const COUNTED = /(?<!\S)([A-Za-z][\w-]{2,60}[_-])(\d{1,6})(?!\S)/g
/** Number of characters of a class list that are read. */
const MOST_CLASSES = 500
/** Minimum number of counted items. */
const LEAST_COUNTED = 3
/** Minimum share of the siblings of one kind that are counted, if some are. */
const LEAST_SHARE = 0.5
/** Steps to read the classes of an element. */
const READING_STEPS = 2

/**
 * Of siblings of one kind, those that the page counts: `answer-0`, `answer-1`, `answer-2`. Others
 * between them are left out, such as links to more. If none are between them, these are all
 * siblings: a page may count only the first of its items.
 */
export function countedAmong(siblings: readonly Element[], budget: PageBudget): readonly Element[] {
  if (siblings.length <= LEAST_COUNTED) return siblings
  const least = Math.max(LEAST_COUNTED, LEAST_SHARE * siblings.length)
  for (const counted of countsIn(siblings, budget).values())
    if (counted.length >= least && areInTurn(counted) && haveOthersBetween(counted, siblings))
      return counted.map(({ element }) => element)
  return siblings
}

function haveOthersBetween(counted: readonly Counted[], siblings: readonly Element[]): boolean {
  const [first, last] = [counted[0], counted.at(-1)]
  if (first === undefined || last === undefined) return false
  return siblings.indexOf(last.element) - siblings.indexOf(first.element) >= counted.length
}

/** Selectors of items that the page counts: `[class*=answer-]`. */
export function countedWays(items: readonly Element[], budget: PageBudget): string[] {
  return [...countsIn(items, budget)]
    .filter(([, counted]) => counted.length === items.length && areInTurn(counted))
    .map(([stem]) => `[class*=${stem}]`)
}

interface Counted {
  readonly element: Element
  readonly number: number
}

/** Elements with counted classes, by the stems of these. */
function countsIn(
  elements: readonly Element[],
  budget: PageBudget,
): ReadonlyMap<string, readonly Counted[]> {
  budget.work(READING_STEPS * elements.length)
  const byStem = new Map<string, Counted[]>()
  for (const element of elements)
    for (const [, stem = '', number] of namesOf(element).matchAll(COUNTED)) {
      const counted = byStem.get(stem)
      if (counted === undefined) byStem.set(stem, [{ element, number: Number(number) }])
      else counted.push({ element, number: Number(number) })
    }
  return byStem
}

function namesOf({ attribs }: Element): string {
  return (attribs['class'] ?? '').slice(0, MOST_CLASSES)
}

function areInTurn(counted: readonly Counted[]): boolean {
  const first = counted[0]?.number ?? 0
  return counted.every(({ number }, index) => number === first + index)
}
