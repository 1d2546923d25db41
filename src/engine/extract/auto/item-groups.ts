import { isTag, type Element } from 'domhandler'
import { inSlices, type Parts } from '../page/in-turns.ts'
import type { PageBudget } from '../page/page-budget.ts'
import type { PageContent } from '../page/page-content.ts'
import { classOf, isWithin, madeAs, mayBeItem, propertyOf } from './item-elements.ts'
import { PLAIN_TAG, select, stableClasses } from './stable-selector.ts'

export const MIN_ITEMS = 3
/** Minimum number of items of each parent, on average, if a group has several parents. */
export const LEAST_PARTS = 2

/** Similar elements of one parent. */
export interface Siblings {
  readonly kind: string
  readonly parent: Element
  readonly items: readonly Element[]
}

/** Characters of a tag's name that are compared. The name is in the key of each element below it. */
export const MOST_TAG = 100

/** The kind of an element: its tag, and its property or a class. */
export function kindOf(element: Element): string {
  const property = propertyOf(element)
  const [first = '', ...others] = stableClasses(element)
  // Numbers are left out: `post-7` contains the number of an item, and `row1` and `row2` are the
  // colours of rows.
  const name = /\d$/.test(first) ? (others.find((other) => !/\d$/.test(other)) ?? first) : first
  const kind = element.name === 'tr' || element.name === 'li' ? name.replace(/\d$/, '') : name
  const tag = element.name.slice(0, MOST_TAG)
  return property === '' ? `${tag}.${kind}` : `${tag}[${property}]`
}

/** Maximum number of levels above the parents of items at which one element contains all of them. */
const MOST_ABOVE = 3

/** Returns groups of items. Their parents, or the parents of these, are alike and in one element. */
export function* acrossParents(
  siblings: readonly Siblings[],
  budget: PageBudget,
): Parts<Element[][]> {
  const times = new Map<string, number>()
  for (const { kind } of siblings) times.set(kind, (times.get(kind) ?? 0) + 1)
  const groups = new Map<string, (readonly Element[])[]>()
  const add = (key: string, items: readonly Element[]): void => {
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [items])
    else group.push(items)
  }
  const kinds = new KindNumbers()
  for (const slice of inSlices(siblings)) {
    budget.work(30 * slice.length)
    for (const { kind, parent, items } of slice) {
      const grand = parent.parent
      if (grand === null || !isTag(grand) || items[0]?.name === 'td') continue
      // A table may have several bodies, each for a part of its rows.
      if (items[0]?.name === 'tr' && grand.name !== 'table') continue
      // A page may have as many kinds as elements, and most of them once.
      if (times.get(kind) === 1) continue
      let key = `${kinds.of(kind)} ${kinds.ofElement(parent)}`
      let above = grand
      for (let level = 0; level < MOST_ABOVE; level++) {
        add(`${key} ${above.startIndex} ${level}`, items)
        if (above.parent === null || !isTag(above.parent) || items[0]?.name === 'tr') break
        key += ` ${kinds.ofElement(above)}`
        above = above.parent
      }
    }
    yield
  }
  return [...groups.values()]
    .filter(
      (parts) =>
        parts.length > 1 && parts.flat().length >= LEAST_PARTS * parts.length && !areColumns(parts),
    )
    .map((parts) => parts.flat())
}

/** Numbers kinds, as a property may be long and in the key of each element below its own. */
class KindNumbers {
  readonly #numbers = new Map<string, number>()
  readonly #ofElements = new Map<Element, number>()

  of(kind: string): number {
    const number = this.#numbers.get(kind) ?? this.#numbers.size
    this.#numbers.set(kind, number)
    return number
  }

  ofElement(element: Element): number {
    const number = this.#ofElements.get(element) ?? this.of(kindOf(element))
    this.#ofElements.set(element, number)
    return number
  }
}

/** Maximum number of parts of one record, such as the author and the text of a post. */
const MOST_COLUMNS = 4

