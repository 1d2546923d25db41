import type { Element } from 'domhandler'
import type { PageContent } from '../page/page-content.ts'
import type { Item } from './item-elements.ts'
import { select, selectorWithin } from './stable-selector.ts'

/** Selectors of one column that are compared. */
const MOST_TRIED = 4
/** Share of the items that a column needs. */
const LEAST_FILLED = 0.3

/**
 * Returns the selector that finds the wanted elements in the most items, and a second one where it
 * misses some that another finds: `leastGain` or more. Nothing if both find too few.
 */
export function selectorsOf(
  page: PageContent,
  items: readonly Item[],
  wanted: readonly (Element | null)[],
  leastGain: number,
): readonly string[] {
  const sought = items.flatMap(({ element: item }, index) => {
    const element = wanted[index] ?? null
    return element === null ? [] : [{ item, element }]
  })
  const votes = new Map<string, number>()
  for (const { item, element } of sought) {
    const css = element === item ? ':scope' : selectorWithin(page, element, item)
    if (css !== null) votes.set(css, (votes.get(css) ?? 0) + 1)
  }
  const ranked = [...votes].toSorted((a, b) => b[1] - a[1]).slice(0, MOST_TRIED)
  const least = Math.max(2, items.length * LEAST_FILLED)
  const [first] = ranked
  if (first === undefined || sought.length < least) return []
  if (first[1] === sought.length) return [first[0]]
  const hitsOf = (match: (index: number) => Element | null | undefined): number =>
    sought.filter(({ element }, index) => match(index) === element).length
  const scored = ranked.map(([css]) => {
    const matches = sought.map(({ item }) =>
      css === ':scope' ? item : (select(page, css, item)[0] ?? null),
    )
    return { css, matches, hits: hitsOf((index) => matches[index]) }
  })
  const best = scored.reduce((most, one) => (one.hits > most.hits ? one : most))
  if (best.hits < least) return []
  // The second one is asked where the first finds nothing, so their order matters. One that only
  // fills gaps may be worth it for a single item: the first post often differs from the answers.
  let [pair, most]: [readonly string[], number] = [[best.css], best.hits]
  for (const other of scored) {
    if (other === best) continue
    for (const [one, two, gain] of [
      [best, other, leastGain],
      [other, best, 2],
    ] as const) {
      const hits = hitsOf((index) => one.matches[index] ?? two.matches[index])
      if (hits > most && hits >= best.hits + gain) [pair, most] = [[one.css, two.css], hits]
    }
  }
  return pair
}
