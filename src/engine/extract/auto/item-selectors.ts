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
 * misses some that another finds: `leastFilled` or more. Nothing if both find too few.
 */
export function selectorsOf(
  page: PageContent,
  items: readonly Item[],
  wanted: readonly (Element | null)[],
  leastFilled: number,
): readonly string[] {
  const votes = new Map<string, number>()
  for (const [index, element] of wanted.entries()) {
    const item = items[index]?.element
    if (element === null || item === undefined) continue
    const css = element === item ? ':scope' : selectorWithin(page, element, item)
    if (css !== null) votes.set(css, (votes.get(css) ?? 0) + 1)
  }
  const ranked = [...votes].toSorted((a, b) => b[1] - a[1]).slice(0, MOST_TRIED)
  const total = wanted.filter((element) => element !== null).length
  const least = Math.max(2, items.length * LEAST_FILLED)
  const [first] = ranked
  if (first === undefined || total < least) return []
  if (first[1] === total) return [first[0]]
  const finds = ranked.map(([css]) => ({
    css,
    matches: items.map(({ element }) =>
      css === ':scope' ? element : (select(page, css, element)[0] ?? null),
    ),
  }))
  const hitsOf = (match: (index: number) => Element | null | undefined): number =>
    wanted.filter((element, index) => element !== null && match(index) === element).length
  const scored = finds.map((find) => ({ ...find, hits: hitsOf((index) => find.matches[index]) }))
  const best = scored.reduce((most, one) => (one.hits > most.hits ? one : most))
  if (best.hits < least) return []
  // The second one is asked where the first finds nothing, so their order matters. One that only
  // fills gaps may be worth it for a single item: the first post often differs from the answers.
  let [pair, most]: [readonly string[], number] = [[best.css], best.hits + leastFilled - 1]
  for (const other of scored) {
    if (other === best) continue
    const filled = hitsOf((index) => best.matches[index] ?? other.matches[index])
    if (filled > most) [pair, most] = [[best.css, other.css], filled]
    const before = hitsOf((index) => other.matches[index] ?? best.matches[index])
    if (before > Math.max(most, best.hits + 1)) [pair, most] = [[other.css, best.css], before]
  }
  return pair
}
