import { isTag, type Element } from 'domhandler'
import type { PageBudget } from '../page/page-budget.ts'
import { textStart } from '../tree/text-content.ts'
import { LONGEST_VALUE, valuesIn } from './item-columns.ts'
import { classOf, isWithin, type Item } from './item-elements.ts'

/** A column that nothing names, by the place of its elements in their items. */
export interface PlacedColumn {
  /** The XPath from an item to its element. */
  readonly path: string
  readonly elements: readonly Element[]
}

/** Columns that nothing names. More are the parts of a text, and no values. */
const MOST_COLUMNS = 5
const LEAST_ITEMS = 4
/** Items that are compared. */
const MOST_ITEMS = 100
/** Elements around a value, and children of each of them. */
const DEEPEST = 8
const MOST_CHILDREN = 30
/** Share of the items that have a text there. */
const LEAST_FILLED = 0.5

/** One step from an element to a child. */
interface Step {
  /** The place among all children that are elements. */
  readonly index: number
  /** The kinds of all these children. */
  readonly kinds: string
}

/**
 * Returns the columns of short texts that nothing names. Only their place tells what they are, so
 * all items must be built alike around them: one that lacks an element has another value there, and
 * ends the column. A text that is the same in all items tells nothing, and is left out.
 *
 * @param items All items of the list, of which `sample` has the first.
 * @param parts The elements of each item of `sample` that other columns have.
 */
export function placedColumns(
  items: readonly Element[],
  sample: readonly Item[],
  parts: readonly (readonly Element[])[],
  labels: ReadonlySet<string>,
  budget: PageBudget,
): readonly PlacedColumn[] {
  const [first] = sample
  if (first === undefined || items.length < LEAST_ITEMS) return []
  const compared = items.slice(0, MOST_ITEMS)
  const columns: PlacedColumn[] = []
  for (const value of valuesIn(first, parts[0] ?? [], budget)) {
    const steps = stepsTo(value, first.element)
    const elements = steps === null ? null : elementsAt(steps, compared, budget)
    if (steps === null || elements === null) continue
    if (isKnown(elements, parts, budget) || !tellsSomething(elements, labels, budget)) continue
    columns.push({ path: pathOf(value, first.element), elements: elements.slice(0, sample.length) })
    if (columns.length === MOST_COLUMNS) break
  }
  return columns
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

function isAround(one: Element, other: Element): boolean {
  return isWithin(one.startIndex, other) || isWithin(other.startIndex, one)
}

/** The steps from an item to an element in it. `null`: it is too deep, or among too many. */
function stepsTo(element: Element, item: Element): readonly Step[] | null {
  const steps: Step[] = []
  for (let node = element; node !== item;) {
    const { parent } = node
    if (parent === null || !isTag(parent) || steps.length === DEEPEST) return null
    const children = parent.children.filter(isTag)
    if (children.length > MOST_CHILDREN) return null
    steps.unshift({ index: children.indexOf(node), kinds: kindsOf(children) })
    node = parent
  }
  return steps
}

/** The element of each item at the end of the steps. `null`: one of the items is built otherwise. */
function elementsAt(
  steps: readonly Step[],
  items: readonly Element[],
  budget: PageBudget,
): readonly Element[] | null {
  const elements: Element[] = []
  let look: string | null = null
  for (const item of items) {
    budget.work(1 + steps.length)
    let element = item
    for (const { index, kinds } of steps) {
      if (element.children.length > 2 * MOST_CHILDREN + 1) return null
      const children = element.children.filter(isTag)
      budget.work(children.length)
      const next = children[index]
      if (next === undefined || kindsOf(children) !== kinds) return null
      element = next
    }
    // A value of another kind looks otherwise.
    const [style = ''] = classOf(element).trim().split(/\s+/, 1)
    look ??= style
    if (style !== look) return null
    elements.push(element)
  }
  return elements
}

function kindsOf(children: readonly Element[]): string {
  return children.map(({ name }) => name).join(' ')
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
    new Set(filled).size > 1 &&
    !filled.some((text) => labels.has(text))
  )
}

/** The way to an element by its kind and its place among those of its kind. */
function pathOf(element: Element, item: Element): string {
  let path = ''
  for (let node = element; node !== item;) {
    const { parent, name } = node
    if (parent === null || !isTag(parent)) break
    const alike = parent.children.filter(isTag).filter((child) => child.name === name)
    path = `/${name}[${alike.indexOf(node) + 1}]${path}`
    node = parent
  }
  return `.${path}`
}
