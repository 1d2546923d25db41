import { isTag, type Element } from 'domhandler'
import type { PageBudget } from '../page/page-budget.ts'
import { textStart } from '../tree/text-content.ts'
import { LONGEST_VALUE, valuesIn } from './item-columns.ts'
import { classOf, isWithin, type Item } from './item-elements.ts'
import { PLAIN_TAG } from './stable-selector.ts'

/** A column without a name. Its elements are at the same position in all items. */
export interface UnnamedColumn {
  /** The XPath from an item to its element. */
  readonly path: string
  readonly elements: readonly Element[]
}

/** Maximum number of columns without a name. More are of no use to a reader. */
const MOST_COLUMNS = 10
const LEAST_ITEMS = 4
/**
 * Maximum number of items that are compared. More would use the part of the page's budget that rows
 * need.
 */
export const MOST_COMPARED = 5_000
/** Number of items whose values are tried, because the first may lack a text. */
const MOST_TRIED = 3
/** Maximum number of elements around a value, and of children of each of them. */
const DEEPEST = 8
const MOST_CHILDREN = 30
/** Minimum number of different texts of links, because `Add to cart` and `Notify me` are not values. */
const LEAST_LINKS = 3
/** Minimum share of the items that have a text at the position. */
const LEAST_FILLED = 0.5

/** One step from an element to a child. */
interface Step {
  /** The position among all children that are elements. */
  readonly index: number
  /** The kinds of all these children. */
  readonly kinds: string
}

/**
 * Returns the columns of short texts that nothing names. Only their position identifies them, so
 * all items must have the same structure around them. If an item lacks an element, another value is
 * at its position, so the column is dropped. A column with the same text in all items is left out.
 *
 * @param items All items of the list. `sample` has the first of them.
 * @param parts The elements of each item of `sample` that other columns have.
 */
export function unnamedColumns(
  items: readonly Element[],
  sample: readonly Item[],
  parts: readonly (readonly Element[])[],
  labels: ReadonlySet<string>,
  budget: PageBudget,
): readonly UnnamedColumn[] {
  const columns = new Map<string, UnnamedColumn>()
  if (items.length < LEAST_ITEMS || items.length > MOST_COMPARED) return []
  const own = sample.map(({ element }) => element)
  for (const [index, item] of sample.slice(0, MOST_TRIED).entries())
    for (const value of valuesIn(item, parts[index] ?? [], budget)) {
      if (columns.size === MOST_COLUMNS) break
      const path = pathTo(value, item.element, budget)
      if (path === null || columns.has(path.xpath)) continue
      // Most positions give no column, and the first items already show this.
      const first = elementsAt(path.steps, own, budget)
      if (first === null || isKnown(first, parts, budget)) continue
      if (!tellsSomething(first, labels, budget)) continue
      const elements = elementsAt(path.steps, items, budget)
      if (elements !== null && tellsSomething(elements, labels, budget))
        columns.set(path.xpath, { path: path.xpath, elements })
    }
  return [...columns.values()]
}

/** True if other columns have these elements in some items, or most of their texts. */
function isKnown(
  elements: readonly Element[],
  parts: readonly (readonly Element[])[],
  budget: PageBudget,
): boolean {
  let alike = 0
  for (const [index, own] of parts.entries()) {
    const element = elements[index]
    if (element === undefined) return true
    const text = textStart(element, LONGEST_VALUE, budget)
    for (const part of own) {
      if (part === element || isAround(part, element)) return true
      if (textStart(part, LONGEST_VALUE, budget) !== text) continue
      alike++
      break
    }
  }
  return alike * 2 > parts.length
}

function isAround(left: Element, right: Element): boolean {
  return isWithin(left.startIndex, right) || isWithin(right.startIndex, left)
}

/**
 * The path from an item to an element in it. `null`: the element is too deep, or has too many
 * siblings.
 */
function pathTo(
  element: Element,
  item: Element,
  budget: PageBudget,
): { readonly steps: readonly Step[]; readonly xpath: string } | null {
  const steps: Step[] = []
  let xpath = ''
  for (let node = element; node !== item;) {
    const { parent, name } = node
    if (parent === null || !isTag(parent) || steps.length === DEEPEST) return null
    const children = childrenOf(parent, budget)
    if (children === null || !PLAIN_TAG.test(name)) return null
    const alike = children.filter((child) => child.name === name)
    steps.unshift({ index: children.indexOf(node), kinds: kindsOf(children) })
    xpath = `/${name}[${alike.indexOf(node) + 1}]${xpath}`
    node = parent
  }
  return { steps, xpath: `.${xpath}` }
}

/** The elements of an element. `null`: there are too many. */
function childrenOf({ children }: Element, budget: PageBudget): readonly Element[] | null {
  budget.work(Math.min(children.length, 2 * MOST_CHILDREN))
  if (children.length > 2 * MOST_CHILDREN + 1) return null
  const elements = children.filter(isTag)
  return elements.length > MOST_CHILDREN ? null : elements
}

/** The element of each item at the end of the steps. `null`: one of the items has another structure. */
function elementsAt(
  steps: readonly Step[],
  items: readonly Element[],
  budget: PageBudget,
): readonly Element[] | null {
  const elements: Element[] = []
  let shape: string | null = null
  for (const item of items) {
    budget.work(1 + steps.length)
    let element = item
    for (const { index, kinds } of steps) {
      const children = childrenOf(element, budget)
      const next = children?.[index]
      if (children === null || next === undefined || kindsOf(children) !== kinds) return null
      element = next
    }
    // A value of another kind has another form.
    const [style = ''] = classOf(element).trim().split(/\s+/, 1)
    shape ??= style
    if (style !== shape) return null
    elements.push(element)
  }
  return elements
}

function kindsOf(children: readonly Element[]): string {
  return children.map(({ name }) => name).join(' ')
}

function isLink({ name, parent }: Element): boolean {
  return name === 'a' || (parent !== null && isTag(parent) && parent.name === 'a')
}

/** True if the elements have short texts that differ. */
function tellsSomething(
  elements: readonly Element[],
  labels: ReadonlySet<string>,
  budget: PageBudget,
): boolean {
  const texts = elements.map((element) => textStart(element, LONGEST_VALUE + 1, budget))
  const filled = texts.filter((text) => /[\p{L}\d]/u.test(text))
  return (
    texts.every((text) => text.length <= LONGEST_VALUE) &&
    filled.length >= texts.length * LEAST_FILLED &&
    new Set(filled).size >= (elements.some(isLink) ? LEAST_LINKS : 2) &&
    !filled.some((text) => labels.has(text))
  )
}
