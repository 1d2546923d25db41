import { isTag } from 'domhandler'
import type { Element } from 'domhandler'
import type { Row } from '../../kernel/json.ts'
import type { PageBudget } from '../extract/page/page-budget.ts'
import { isWithin } from './value-elements.ts'
import type { ValueElements } from './value-elements.ts'

/**
 * Finds the elements that contain one row each, by the elements of the rows' values. There are two
 * answers: the largest such elements, and the smallest that contain all values of their row. They
 * differ if a list wraps its items.
 */
export function itemsAround(
  rows: readonly Row[],
  columns: readonly string[],
  valueElements: ValueElements,
  budget: PageBudget,
): readonly (readonly Element[])[] {
  const anchors = anchorsOf(rows, columns, valueElements)
  if (anchors.length === 0) return []
  const counts = new Map<Element, number>()
  for (const [, anchor] of anchors)
    for (const above of aroundOf(anchor, budget)) counts.set(above, (counts.get(above) ?? 0) + 1)
  const largest: Element[] = []
  const smallest: Element[] = []
  for (const [row, anchor] of anchors) {
    const alone = aroundOf(anchor, budget).filter((above) => counts.get(above) === 1)
    const outer = alone.at(-1)
    if (outer === undefined) continue
    const inside = columns
      .map((column) =>
        valueElements.of(column, row[column]).filter((element) => isIn(element, outer)),
      )
      .filter((elements) => elements.length > 0)
    const inner = alone.find((above) =>
      inside.every((elements) => elements.some((element) => isIn(element, above))),
    )
    largest.push(outer)
    smallest.push(inner ?? outer)
  }
  // Without a second row, the end of the first one is not known.
  if (anchors.length === 1) return [smallest]
  return sameElements(largest, smallest) ? [smallest] : [smallest, largest]
}

/** The column that distinguishes the rows best, and the element of its value in each row. */
function anchorsOf(
  rows: readonly Row[],
  columns: readonly string[],
  valueElements: ValueElements,
): readonly (readonly [Row, Element])[] {
  let best: (readonly [Row, Element])[] = []
  for (const column of columns) {
    const used = new Set<Element>()
    const anchors = rows.flatMap((row): (readonly [Row, Element])[] => {
      const [element, ...others] = valueElements.of(column, row[column])
      if (element === undefined || others.length > 0 || used.has(element)) return []
      used.add(element)
      return [[row, element]]
    })
    if (anchors.length > best.length) best = anchors
  }
  return best
}

/** The element and those around it, from the inside, without the page itself. */
function aroundOf(element: Element, budget: PageBudget): Element[] {
  const around: Element[] = []
  for (
    let above: Element['parent'] = element;
    above !== null && isTag(above);
    above = above.parent
  ) {
    budget.work(1)
    if (above.name === 'body' || above.name === 'html') break
    around.push(above)
  }
  return around
}

function isIn(element: Element, outer: Element): boolean {
  return element === outer || isWithin(element, outer)
}

function sameElements(a: readonly Element[], b: readonly Element[]): boolean {
  return a.length === b.length && a.every((element, index) => element === b[index])
}
