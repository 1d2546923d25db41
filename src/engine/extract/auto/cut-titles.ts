import { isTag, type Element } from 'domhandler'
import type { Field } from '../../recipe/recipe-input.ts'
import type { PageBudget } from '../page/page-budget.ts'
import type { PageContent } from '../page/page-content.ts'
import { collapse, textStart } from '../tree/text-content.ts'
import { parseDate } from '../value/parse-date.ts'
import { within, type Item } from './item-elements.ts'
import { selectorsOf } from './item-selectors.ts'
import { isPath } from './stable-selector.ts'

const CUT = /(?<!\s)\s*(?:…|\.{3})$/
/** Minimum number of characters of a cut title. A shorter text may be cut from anything. */
const LEAST_KEPT = 5
const LONGEST = 1_000
/** A longer text is more than a day. */
const LONGEST_DAY = 40
/** Maximum number of elements in a title and around it in which the whole title is looked for. */
const MOST_WITHIN = 30
const MOST_AROUND = 3

/**
 * The field of titles. Pages shorten long titles to fit, and put the whole title into the link's
 * attribute `title`. In that case this attribute is the first source.
 */
export function titleField(
  page: PageContent,
  items: readonly Item[],
  titles: ReadonlyMap<Item, Element>,
  css: string,
): Field {
  const { budget } = page
  const holders = items.map((item) => {
    const title = titles.get(item)
    return title === undefined ? null : holderOf(title, item, budget)
  })
  const isCut = (item: Item): boolean => {
    const title = titles.get(item)
    return title !== undefined && CUT.test(textStart(title, LONGEST, budget))
  }
  const isWhole = items.every((item, index) => {
    const title = titles.get(item)
    const holder = holders[index]
    return title === undefined || holder == null || continues(title, holder, budget)
  })
  if (!isWhole || !items.some((item, index) => isCut(item) && holders[index] !== null)) return css
  const [whole] = selectorsOf(page, items, holders, 1)
  return whole === undefined || isPath(whole) ? css : [{ css: whole, attr: 'title' }, css]
}

/**
 * The links whose attribute `title` names the items, such as pictures in an archive whose only text
 * is the day. `null`: the items have texts of their own, or not all have such a link. A link that
 * shows the day is none, because the day would not be read.
 */
export function namingLinks(
  items: readonly Item[],
  titles: ReadonlyMap<Item, Element>,
  budget: PageBudget,
): ReadonlyMap<Item, Element> | null {
  const links = new Map<Item, Element>()
  const names = new Set<string>()
  for (const item of items) {
    const title = titles.get(item)
    const text = title === undefined ? '' : textStart(title, LONGEST, budget)
    if (!/\d/.test(text) || text.length > LONGEST_DAY || parseDate(text) === null) return null
    const link = item.below.find((element) => element.name === 'a' && hasTitle(element))
    const name = link?.attribs['title'] ?? ''
    if (link === undefined || textStart(link, 1, budget) !== '') return null
    if (!/\p{L}{2}/u.test(name) || parseDate(name) !== null) return null
    links.set(item, link)
    names.add(name)
  }
  return names.size * 2 > items.length ? links : null
}

/** The element with a `title`: that of the title, a link in it, or one around it. */
function holderOf(title: Element, { element: item }: Item, budget: PageBudget): Element | null {
  const below = within(title, budget, MOST_WITHIN).find(
    (element) => element.name === 'a' && hasTitle(element),
  )
  if (hasTitle(title) || below !== undefined) return hasTitle(title) ? title : (below ?? null)
  let node = title
  for (let level = 0; level < MOST_AROUND && node !== item; level++) {
    const { parent } = node
    if (parent === null || !isTag(parent)) return null
    if (parent.name === 'a' && hasTitle(parent)) return parent
    node = parent
  }
  return null
}

function hasTitle({ attribs }: Element): boolean {
  return (attribs['title'] ?? '') !== ''
}

/** True if an element's attribute `title` equals the text of a title, or begins with it. */
function continues(title: Element, holder: Element, budget: PageBudget): boolean {
  const whole = collapse((holder.attribs['title'] ?? '').slice(0, LONGEST))
  const text = textStart(title, LONGEST, budget)
  const beginning = text.replace(CUT, '')
  return beginning.length >= LEAST_KEPT && whole.startsWith(beginning)
}
