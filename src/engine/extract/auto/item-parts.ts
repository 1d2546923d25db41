import { isTag, type Element } from 'domhandler'
import type { PageBudget } from '../page/page-budget.ts'
import { hrefIn } from '../page/link-address.ts'
import { textStart } from '../tree/text-content.ts'
import { parseDate } from '../value/parse-date.ts'
import {
  hrefAround,
  namesOf,
  isWithin,
  itemOf,
  ownText,
  within,
  type Item,
} from './item-elements.ts'
import { namesPerson } from './item-person.ts'
import { hasWordBesideMoney, HEADING, MONEY, sourceOf } from './item-roles.ts'

/** Number of characters of a link that count when links are compared as titles. */
const LONGEST_TITLE = 1_000
/** Longer texts are not labels. */
export const LONGEST_LABEL = 120
/** Maximum number of quotes of an item that are excluded when the title is looked for. */
const MOST_QUOTES = 30
/** Minimum share of the items that have a text for it to be a label. */
const MOST_ALIKE = 0.7
/** Maximum number of elements of an item whose texts are compared with those of other items. */
const MOST_LABELLED = 300
/** `field-name-body` is the field `body`, but `field-name` is the name of the item. */
const TITLE_NAME =
  /(?:^|[\s_-])(?:title|ttl|(?<!field--?)name|name(?!-\w)|headline|subject|fn)(?:$|[\s_-])/i
/** Headings that name another part of an item. */
const NO_TITLE =
  /sku\b|price|item[-_]?(?:no|number)|sub-?(?:title|head)|kicker|eyebrow|categor|\bdate|rating/i
/** An article number as the heading of a product, whose name is below it. */
const CODE = /^(?=\P{Nd}{0,9}\p{Nd})[\p{Lu}\p{Nd}][\p{Lu}\p{Nd}./-]{2,19}$/u
/** Names of an element with the name of a product. `brand-name` and `seller-name` name another part. */
const GOODS_NAME =
  /(?:^|[\s_-])(?:title|ttl|headline|(?:product|prod|item|card|goods|article)(?:[_-]card)?[_-]?name)(?:$|[\s_-])/i
