import { isTag } from 'domhandler'
import type { Element } from 'domhandler'
import { inSlices, QuickPass, type Parts } from '../page/in-turns.ts'
import type { PageBudget } from '../page/page-budget.ts'
import { textOf } from '../tree/text-content.ts'
import { areTeasers } from './item-parts.ts'
import type { BestList } from './repeated-items.ts'

/**
 * A page consists of teasers if it has at least this number of them, and at most this much other
 * prose.
 */
export const LEAST_TEASERS = 5
const MOST_BESIDE = 0.2

/** True if the sentences of a page are teasers of other pages. */
export function* isMadeOf(
  main: Element,
  prose: number,
  list: BestList,
  budget: PageBudget,
): Parts<boolean> {
  if (list.count < LEAST_TEASERS) return false
  const beside = yield* proseLength(main, budget, new Set(list.elements))
  return beside <= MOST_BESIDE * prose && (list.areBlurbs || areTeasers(list.elements, budget))
}

/**
 * A page consists of posts if it has at least this number of them. The text that they answer may be
 * as long as all of them.
 */
const LEAST_POSTS = 3
const MOST_BESIDE_POSTS = 0.5

/** True if the sentences of a page are posts of several people. */
export function* isOfPostsIn(
  main: Element,
  prose: number,
  list: BestList,
  budget: PageBudget,
): Parts<boolean> {
  return (
    list.count >= LEAST_POSTS &&
    Object.hasOwn(list.fields, 'author') &&
    Object.hasOwn(list.fields, 'text') &&
    (yield* proseLength(main, budget, new Set(list.elements))) <= MOST_BESIDE_POSTS * prose
  )
}

/** Maximum mean number of characters of an index entry. */
const MOST_ENTRY = 12

/**
 * True for short entries, like those of an index, beside more text in sentences. Such a page is an
 * article.
 */
export function* isIndexBeside(
  prose: number,
  { elements, fields }: BestList,
  budget: PageBudget,
): Parts<boolean> {
  let length = 0
  for (const slice of inSlices(elements)) {
    for (const element of slice) length += textOf(element, budget).length
    yield
  }
  return length < Math.min(MOST_ENTRY * elements.length, prose) && !Object.hasOwn(fields, 'price')
}

/** Counts the characters in paragraphs that are sentences, without those in some elements. */
export function* proseLength(
  main: Element,
  budget: PageBudget,
  but: ReadonlySet<Element> = new Set(),
): Parts<number> {
  const pass = new QuickPass(budget)
  let length = 0
  const open = [main]
  for (let element = open.pop(); element !== undefined; element = open.pop()) {
    for (const child of element.children) {
      if (pass.ends()) yield
      if (!isTag(child) || but.has(child)) continue
      if (child.name === 'p' || child.name === 'blockquote') {
        const text = textOf(child, budget)
        if (text.length > 80) length += text.length
      } else open.push(child)
    }
  }
  return length
}
