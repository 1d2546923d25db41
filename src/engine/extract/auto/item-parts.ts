import { isTag, type Element } from 'domhandler'
import type { PageBudget } from '../page/page-budget.ts'
import { textStart } from '../tree/text-content.ts'
import { parseDate } from '../value/parse-date.ts'
import { ownText, within } from './item-elements.ts'
import { HEADING, isPerson, sourceOf } from './item-roles.ts'

/** An item with the elements below it. */
export interface Item {
  readonly element: Element
  readonly below: readonly Element[]
}

/** Text beyond this length does not count when links are compared as titles. */
const LONGEST_TITLE = 1_000
/** A text beyond this length is no label. */
const LONGEST_LABEL = 120
/** Share of the items that have a label. */
const MOST_ALIKE = 0.7
/** Elements of an item whose texts are compared with those of the others. */
const MOST_LABELLED = 300
/** A text of a post, and the share of its item's text that it has. */
const LEAST_TEXT = 40
const MOST_TEXT = 4_000
const LEAST_SHARE = 0.3
/** Quotes, times and headings of an item that are compared with its elements. */
const MOST_MARKS = 30
/** Levels of an item above its text. */
const MOST_LEVELS = 20
const TITLE_NAME = /(?:^|[\s_-])(?:title|name|headline|subject)(?:$|[\s_-])/i
/** Headings that name something else of an item. */
const NO_TITLE =
  /sku\b|price|item[-_]?(?:no|number)|sub-?(?:title|head)|kicker|eyebrow|categor|\bdate|rating/i