/** Several words, or a script that writes none apart. */
const WORDS = /\s|\p{Lo}/u
/** `12.` before a title is the item's rank. */
const RANK = /^\W*\d{1,3}\W*$/
/** The level of an element with the role of a heading. */
const LOWEST = 7
const TARGET = /^(?!#|javascript:|mailto:|tel:)./i

/**
 * Returns texts such as `View details`, and addresses of pictures such as a placeholder, that most
 * of the items share. They do not distinguish items.
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

/** Minimum number of items with the same picture for it to be an icon, if they have other ones. */
const LEAST_SHARED = 3

/** The addresses of pictures that several items share: icons such as that of a best seller. */
export function sharedPictures(items: readonly Item[]): ReadonlySet<string> {
  const counts = new Map<string, number>()
  for (const { below } of items)
    for (const source of new Set(
      below.map((image) => (image.name === 'img' ? sourceOf(image) : null)),
    ))
      if (source !== null) counts.set(source, (counts.get(source) ?? 0) + 1)
  return new Set([...counts].flatMap(([source, count]) => (count >= LEAST_SHARED ? [source] : [])))
}

/** True for a picture that several items share. */
export function isIcon(element: Element, icons: ReadonlySet<string>): boolean {
  return element.name === 'img' && icons.has(sourceOf(element) ?? '')
}

/**
 * Returns the first own picture of an item, if it is in a link, and the icon before it is in no
 * other link. Otherwise a picture that items share may be theirs, such as that of a series.
 */
export function pictureBehind(
  icon: Element,
  { below }: Item,
  icons: ReadonlySet<string>,
  fits: (element: Element) => boolean,
): Element | null {
  const own = below.find(
    (element) => element.name === 'img' && !isIcon(element, icons) && fits(element),
  )
  if (own === undefined) return null
  const href = hrefAround(own)
  const hrefOfIcon = hrefAround(icon)
  return href !== null && (hrefOfIcon === null || hrefOfIcon === href) ? own : null
}

/** Returns the heading, or the element that is named as a title. `null`: the item has neither. */
export function namedTitle(
  { element: item, below }: Item,
  labels: ReadonlySet<string>,
  budget: PageBudget,
): Element | null {
  const quotes = below.filter(({ name }) => name === 'blockquote').slice(0, MOST_QUOTES)
  const isTitle = (element: Element): boolean => {
    const text = textStart(element, LONGEST_LABEL + 1, budget)
    return (
      text.length > 1 &&
      !RANK.test(text) &&
      !labels.has(text) &&
      !quotes.some((quote) => isWithin(element.startIndex, quote)) &&
      !NO_TITLE.test(namesOf(element)) &&
      !namesPerson(element, item)
    )
  }
  const first = headingOf(below, isTitle)
  const heading = first === null ? null : (nameBelowCode(first, below, isTitle, budget) ?? first)
  return (
    namedProduct(below, isTitle) ??
    (heading === null ? null : titlePart(heading, labels, budget)) ??
    linkOfHeading(heading, budget) ??
    linkIn(innermostNamed(below, isTitle, budget), budget)
  )
}

/**
 * Returns the name of a product whose heading is its article number. Both lead to its page, and the
 * name has several words. Otherwise the heading is a model such as `X100V`, or a year.
 */
function nameBelowCode(
  heading: Element,
  below: readonly Element[],
  isTitle: (element: Element) => boolean,
  budget: PageBudget,
): Element | null {
  if (!CODE.test(textStart(heading, LONGEST_LABEL, budget))) return null
  const href = linkAt(heading, budget)
  const isName = (element: Element): boolean =>
    GOODS_NAME.test(namesOf(element)) &&
    WORDS.test(textStart(element, LONGEST_LABEL, budget)) &&
    linkAt(element, budget) === href &&
    isTitle(element)
  return href === null ? null : innermostNamed(below, isName, budget)
}

/** The address of the link that a text is in, or that is in it. */
function linkAt(element: Element, budget: PageBudget): string | null {
  const around = hrefAround(element)
  if (around !== null) return around
  const inner = within(element, budget, MOST_PARTS).find(({ name }) => name === 'a')
  return inner === undefined ? null : hrefIn(inner)
}

/** Number of elements of a title that are read. */
const MOST_PARTS = 40
const BLOCK = /^(?:p|div|li|dt|dd|h[1-6]|figcaption)$/

/**
 * Returns the part of a link or a heading that is its title, if it also has a date, a version or a
 * summary in elements of their own. `null`: the whole is the title.
 */
function titlePart(
  title: Element,
  labels: ReadonlySet<string>,
  budget: PageBudget,
): Element | null {
  if (/\p{L}/u.test(ownText(title))) return null
  const texts = within(title, budget, MOST_PARTS).filter((part) => {
    const text = ownText(part)
    return text.length > 1 && /[\p{L}\d]/u.test(text)
  })
  if (texts.length < 2) return null
  const own = texts.filter((part) => {
    const text = ownText(part)
    return /\p{L}/u.test(text) && !labels.has(text) && parseDate(text) === null
  })
  return (
    own.find((part) => TITLE_NAME.test(namesOf(part))) ??
    own.find(({ name }) => BLOCK.test(name)) ??
    null
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

/** Returns the first element that is named as a title, or an element inside it that is. */
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
      TITLE_NAME.test(namesOf(element)) &&
      isTitle(element) &&
      textStart(element, LONGEST_TITLE, budget).length < LONGEST_TITLE &&
      (named === null || sharesText(element, named, budget))
    )
      named = element
  }
  return named
}

/**
 * Minimum length of a link in a title that counts as the title. A shorter link may be a number of
 * comments.
 */
const LEAST_LINK = 15
/** Number of elements of a heading in which its link is looked for. */
const MOST_IN_HEADING = 30

/** Returns the link in a title, which may have a date, a label or a summary beside it. */
function linkIn(title: Element | null, budget: PageBudget): Element | null {
  if (title === null) return null
  const link = within(title, budget, MOST_IN_HEADING).find(({ name }) => name === 'a')
  if (link === undefined) return title
  const text = textStart(link, LONGEST_TITLE, budget)
  const whole = textStart(title, LONGEST_TITLE, budget)
  const isFirst = link.parent === title || whole.startsWith(text)
  return text.length >= LEAST_LINK && (isFirst || text.length * 2 >= whole.length) ? link : title
}

