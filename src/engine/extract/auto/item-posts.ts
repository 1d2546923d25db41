import { isTag, type Element } from 'domhandler'
import type { PageBudget } from '../page/page-budget.ts'
import { textStart } from '../tree/text-content.ts'
import { parseDate } from '../value/parse-date.ts'
import type { Item } from './item-elements.ts'
import { LONGEST_LABEL, namedTitle } from './item-parts.ts'
import { namesPerson, personOf } from './item-person.ts'
import { writtenInPost } from './item-text.ts'

/** True if the items are posts: each names who wrote it, and most of its text is what was written. */
export function arePosts(
  items: readonly Item[],
  labels: ReadonlySet<string>,
  budget: PageBudget,
): boolean {
  const posts = items.filter((item) => {
    if (namedTitle(item, labels, budget) !== null) return false
    const person = personOf(item, budget)
    if (person === null) return false
    const body = writtenInPost(item, person, budget)
    return body !== null && !hasTitleLink(item, body, labels, budget)
  })
  return posts.length * 2 > items.length
}

/** A link with a shorter text is a number, or tells what to do with a post. */
const LEAST_TITLE = 10

/** True if an item has a link before its text that is neither its author nor its time. */
function hasTitleLink(
  { element: item, below }: Item,
  body: Element,
  labels: ReadonlySet<string>,
  budget: PageBudget,
): boolean {
  return below.some((link) => {
    const isBefore = (link.startIndex ?? 0) < (body.startIndex ?? 0)
    if (link.name !== 'a' || !isBefore || namesPerson(link, item)) return false
    if (link.children.some((child) => isTag(child) && child.name === 'time')) return false
    // A list within an item is of what can be done with it.
    if (
      link.parent !== null &&
      isTag(link.parent) &&
      link.parent.name === 'li' &&
      link.parent !== item
    )
      return false
    const text = textStart(link, LONGEST_LABEL + 1, budget)
    return text.length >= LEAST_TITLE && !labels.has(text) && parseDate(text) === null
  })
}