/** Levels above an element at which its name may say that it names a person. */
const PERSON_LEVELS = 2
const PERSON_LINK = new RegExp(
  '[/?&](?:u|users?|members?|prof(?:iles?|iels?|ils?)|perfil|authors?|people|benutzer|' +
    String.raw`mitglied(?:er)?|membres?|usuarios?)(?:[/=]|$)|[?&]u=\d`,
  'i',
)
/** The level of what has the role of a heading. */
const LOWEST = 7
const TARGET = /^(?!#|javascript:|mailto:|tel:)./i

/**
 * Returns what most of the items have alike: texts such as `View details`, and addresses of
 * pictures such as a placeholder. They tell no item from another.
 */
export function labelsOf(items: readonly Item[], budget: PageBudget): ReadonlySet<string> {
  const counts = new Map<string, number>()
  for (const { below } of items) {
    const own = new Set<string>()
    for (const element of below.slice(0, MOST_LABELLED)) {
      const text =
        element.name === 'img'
          ? sourceOf(element)
          : element.children.length === 0
            ? ''
            : textStart(element, LONGEST_LABEL + 1, budget)
      if (text !== null && text !== '' && (text.length <= LONGEST_LABEL || element.name === 'img'))
        own.add(text)
    }
    for (const text of own) counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  const labels = new Set<string>()
  for (const [text, count] of counts)
    if (count >= 3 && count >= MOST_ALIKE * items.length) labels.add(text)
  return labels
}

/** True for an element that names who wrote the item. */
function namesPerson(element: Element, item: Element): boolean {
  let node: Element = element
  for (let level = 0; level <= PERSON_LEVELS && node !== item; level++) {
    if (isPerson(node)) return true
    const { parent } = node
    if (parent === null || !isTag(parent)) return false
    node = parent
  }
  const link = [element, ...element.children.filter(isTag)].find(({ name }) => name === 'a')
  return link !== undefined && PERSON_LINK.test(link.attribs['href'] ?? '')
}

/** Returns the heading, or what is named as a title. `null`: the item has neither. */
function namedTitle(
  { element: item, below }: Item,
  labels: ReadonlySet<string>,
  budget: PageBudget,
): Element | null {
  const quotes = below.filter(({ name }) => name === 'blockquote').slice(0, MOST_MARKS)
  const isTitle = (element: Element): boolean => {
    const text = textStart(element, LONGEST_LABEL + 1, budget)
    return (
      text.length > 1 &&
      !labels.has(text) &&
      !quotes.some((quote) => isWithin(element.startIndex, quote)) &&
      !NO_TITLE.test(element.attribs['class'] ?? '') &&
      !namesPerson(element, item)
    )
  }
  return (
    namedProduct(below, isTitle) ??
    headingOf(below, isTitle) ??
    linkIn(innermostNamed(below, isTitle, budget), budget)
  )
}

/** Returns the name of a product beside its brand. Either may be the heading. */
function namedProduct(
  below: readonly Element[],
  isTitle: (element: Element) => boolean,
): Element | null {
  const hasBrand = below.some(({ attribs }) => attribs['itemprop'] === 'brand')
  return hasBrand
    ? (below.find((element) => element.attribs['itemprop'] === 'name' && isTitle(element)) ?? null)
    : null
}

/** Returns the first heading of the highest level. */
function headingOf(
  below: readonly Element[],
  isTitle: (element: Element) => boolean,
): Element | null {
  let best: Element | null = null
  let level = Infinity
  for (const element of below) {
    const own = HEADING.test(element.name)
      ? Number(element.name.slice(1))
      : element.attribs['role'] === 'heading'
        ? LOWEST
        : Infinity
    if (own < level && isTitle(element)) [best, level] = [element, own]
  }
  return best
}

/** Returns the first element that is named as a title, or one in it that is. */
function innermostNamed(
  below: readonly Element[],
  isTitle: (element: Element) => boolean,
  budget: PageBudget,
): Element | null {
  let named: Element | null = null
  for (const element of below) {
    if (named !== null && !isWithin(element.startIndex, named)) {
      if ((element.startIndex ?? 0) > (named.endIndex ?? 0)) break
      continue
    }
    if (
      TITLE_NAME.test(element.attribs['class'] ?? '') &&
      isTitle(element) &&
      textStart(element, LONGEST_TITLE, budget).length < LONGEST_TITLE &&
      (named === null || sharesText(element, named, budget))
    )
      named = element
  }
  return named
}

/** A link in a title is the title if it is so long. A shorter one may count comments. */
const LEAST_LINK = 15

/** Returns the link in a title: beside it may be a date, a label, or a summary. */
function linkIn(title: Element | null, budget: PageBudget): Element | null {
  const link = title?.children.find((child) => isTag(child) && child.name === 'a')
  if (title === null || link === undefined || !isTag(link)) return title
  return textStart(link, LEAST_LINK, budget).length < LEAST_LINK ? title : link
}

function sharesText(inner: Element, outer: Element, budget: PageBudget): boolean {
  const length = textStart(inner, LONGEST_TITLE, budget).length
  return length > 1 && length * 2 >= textStart(outer, LONGEST_TITLE, budget).length
}

/** True if the items are posts: each names who wrote it, and most of its text is what was written. */
export function arePosts(
  items: readonly Item[],
  labels: ReadonlySet<string>,
  budget: PageBudget,
): boolean {
  const posts = items.filter((item) => {
    if (namedTitle(item, labels, budget) !== null || personOf(item, budget) === null) return false
    const written = writtenOf(item, budget)
    return written !== null && !hasTitleLink(item, written, labels, budget)
  })
  return posts.length * 2 > items.length
}

/** A link with a shorter text is a number, or tells what to do with a post. */
const LEAST_TITLE = 10

/** True if an item has a link before its text that is neither its author nor its time. */
function hasTitleLink(
  { element: item, below }: Item,
  written: Element,
  labels: ReadonlySet<string>,
  budget: PageBudget,
): boolean {
  return below.some((link) => {
    const isBefore = (link.startIndex ?? 0) < (written.startIndex ?? 0)
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

/** Returns the element that names who wrote an item. */
export function personOf({ element: item, below }: Item, budget: PageBudget): Element | null {
  return (
    below.find((element) => {
      if (element.name === 'img' || !namesPerson(element, item)) return false
      const { length } = textStart(element, LONGEST_LABEL + 1, budget)
      return (
        length > 1 &&
        length <= LONGEST_LABEL &&
        element.children.every((child) => !isTag(child) || child.children.length < 2)
      )
    }) ?? null
  )
}

/**
 * Returns the element with most of an item's text that has neither its author nor its time. `null`:
 * the item has too little text.
 */
export function writtenOf(item: Item, budget: PageBudget): Element | null {
  const whole = textStart(item.element, MOST_TEXT, budget).length
  if (whole < LEAST_TEXT) return null
  const marks = [
    personOf(item, budget),
    ...item.below.filter(({ name }) => name === 'time' || HEADING.test(name)),
  ]
    .filter((mark) => mark !== null)
    .slice(0, MOST_MARKS)
  const hasMark = (element: Element): boolean =>
    marks.some(({ startIndex }) => isWithin(startIndex, element))
  let element: Element = item.element
  for (let level = 0; hasMark(element); level++) {
    if (level === MOST_LEVELS) return null
    let next: Element | null = null
    let most = LEAST_SHARE * whole
    for (const child of element.children) {
      if (!isTag(child) || marks.includes(child)) continue
      const { length } = textStart(child, MOST_TEXT, budget)
      if (length >= Math.max(most, LEAST_TEXT)) [next, most] = [child, length]
    }
    if (next === null) return null
    element = next
  }
  return element === item.element ? null : element
}

/** Returns the heading, else what is named as a title, else the link with the most text. */
export function titleOf(
  item: Item,
  labels: ReadonlySet<string>,
  budget: PageBudget,
): Element | null {
  const title = namedTitle(item, labels, budget)
  if (title !== null) return title
  const { element, below } = item
  let longest: Element | null = null
  let length = 2
  for (const link of below) {
    const text = link.name === 'a' ? textStart(link, LONGEST_TITLE, budget) : ''
    if (labels.has(text) || namesPerson(link, element)) continue
    if (text.length > (longest === null ? length : length * 1.5))
      [longest, length] = [link, text.length]
  }
  return longest ?? (element.name === 'a' || below.length === 0 ? element : null)
}

/** Returns the first element with a text of its own, as the title of what has no other. */
export function firstTextOf({ below }: Item, labels: ReadonlySet<string>): Element | null {
  return (
    below.find((element) => {
      const text = ownText(element)
      return text.length > 2 && !labels.has(text)
    }) ?? null
  )
}

/** Items that are looked at. */
const MOST_TEASERS = 12
const MOST_OF_TEASERS = 0.7

/**
 * True if the items are teasers: each has a heading, or a title that is named so, with a link to
 * what it is about. Sections of an article have headings without one.
 */
export function areTeasers(items: readonly Element[], budget: PageBudget): boolean {
  const sample = items.slice(0, MOST_TEASERS).map((element) => itemOf(element, budget))
  const labels = labelsOf(sample, budget)
  const targets = new Set<string>()
  for (const item of sample) {
    const title = namedTitle(item, labels, budget)
    if (title === null) continue
    const link = linkOf(
      { ...item, below: item.below.filter((one) => one.name === 'a') },
      title,
      false,
    )
    const isOfTitle =
      link !== null &&
      (link === title || isWithin(link.startIndex, title) || isWithin(title.startIndex, link))
    if (isOfTitle) targets.add(link.attribs['href'] ?? '')
  }
  return targets.size >= MOST_OF_TEASERS * sample.length
}

/** Returns the title's link, else the one that most links of the item lead to. */
export function linkOf(item: Item, title: Element | null, isPost: boolean): Element | null {
  const { element, below } = item
  if (element.name === 'a' && Object.hasOwn(element.attribs, 'href')) return element
  const links = below.filter(
    ({ name, attribs }) => name === 'a' && TARGET.test(attribs['href'] ?? ''),
  )
  const isLink = new Set(links)
  for (
    let node = title;
    node !== null && node !== element;
    node = node.parent !== null && isTag(node.parent) ? node.parent : null
  )
    if (isLink.has(node)) return node
  const inTitle =
    title === null ? undefined : links.find(({ startIndex }) => isWithin(startIndex, title))
  if (inTitle !== undefined) return inTitle
  if (isPost)
    return (
      links.find((link) => link.children.some((child) => isTag(child) && child.name === 'time')) ??
      links.find(
        (link) => /#|permalink/i.test(link.attribs['href'] ?? '') && !namesPerson(link, element),
      ) ??
      null
    )
  const counts = new Map<string, number>()
  for (const { attribs } of links) {
    const href = attribs['href'] ?? ''
    counts.set(href, (counts.get(href) ?? 0) + 1)
  }
  let [best, most] = [links[0] ?? null, 1]
  for (const link of links) {
    const count = counts.get(link.attribs['href'] ?? '') ?? 0
    if (count > most) [best, most] = [link, count]
  }
  return best
}

/** True for the index of an element below another. */
export function isWithin(index: number | null, { startIndex, endIndex }: Element): boolean {
  return (index ?? -1) > (startIndex ?? Infinity) && (index ?? Infinity) <= (endIndex ?? -1)
}

/** The item with the elements below it. */
export function itemOf(element: Element, budget: PageBudget): Item {
  return { element, below: within(element, budget) }
}
