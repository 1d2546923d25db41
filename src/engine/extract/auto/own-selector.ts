import { isTag, type Element } from 'domhandler'
import type { PageContent } from '../page/page-content.ts'
import { isWithin, itemOf, withoutReplies, type Item } from './item-elements.ts'
import { isPath, PLAIN_TAG, select, stableClasses, waysToName } from './stable-selector.ts'

/** Number of items inside items with which a selector is tried. */
const MOST_NESTED = 12
/** Maximum number of steps from an item to an element that contains values, but no other item. */
const MOST_STEPS = 4

/**
 * Returns a selector that finds the same elements, but none in items inside an item. Otherwise a
 * comment without an author would get the author of its first reply.
 */
export function ownSelector(page: PageContent, css: string, items: readonly Item[]): string {
  const inside = items.flatMap(({ nested }) => nested)
  const [kind] = inside
  if (kind === undefined || isPath(css) || css.startsWith('>') || css === ':scope') return css
  const all = [
    ...items,
    ...inside
      .slice(0, MOST_NESTED)
      .map((element) => withoutReplies(itemOf(element, page.budget), page.budget)),
  ]
  const own = all.map(
    ({ element, nested }) =>
      select(page, css, element).find((match) => {
        page.budget.work(nested.length)
        return !isInside(match, nested)
      }) ?? null,
  )
  const finds = (selector: string): boolean =>
    all.every(({ element }, index) => (select(page, selector, element)[0] ?? null) === own[index])
  const index = items.findIndex(
    ({ nested }, position) => nested.length > 0 && own[position] !== null,
  )
  const [item, match] = [items[index], own[index]]
  const paths = item && match ? pathsTo(css, match, item) : []
  const [name] = stableClasses(kind)
  const tag = PLAIN_TAG.test(kind.name) ? kind.name : ''
  const inner = name === undefined ? tag : `${tag}.${name}`
  return [...paths, ...(inner === '' ? [] : [`${css}:not(:scope ${inner} *)`])].find(finds) ?? css
}

function isInside(element: Element, others: readonly Element[]): boolean {
  return others.some((other) => other === element || isWithin(element.startIndex, other))
}

/** The paths from an item to a match, down to an element without other items. */
function pathsTo(css: string, match: Element, { element: item, nested }: Item): readonly string[] {
  const steps: Element[] = []
  for (let node = match; node !== item;) {
    steps.unshift(node)
    const { parent } = node
    if (parent === null || !isTag(parent)) return []
    node = parent
  }
  const apart = steps.findIndex((step) => !nested.some((inner) => isWithin(inner.startIndex, step)))
  const [last, outer] = [steps[apart], steps.slice(0, apart)]
  if (last === undefined || outer.length >= MOST_STEPS) return []
  const above = outer.map((step) => `> ${waysToName(step)[0] ?? '*'} `).join('')
  return last === match
    ? [css, ...waysToName(match)]
        .filter((way) => !/[ >]/.test(way))
        .map((way) => `${above}> ${way}`)
    : waysToName(last).map((way) => `${above}> ${way} ${css}`)
}
