import { isTag } from 'domhandler'
import type { Element } from 'domhandler'
import { isBeside } from '../format/beside.ts'
import { mainContent } from '../format/main-content.ts'
import type { PageBudget } from '../page/page-budget.ts'
import type { PageContent } from '../page/page-content.ts'
import { textStart, textOf } from '../tree/text-content.ts'
import { stableClasses, selectorForAll } from './stable-selector.ts'
import type { Field } from '../../recipe/recipe-input.ts'
import { itemFields } from './item-fields.ts'

/** Elements of one kind with the same parent. */
interface RepeatedItems {
  readonly items: readonly Element[]
  /** A higher score means that the page is more likely about these items. */
  readonly score: number
}

const MIN_ITEMS = 3
/** Steps to check an element's names against some patterns. */
const NAME_STEPS = 16
/** Maximum characters inspected per item, because lists may be nested. */
const MOST_TEXT = 400
const MOST_ELEMENTS = 2_000
const ITEM_TAGS = new Set([
  'li',
  'article',
  'div',
  'section',
  'tr',
  'a',
  'dl',
  'figure',
  'td',
  'product',
  'p',
  'span',
])

/** Returns groups of similar siblings that look like a list of records, best first. */
function repeatedItems(page: PageContent): RepeatedItems[] {
  const groups: RepeatedItems[] = []
  // Parents come before their children, so no climbing is needed.
  const around = new Set<Element>()
  page.budget.work(NAME_STEPS * page.tree.elements.length)
  for (const parent of page.tree.elements) {
    const above = parent.parent
    if ((above !== null && isTag(above) && around.has(above)) || isBeside(parent))
      around.add(parent)
    if (
      parent.children.length < MIN_ITEMS ||
      parent.name === 'head' ||
      parent.name === 'select' ||
      parent.name === 'svg' ||
      around.has(parent)
    )
      continue
    const byKind = new Map<string, Element[]>()
    for (const child of parent.children) {
      if (!isTag(child) || !ITEM_TAGS.has(child.name) || isBeside(child)) continue
      const kind = `${child.name}.${stableClasses(child)[0] ?? ''}`
      const alike = byKind.get(kind)
      if (alike === undefined) byKind.set(kind, [child])
      else alike.push(child)
    }
    for (const items of byKind.values()) {
      const score = items.length < MIN_ITEMS ? 0 : scoreOf(items, page.budget)
      if (score > 0) groups.push({ items, score })
    }
  }
  return groups.toSorted((a, b) => b.score - a.score)
}

// A record has a link, words, and often a picture or a heading, and its siblings have the same. A
// menu has only links.
function scoreOf(items: readonly Element[], budget: PageBudget): number {
  const sample =
    items.length > 40 ? items.filter((_, at) => at % Math.ceil(items.length / 40) === 0) : items
  let total = 0
  let linked = 0
  let rich = 0
  const shapes = new Map<string, number>()
  for (const item of sample) {
    total += textStart(item, MOST_TEXT, budget).length
    const shape = new Set<string>()
    let hasLink = item.name === 'a'
    let parts = 0
    budget.work(1 + 4 * Math.min(MOST_ELEMENTS, (item.endIndex ?? 0) - (item.startIndex ?? 0)))
    walkElements(item, (element) => {
      shape.add(element.name)
      if (element.name === 'a') hasLink = true
      if (
        element.name === 'img' ||
        /^h[1-6]$/.test(element.name) ||
        element.name === 'time' ||
        /price/i.test(element.attribs['class'] ?? '')
      )
        parts++
    })
    if (hasLink) linked++
    if (parts > 0) rich++
    const key = [...shape].toSorted().join()
    shapes.set(key, (shapes.get(key) ?? 0) + 1)
  }
  const count = sample.length
  const average = total / count
  if (average < 12 || (linked / count < 0.5 && rich / count < 0.5)) return 0
  const alike = Math.max(...shapes.values()) / count
  return (
    Math.sqrt(items.length) *
    Math.min(average, 250) *
    (0.4 + 0.6 * alike) *
    (1 + 2 * (rich / count)) *
    (0.5 + linked / count)
  )
}

function walkElements(root: Element, visit: (element: Element) => void): void {
  const open: Element[] = [root]
  let left = MOST_ELEMENTS
  for (let element = open.pop(); element !== undefined; element = open.pop()) {
    for (const child of element.children) {
      if (left-- <= 0) return
      if (!isTag(child)) continue
      visit(child)
      open.push(child)
    }
  }
}

/** A list of records: its items and the fields of each. */
interface BestList {
  readonly items: string
  readonly fields: Record<string, Field>
  readonly count: number
  /** The items' share of the main content's text. */
  readonly share: number
}

/** Returns the list that the page is most likely about, or `null` if nothing on it repeats. */
export function bestList(page: PageContent): BestList | null {
  for (const { items } of repeatedItems(page).slice(0, 5)) {
    const css = selectorForAll(page, items, 0.34)
    if (css === null) continue
    const fields = itemFields(page, items)
    if (Object.keys(fields).length < 2) continue
    const main = mainContent(page)
    const length = items.reduce((sum, item) => sum + textOf(item, page.budget).length, 0)
    return {
      items: css,
      fields,
      count: items.length,
      share: main === null ? 0 : length / Math.max(1, textOf(main, page.budget).length),
    }
  }
  return null
}
