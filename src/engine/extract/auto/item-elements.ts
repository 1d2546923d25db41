import { isTag, isText, type Element } from 'domhandler'
import type { Field } from '../../recipe/recipe-input.ts'
import type { PageBudget } from '../page/page-budget.ts'
import type { PageContent } from '../page/page-content.ts'
import { stableClasses } from './stable-selector.ts'
import { collapse } from '../tree/text-content.ts'

/** An item with the elements below it. */
export interface Item {
  readonly element: Element
  /** The elements below it. Then those after it that belong to it, and the elements below them. */
  readonly below: readonly Element[]
  /**
   * Items of its kind inside it, such as replies to a comment. They and what is in them are not
   * below.
   */
  readonly nested: readonly Element[]
  /** The elements beside it that belong to it, such as the row below a row. */
  readonly followers: readonly Element[]
}

/** A role that an element of an item can have. The first role that fits an element names it. */
export interface Role {
  readonly name: string
  fits(element: Element, page: PageContent): boolean
  field(css: string, page: PageContent, sample: readonly Element[]): Field
}

/** Returns the elements below an item in document order, at most `most`. */
export function within(item: Element, budget: PageBudget, most = Infinity): Element[] {
  const elements: Element[] = []
  const open: Element[] = item.children.filter(isTag).toReversed()
  for (
    let element = open.pop();
    element !== undefined && elements.length < most;
    element = open.pop()
  ) {
    elements.push(element)
    for (let index = element.children.length - 1; index >= 0; index--) {
      const child = element.children[index]
      if (child !== undefined && isTag(child)) open.push(child)
    }
  }
  budget.work(1 + 2 * elements.length)
  return elements
}

/** The text of an element without that of elements below it. */
export function ownText(element: Element): string {
  return collapse(element.children.map((child) => (isText(child) ? child.data : '')).join(''))
}

/** True for the index of an element below another. */
export function isWithin(index: number | null, { startIndex, endIndex }: Element): boolean {
  return (index ?? -1) > (startIndex ?? Infinity) && (index ?? Infinity) <= (endIndex ?? -1)
}

/** The item with the elements below it. */
export function itemOf(
  element: Element,
  budget: PageBudget,
  followers: readonly Element[] = [],
): Item {
  const beside = followers.flatMap((one) => [one, ...within(one, budget)])
  const { own, nested } = withoutNested(element, within(element, budget))
  return { element, below: [...own, ...beside], nested, followers }
}

function withoutNested(
  item: Element,
  elements: readonly Element[],
): { readonly own: readonly Element[]; readonly nested: readonly Element[] } {
  const [kind] = stableClasses(item)
  const nested: Element[] = []
  if (kind === undefined) return { own: elements, nested }
  let end = -1
  const own = elements.filter((element) => {
    if ((element.startIndex ?? 0) <= end) return false
    if (element.name !== item.name || !(element.attribs['class'] ?? '').includes(kind)) return true
    if (stableClasses(element)[0] !== kind) return true
    nested.push(element)
    end = element.endIndex ?? end
    return false
  })
  return { own, nested }
}