/**
 * Returns the link that is most of a heading, if the heading contains more, such as a source or a
 * number.
 */
function linkOfHeading(heading: Element | null, budget: PageBudget): Element | null {
  if (heading === null) return null
  const whole = textStart(heading, LONGEST_TITLE, budget)
  const link = within(heading, budget, MOST_IN_HEADING).find(
    ({ name, attribs }) => name === 'a' && TARGET.test(attribs['href'] ?? ''),
  )
  if (link === undefined) return heading
  const { length } = textStart(link, LONGEST_TITLE, budget)
  if (length > 0 && length < whole.length && isValueBeside(whole, length)) return link
  return length >= LEAST_LINK && length < whole.length && length * 2 >= whole.length
    ? link
    : heading
}

/** True if only a date or a price stands before or after so many characters of a heading. */
function isValueBeside(text: string, length: number): boolean {
  return [text.slice(length), text.slice(0, -length)].some(
    (rest) =>
      rest.length < LONGEST_LABEL &&
      ((/\d{2}/.test(rest) && parseDate(rest) !== null) ||
        (MONEY.test(rest) && !hasWordBesideMoney(rest))),
  )
}

function sharesText(inner: Element, outer: Element, budget: PageBudget): boolean {
  const length = textStart(inner, LONGEST_TITLE, budget).length
  return length > 1 && length * 2 >= textStart(outer, LONGEST_TITLE, budget).length
}

/** Returns the heading, else the element that is named as a title, else the link with the most text. */
export function titleOf(
  item: Item,
  labels: ReadonlySet<string>,
  budget: PageBudget,
): Element | null {
  const title = namedTitle(item, labels, budget)
  if (title !== null) return title
  const { element, below, followers } = item
  // A term is the title of its description.
  if (followers.length > 0 && ownText(element).length > 1) return element
  let longest: Element | null = null
  let length = 2
  for (const link of below) {
    const isPage = link.name === 'a' && TARGET.test(link.attribs['href'] ?? '/')
    const text = isPage ? textStart(link, LONGEST_TITLE, budget) : ''
    if (labels.has(text) || namesPerson(link, element)) continue
    if (text.length > (longest === null ? length : length * 1.5))
      [longest, length] = [link, text.length]
  }
  const whole = longest ?? (element.name === 'a' || below.length === 0 ? element : null)
  return whole === null ? null : (titlePart(whole, labels, budget) ?? whole)
}

/** Returns the first element with a text of its own, as the title of an item without another one. */
export function firstTextOf({ below }: Item, labels: ReadonlySet<string>): Element | null {
  return (
    below.find((element) => {
      const text = ownText(element)
      return text.length > 2 && !labels.has(text)
    }) ?? null
  )
}

/** Number of items that are checked. */
const MOST_TEASERS = 12
const MOST_OF_TEASERS = 0.7

/**
 * True if the items are teasers: each has a heading or a named title, with a link to its page.
 * Sections of an article have headings without one.
 */
export function areTeasers(items: readonly Element[], budget: PageBudget): boolean {
  const sample = items.slice(0, MOST_TEASERS).map((element) => itemOf(element, budget))
  const labels = labelsOf(sample, budget)
  const targets = new Set<string>()
  for (const item of sample) {
    const title = namedTitle(item, labels, budget)
    if (title === null) continue
    const link = linkOf(
      { ...item, below: item.below.filter((element) => element.name === 'a') },
      title,
      false,
      () => false,
    )
    const isOfTitle =
      link !== null &&
      (link === title || isWithin(link.startIndex, title) || isWithin(title.startIndex, link))
    if (isOfTitle) targets.add(link.attribs['href'] ?? '')
  }
  return targets.size >= MOST_OF_TEASERS * sample.length
}

/**
 * Returns the title's link, else the link that most links of the item lead to. If a text below a
 * heading has links of its own, the first of them that leads to another page belongs to the item.
 */
export function linkOf(
  item: Item,
  title: Element | null,
  isPost: boolean,
  leads: (link: Element) => boolean,
): Element | null {
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
  const onward = links.find(leads)
  if (onward !== undefined) return onward
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
