import { isTag, type Element } from 'domhandler'
import type { PageBudget } from '../page/page-budget.ts'
import { textStart } from '../tree/text-content.ts'
import { parseDate } from '../value/parse-date.ts'
import { isWithin, namesOf, propertyOf, type Item } from './item-elements.ts'
import { LONGEST_LABEL, namedTitle } from './item-parts.ts'
import { namesPerson, personOf } from './item-person.ts'
import { writtenInPost } from './item-text.ts'

/** True if the items are posts: each names its author, and most of its text is the post itself. */
export function arePosts(
  items: readonly Item[],
  labels: ReadonlySet<string>,
  budget: PageBudget,
): boolean {
  // The subject of a thread is the same in most of its posts.
  const subjects = items.map((item) => namedTitle(item, NONE, budget))
  const isThread = areAnswers(subjects, budget)
  const posts = items.filter((item, index) => {
    const subject = isThread ? (subjects[index] ?? null) : null
    const title = isThread ? null : namedTitle(item, labels, budget)
    const person = personOf(item, budget)
    if (person === null) return false
    const body = writtenInPost(item, person, budget)
    if (body !== null && REPLY_NAME.test(namesOf(body)) && !isHeading(title)) return true
    // A heading or a quote in the text of a post is not its title.
    if (title !== null && !(body !== null && saysPost(body) && isWithin(title.startIndex, body)))
      return false
    return body !== null && !hasTitleLink(item, subject, body, labels, budget)
  })
  return posts.length * 2 > items.length
}

/** A reply has no heading of its own. */
function isHeading(title: Element | null): boolean {
  return title !== null && /^h[1-6]$/.test(title.name)
}

/** Names of the text of a reply. Above it may be a link to what it replies to. */
const REPLY_NAME =
  /(?:^|[\s_-])(?:answer|reply|comment)[_-]?(?:body|content|text|message)(?:$|[\s_-])/i

function saysPost(body: Element): boolean {
  return /^(?:text|reviewBody)$/.test(propertyOf(body))
}

/** The mark before the subject of an answer, in several languages. */
const ANSWER = /^(?:re|aw|antw?|sv|vs|odp|ynt|rif|res|回复|回覆|答复)\s?(?:\[\d+\])?\s?[:：]\s?/iu
/** Share of the posts with the subject of the thread. */
const MOST_OF_THREAD = 0.7

/** True if the titles are one subject and answers to it: `Re: Tea`. It names the thread, not a post. */
function areAnswers(titles: readonly (Element | null)[], budget: PageBudget): boolean {
  const counts = new Map<string, number>()
  let answers = 0
  for (const title of titles) {
    if (title === null) continue
    const text = textStart(title, LONGEST_LABEL, budget)
    const subject = text.replace(ANSWER, '')
    if (subject !== text) answers++
    counts.set(subject, (counts.get(subject) ?? 0) + 1)
  }
  const titled = titles.filter((title) => title !== null).length
  return answers > 0 && Math.max(...counts.values()) >= MOST_OF_THREAD * titled
}

const NONE: ReadonlySet<string> = new Set()

/** A link with a shorter text is a number, or an action on a post. */
const LEAST_TITLE = 10

/** True if an item has a link before its text that is not its author, its time or its subject. */
function hasTitleLink(
  { element: item, below }: Item,
  subject: Element | null,
  body: Element,
  labels: ReadonlySet<string>,
  budget: PageBudget,
): boolean {
  return below.some((link) => {
    const isBefore = (link.startIndex ?? 0) < (body.startIndex ?? 0)
    if (link.name !== 'a' || !isBefore || namesPerson(link, item)) return false
    if (link === subject || (subject !== null && isWithin(link.startIndex, subject))) return false
    if (link.children.some((child) => isTag(child) && child.name === 'time')) return false
    // A list within an item contains actions on it.
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
