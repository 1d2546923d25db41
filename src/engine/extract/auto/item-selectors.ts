import { isTag, type Element } from 'domhandler'
import type { PageContent } from '../page/page-content.ts'
import { isWithin, type Item } from './item-elements.ts'
import type { NamedColumn } from './item-columns.ts'
import { ownSelector } from './own-selector.ts'
import {
  isPath,
  PLAIN_TAG,
  select,
  selectorsWithin,
  stableClasses,
  tagInPath,
} from './stable-selector.ts'

/** Maximum number of selectors of one column that are compared. */
const MOST_TRIED = 4
/** Minimum share of the items that have a column. */
const LEAST_FILLED = 0.3

/**
 * Returns the selector that finds the wanted elements in most items. If a second one finds at least
 * `leastGain` of the items that the first misses, returns it too. Empty if both find too few.
 */
export function selectorsOf(
  page: PageContent,
  items: readonly Item[],
  targets: readonly (Element | null)[],
  leastGain: number,
): readonly string[] {
  return bestSelectors(page, items, targets, leastGain).map((css) => ownSelector(page, css, items))
}

function bestSelectors(
  page: PageContent,
  items: readonly Item[],
  targets: readonly (Element | null)[],
  leastGain: number,
): readonly string[] {
  const sought = items.flatMap(({ element: item, followers }, index) => {
    const element = targets[index] ?? null
    return element === null ? [] : [{ item, element, followers }]
  })
  const votes = new Map<string, number>()
  for (const { item, element, followers } of sought) {
    const css = selectorIn(page, element, items, item, followers)
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
  const best = scored.reduce((most, next) => (next.hits > most.hits ? next : most))
  if (best.hits < least) return []
  // The second selector is used only if the first finds nothing, so their order matters. A selector
  // that only fills gaps may be worth it for a single item, because the first post often differs
  // from the answers.
  let [pair, most]: [readonly string[], number] = [[best.css], best.hits]
  for (const other of scored) {
    if (other === best) continue
    for (const [preferred, fallback, gain] of [
      [best, other, leastGain],
      [other, best, 2],
    ] as const) {
      const hits = hitsOf((index) => preferred.matches[index] ?? fallback.matches[index])
      if (hits > most && hits >= best.hits + gain)
        [pair, most] = [[preferred.css, fallback.css], hits]
    }
  }
  return pair
}

/**
 * Returns the selector of a column that has only a name. If the column has no value, it must find
 * nothing, because a value of another column would be worse. `null`: there is no such selector.
 */
export function selectorOfColumn(
  page: PageContent,
  items: readonly Item[],
  { elements, path }: NamedColumn,
): string | null {
  const isRow = items[0]?.element.name === 'tr'
  const votes = new Map<string, number>()
  for (const [index, { element: item, followers }] of items.entries()) {
    const element = elements[index] ?? null
    const css =
      element === null
        ? null
        : isRow || !isWithin(element.startIndex, item)
          ? selectorIn(page, element, items, item, followers)
          : selectorByClass(page, element, items, item)
    if (css !== null) votes.set(css, (votes.get(css) ?? 0) + 1)
  }
  const byClass = [...votes]
    .toSorted((a, b) => b[1] - a[1])
    .slice(0, MOST_TRIED)
    .map(([css]) => css)
    .filter((css) => isRow || !isByPosition(css))
  return (
    [...(path === null ? [] : [path]), ...byClass].find((css) =>
      items.every(
        ({ element: item }, index) =>
          (select(page, css, item)[0] ?? null) === (elements[index] ?? null),
      ),
    ) ?? null
  )
}

/** Maximum number of selectors of an element among which one with a class is looked for. */
const MOST_WAYS = 12

function selectorByClass(
  page: PageContent,
  element: Element,
  items: readonly Item[],
  item: Element,
): string | null {
  let ways = 0
  for (const css of selectorsWithin(page, element, item)) {
    if (css === null) continue
    if (!isByPosition(css) && isShared(page, css, items)) return css
    if (++ways === MOST_WAYS) break
  }
  return null
}

/** True for a selector that has only kinds and positions. In other items it may find other values. */
function isByPosition(selector: string): boolean {
  return isPath(selector)
    ? !selector.includes('@class')
    : selector.includes(':nth-child') || !/[.#[]/.test(selector)
}

/** Number of items in which a name is looked for. */
const MOST_NAMED = 12

/** False for a test name that belongs to a single item: `card-7`. */
function isShared(page: PageContent, css: string, items: readonly Item[]): boolean {
  if (!css.includes('[data-')) return true
  const named = items.slice(0, MOST_NAMED)
  return named.filter(({ element }) => select(page, css, element).length > 0).length > 1
}

/** The selector of an element of an item: an XPath if it is beside the item. */
function selectorIn(
  page: PageContent,
  element: Element,
  items: readonly Item[],
  item: Element,
  followers: readonly Element[],
): string | null {
  if (element === item) return ':scope'
  const follower = followers.find(
    (candidate) => candidate === element || isWithin(element.startIndex, candidate),
  )
  if (follower === undefined) {
    for (const css of selectorsWithin(page, element, item))
      if (css !== null && isShared(page, css, items)) return css
    return null
  }
  // The path uses the position among all siblings, so that it finds nothing if a record ends
  // earlier.
  const step = `./following-sibling::*[${positionAfter(item, follower)}][self::${tagInPath(follower.name)}]`
  const positional = element === follower ? null : positionPath(element, follower)
  const paths =
    element === follower
      ? ['']
      : [...stepsTo(element), ...(positional === null ? [] : [positional])]
  return (
    paths.map((path) => step + path).find((path) => select(page, path, item)[0] === element) ?? null
  )
}

/** The number of elements from an item to one of its following elements. */
function positionAfter(item: Element, follower: Element): number {
  let position = 0
  for (let node = item.next; node !== null; node = node.next) {
    if (isTag(node)) position++
    if (node === follower) break
  }
  return position
}

/** Ways to name an element in an XPath, by its classes and its kind. */
function stepsTo(element: Element): readonly string[] {
  const name = tagInPath(element.name)
  return [
    ...stableClasses(element).map(
      (className) =>
        `//${name}[contains(concat(' ', normalize-space(@class), ' '), ' ${className} ')]`,
    ),
    `//${name}`,
  ]
}

/** The path to an element by the positions of the elements around it. */
function positionPath(element: Element, outer: Element): string | null {
  let path = ''
  for (let node = element; node !== outer;) {
    const { parent, name } = node
    if (parent === null || !isTag(parent) || !PLAIN_TAG.test(name)) return null
    const alike = parent.children.filter(isTag).filter((child) => child.name === name)
    path = `/${name}[${alike.indexOf(node) + 1}]${path}`
    node = parent
  }
  return path
}