/**
 * True if each parent has the same few parts, and the first part has the same classes in all of
 * them. Then the parent is the item.
 */
function areColumns(parts: readonly (readonly Element[])[]): boolean {
  const [first = []] = parts
  const { length } = first
  if (parts.length < MIN_ITEMS || length > MOST_COLUMNS) return false
  const names = first.map(classOf)
  return (
    new Set(names).size === length &&
    parts.every(
      (items) =>
        items.length === length &&
        items.every((item, position) => classOf(item) === names[position]),
    )
  )
}

/** Maximum number of parents of one kind of articles that are compared with each other. */
const MOST_PARENTS = 300

/**
 * Returns the articles of one kind that are side by side, together with deeper articles: answers to
 * the posts of a thread, each in an element of its own.
 */
export function acrossLevels(siblings: readonly Siblings[], budget: PageBudget): Element[][] {
  const articles = siblings.filter(
    ({ items: [first] }) => first?.name === 'article' && stableClasses(first).length > 0,
  )
  return [...Map.groupBy(articles, ({ kind }) => kind).values()].flatMap((alike) => {
    if (alike.length < 2 || alike.length > MOST_PARENTS) return []
    let end = -1
    return alike.flatMap(({ parent, items }) => {
      // Parents are in document order. Articles inside a thread are part of it.
      if (items.length < MIN_ITEMS || (parent.startIndex ?? 0) <= end) return []
      budget.work(alike.length * items.length)
      const deeper = alike.filter(
        (other) =>
          isWithin(other.parent.startIndex, parent) &&
          !items.some((item) => item === other.parent || isWithin(other.parent.startIndex, item)),
      )
      if (deeper.length === 0) return []
      end = parent.endIndex ?? end
      const all = [...items, ...deeper.flatMap((other) => other.items)]
      return [all.toSorted((a, b) => (a.startIndex ?? 0) - (b.startIndex ?? 0))]
    })
  })
}

/** The types and properties of schema.org for the answers to a post. */
const ANSWER = /^(?:comment|(?:suggested|accepted)Answer)$/

/**
 * The posts, together with the post before them that they answer. It has their class, but not their
 * item property.
 */
export function withFirst(items: readonly Element[], budget: PageBudget): readonly Element[] {
  const [head] = items
  const [kind] = head === undefined ? [] : stableClasses(head)
  if (head === undefined || kind === undefined || !ANSWER.test(propertyOf(head))) return items
  budget.work(items.length)
  let before = head.prev
  while (before !== null && !isTag(before)) before = before.prev
  return before !== null && before.name === head.name && stableClasses(before)[0] === kind
    ? [before, ...items]
    : items
}

/** The items with those of their kind inside them, such as replies to comments. */
export function withNested(
  { tree, budget }: PageContent,
  items: readonly Element[],
): readonly Element[] {
  const [first] = items
  if (first === undefined) return items
  const isPlain = stableClasses(first).length === 0
  const kind = kindOf(first)
  return items.flatMap((item) => {
    const below = tree.elements.slice((item.startIndex ?? 0) + 1, (item.endIndex ?? -1) + 1)
    budget.work(1 + 4 * below.length)
    const isMadeAlike = madeAs(item, budget)
    return [
      item,
      ...below.filter(
        (element) =>
          kindOf(element) === kind &&
          (!isPlain || mayBeItem(item, element)) &&
          isMadeAlike(element),
      ),
    ]
  })
}

/** A selector of elements by the kinds of their first two parts. `null`: it finds others, too. */
export function selectorByStart(page: PageContent, items: readonly Element[]): string | null {
  const [first, second] = items[0]?.children.filter(isTag) ?? []
  const tags = [items[0], first, second].map((element) => element?.name ?? '')
  if (!tags.every((tag) => PLAIN_TAG.test(tag))) return null
  const css = `${tags[0]}:has(> ${tags[1]}:first-child + ${tags[2]})`
  const matches = select(page, css, null)
  return matches.length === items.length && items.every((item, index) => item === matches[index])
    ? css
    : null
}
