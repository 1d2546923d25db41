import { isTag } from 'domhandler'
import type { Element } from 'domhandler'
import type { PageBudget } from '../page/page-budget.ts'
import type { PageContent } from '../page/page-content.ts'
import { madeAs, mayBeItem, propertyOf } from './item-elements.ts'
import { kindOf } from './item-groups.ts'
import { PLAIN_TAG, select, stableClasses } from './stable-selector.ts'

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
