import { isTag, isText, type ChildNode, type Element } from 'domhandler'
import type { Field } from '../../recipe/recipe-input.ts'
import type { PageBudget } from '../page/page-budget.ts'
import type { PageContent } from '../page/page-content.ts'
import { hrefIn } from '../page/link-address.ts'
import { hookOf, stableClasses } from './stable-selector.ts'
import { nextBelow } from '../xpath/xpath-nodes.ts'
import { collapse, textStart } from '../tree/text-content.ts'

/** An item with the elements below it. */
export interface Item {
  readonly element: Element
  /** The elements below it, then the later siblings that belong to it, with the elements below them. */
  readonly below: readonly Element[]
  /**
   * Items of its kind inside it, such as replies to a comment. They and their content are not among
   * the elements below.
   */
  readonly nested: readonly Element[]
  /** The elements beside it that belong to it, such as the row below a row. */
  readonly followers: readonly Element[]
}

/** A role that an element of an item can have. The first role that fits gives an element its name. */
export interface Role {
  readonly name: string
  fits(element: Element, page: PageContent): boolean
  /** `null`: the values are not used as a column. */
  field(css: string, page: PageContent, sample: readonly Element[]): Field | null
}

/** Returns the elements below an item in document order, at most `most`. */
export function within(item: Element, budget: PageBudget, most = Infinity): Element[] {
  const elements: Element[] = []
  let nodes = 0
  let node: ChildNode | null = item.firstChild
  while (node !== null && elements.length < most) {
    nodes++
    if (isTag(node)) elements.push(node)
    node = (isTag(node) ? node.firstChild : null) ?? nextBelow(node, item)
  }
  budget.work(1 + nodes)
  return elements
}

/**
 * Maximum number of characters of an element's classes, or of another attribute, that are read. A
 * long attribute may be read for each element below, which would take too long.
 */
export const MOST_NAMES = 500

/** An element's classes as they are written, up to some length. */
export function classOf({ attribs }: Element): string {
  const classes = attribs['class'] ?? ''
  return classes.length > MOST_NAMES ? classes.slice(0, MOST_NAMES) : classes
}

/**
 * An element's classes, and the name that tests of the site have for it. That name may contain the
 * number of an item, so it does not identify a kind of element.
 */
export function namesOf(element: Element): string {
  const { value: hook } = hookOf(element) ?? {}
  const classes = classOf(element)
  return hook === undefined ? classes : `${classes} ${hook}`.slice(0, MOST_NAMES)
}

/** Characters of an item property that are read. */
const MOST_PROPERTY = 100

/** An element's item property (`itemprop`), cut at a length that no real name has. */
export function propertyOf({ attribs }: Element): string {
  const property = attribs['itemprop'] ?? ''
  return property.length > MOST_PROPERTY ? property.slice(0, MOST_PROPERTY) : property
}

/** The text of an element without that of elements below it. */
export function ownText(element: Element): string {
  return collapse(element.children.map((child) => (isText(child) ? child.data : '')).join(''))
}

/** True for the index of an element below another. */
export function isWithin(index: number | null, { startIndex, endIndex }: Element): boolean {
  return (index ?? -1) > (startIndex ?? Infinity) && (index ?? Infinity) <= (endIndex ?? -1)
}

/** Number of elements around an element among which its link is. */
const MOST_AROUND = 6

/** The address of the link that an element is, or is in. */
export function hrefAround(element: Element): string | null {
  let node: Element = element
  for (let level = 0; level < MOST_AROUND; level++) {
    if (node.name === 'a') return hrefIn(node)
    const { parent } = node
    if (parent === null || !isTag(parent)) return null
    node = parent
  }
  return null
}

/** The item with the elements below it. */
export function itemOf(
  element: Element,
  budget: PageBudget,
  followers: readonly Element[] = [],
): Item {
  const beside = followers.flatMap((follower) => [follower, ...within(follower, budget)])
  return { element, below: [...within(element, budget), ...beside], nested: [], followers }
}

/** Tags of elements that are items. Any other element without a class may be a part of the layout. */
export const OWN_TAGS: ReadonlySet<string> = new Set(['li', 'article', 'details'])

/**
 * True if an element without classes may be an item: its tag is one of items, or it begins with the
 * same parts as the items, which are not layout.
 */
export function mayBeItem(model: Element, element: Element): boolean {
  if (OWN_TAGS.has(model.name)) return true
  const [own, others] = [model, element].map(firstKinds)
  return own !== undefined && others !== undefined && own !== '' && own === others
}

/** The kinds of the first two parts. Empty: they may be layout. */
function firstKinds({ children }: Element): string {
  const [first, second] = children.slice(0, MOST_BEFORE).filter(isTag)
  if (first === undefined || second === undefined || LAYOUT.has(first.name)) return ''
  return [first, second].map((part) => `${part.name}.${classOf(part)}`).join(' ')
}

/** Maximum number of nodes among which the first two elements are looked for. */
const MOST_BEFORE = 6
const LAYOUT = new Set(['div', 'section', 'table', 'ul', 'ol', 'main', 'center', 'form'])

/** The item without the items of its kind inside it. Layout inside layout is not an item. */
export function withoutReplies(item: Item, budget: PageBudget): Item {
  const { own, nested } = withoutNested(item.element, item.below, budget)
  return nested.length === 0 ? item : { ...item, below: own, nested }
}

/**
 * Returns a test for elements that are built like a given one: most of their children are of the
 * same kinds.
 */
export function madeAs(model: Element, budget: PageBudget): (element: Element) => boolean {
  let kinds: ReadonlySet<string> | undefined
  return (element) => {
    kinds ??= kindsBelow(model, budget)
    const own = kindsBelow(element, budget)
    const common = [...own].filter((kind) => kinds?.has(kind)).length
    return common > 0 && common * 2 >= Math.max(own.size, kinds.size)
  }
}

function kindsBelow({ children }: Element, budget: PageBudget): ReadonlySet<string> {
  budget.work(1 + children.length)
  return new Set(children.filter(isTag).map((child) => `${child.name}.${classOf(child)}`))
}

/** Number of characters at the start of an item that are compared. */
const MOST_START = 60

function withoutNested(
  item: Element,
  elements: readonly Element[],
  budget: PageBudget,
): { readonly own: readonly Element[]; readonly nested: readonly Element[] } {
  const [kind] = stableClasses(item)
  const nested: Element[] = []
  const isMadeAlike = madeAs(item, budget)
  let end = -1
  const own = elements.filter((element) => {
    if ((element.startIndex ?? 0) <= end) return false
    if (element.name !== item.name) return true
    if (kind !== undefined && !(element.attribs['class'] ?? '').includes(kind)) return true
    if (kind === undefined && !mayBeItem(item, element)) return true
    if (stableClasses(element)[0] !== kind || !isMadeAlike(element)) return true
    // A reply comes after the post. An element at its start is around it.
    if (textStart(element, MOST_START, budget) === textStart(item, MOST_START, budget)) return true
    nested.push(element)
    end = element.endIndex ?? end
    return false
  })
  return { own, nested }
}
