import { isTag, isText, type Element } from 'domhandler'
import type { Field } from '../../recipe/recipe-input.ts'
import type { PageBudget } from '../page/page-budget.ts'
import type { PageContent } from '../page/page-content.ts'
import { collapse, textStart } from '../tree/text-content.ts'
import { parseDate } from '../value/parse-date.ts'
import { select, selectorWithin } from './stable-selector.ts'

/** A role that an element of an item can have. The first role that fits an element names it. */
interface Role {
  readonly name: string
  fits(element: Element, page: PageContent): boolean
  field(css: string, page: PageContent, sample: readonly Element[]): Field
}

const MONEY =
  /(?:[$€£¥₹₽₩]|\b(?:USD|EUR|GBP|CHF|SEK|NOK|DKK|PLN|kr|zł|Kč|руб))\s?\d|\d[.,\s]*(?:[$€£¥₹₽₩]|(?:USD|EUR|GBP|CHF|SEK|NOK|DKK|PLN|kr|zł|Kč|руб)(?![a-z]))/i
const HEADING = /^h[1-6]$/
/** Text beyond this length does not count when links are compared as titles. */
const LONGEST_TITLE = 1_000
/** Maximum number of elements to inspect in a possible description. */
const MOST_BELOW = 500

const roles: readonly Role[] = [
  {
    name: 'image',
    fits: (element) => element.name === 'img' && sourceOf(element) !== null,
    field: (css, page, sample) => imageField(css, page, sample),
  },
  {
    name: 'price',
    fits: (element, { budget }) => {
      const text = ownText(element)
      if (element.attribs['itemprop'] === 'price') return true
      if (text.length < 40 && MONEY.test(text)) return true
      return /price/i.test(element.attribs['class'] ?? '') && isShort(element, budget, /\d/)
    },
    field: (css) => ({ css, as: 'number' }),
  },
  {
    name: 'date',
    fits: (element) =>
      element.name === 'time' ||
      (ownText(element).length < 40 &&
        /\d/.test(ownText(element)) &&
        parseDate(ownText(element)) !== null),
    field: (css) => ({ css, as: 'date' }),
  },
  {
    name: 'rating',
    fits: (element, { budget }) =>
      /rating|stars?\b/i.test(element.attribs['class'] ?? '') &&
      isShort(element, budget, /^\D{0,12}\d(?:[.,]\d+)?\b/),
    field: (css) => ({ css, as: 'number' }),
  },
  {
    name: 'author',
    fits: (element, { budget }) =>
      /author|byline/i.test(`${element.attribs['class'] ?? ''} ${element.attribs['rel'] ?? ''}`) &&
      isBetween(textStart(element, 80, budget).length, 2, 79),
    field: (css) => css,
  },
  // An element that is or contains the title or the date is not a description.
  {
    name: 'description',
    fits: (element, { budget }) =>
      (element.name === 'p' ||
        /desc|summary|excerpt|snippet|teaser|intro|abstract/i.test(
          element.attribs['class'] ?? '',
        )) &&
      textStart(element, 31, budget).length > 30 &&
      ![element, ...within(element, budget, MOST_BELOW)].some(
        ({ name }) => HEADING.test(name) || name === 'time',
      ),
    field: (css) => css,
  },
]

/**
 * Proposes fields for a group of similar items: `title` and `url` first, then what most of the
 * items have.
 */
export function itemFields(page: PageContent, items: readonly Element[]): Record<string, Field> {
  const { budget } = page
  const fields: Record<string, Field> = {}
  const sample = items.slice(0, 12)
  const propose = (
    name: string,
    find: (item: Element) => Element | null,
    field: (css: string) => Field,
  ): void => {
    const votes = new Map<string, number>()
    for (const item of sample) {
      const element = find(item)
      const css =
        element === null ? null : element === item ? ':scope' : selectorWithin(page, element, item)
      if (css !== null) votes.set(css, (votes.get(css) ?? 0) + 1)
    }
    const [best] = [...votes].toSorted((a, b) => b[1] - a[1])
    if (best === undefined || best[1] < Math.max(2, sample.length * 0.3)) return
    const [css] = best
    const proposed = field(css)
    // The text and an attribute of one element are two columns: a list of plain links has both.
    const isAttribute = typeof proposed === 'object' && 'attr' in proposed
    if (!isAttribute && Object.values(fields).includes(css)) return
    if (matches(page, css, sample)) fields[name] = proposed
  }
  propose(
    'title',
    (item) => titleOf(item, budget),
    (css) => css,
  )
  propose(
    'url',
    (item) => linkOf(item, budget),
    (css) => ({ css, attr: 'href', as: 'url' }),
  )
  for (const role of roles)
    propose(
      role.name,
      (item) => within(item, budget).find((element) => role.fits(element, page)) ?? null,
      (css) => role.field(css, page, sample),
    )
  return fields
}

/**
 * Returns the name and the field of one element by its role: a picture's address, a price as a
 * number. `name` is `null` for an element without a role, whose text is the value.
 */
export function fieldOf(
  element: Element,
  page: PageContent,
): { readonly name: string | null; readonly field: (css: string) => Field } {
  const role = roles.find(({ fits }) => fits(element, page))
  return role === undefined
    ? { name: null, field: (css) => css }
    : { name: role.name, field: (css) => role.field(css, page, []) }
}

/** Attributes that hold a picture's address until it is scrolled to. */
const LAZY = ['data-src', 'data-original', 'data-lazy-src', 'data-lazy', 'data-image'] as const

/** The address of a picture, which many pages put into another attribute until it is seen. */
function imageField(css: string, page: PageContent, sample: readonly Element[]): Field {
  const images = sample.flatMap((item) => select(page, css, item).slice(0, 1))
  const lazy = LAZY.find(
    (name) =>
      images.filter(({ attribs }) => Object.hasOwn(attribs, name)).length * 2 > images.length,
  )
  const shown: Field = { css, attr: 'src', as: 'url' }
  return lazy === undefined ? shown : [{ css, attr: lazy, as: 'url' }, shown]
}

function matches(page: PageContent, css: string, sample: readonly Element[]): boolean {
  return sample.some((item) => css === ':scope' || select(page, css, item).length > 0)
}

/** Returns the heading, else the link with the most text. */
function titleOf(item: Element, budget: PageBudget): Element | null {
  const elements = within(item, budget)
  const heading = elements.find(
    (element) => HEADING.test(element.name) && textStart(element, 1, budget) !== '',
  )
  if (heading !== undefined) return heading
  const named = elements.find(
    (element) =>
      /(?:^|[\s_-])(?:title|name|headline)(?:$|[\s_-])/i.test(element.attribs['class'] ?? '') &&
      textStart(element, 3, budget).length > 2,
  )
  if (named !== undefined) return named
  let longest: Element | null = null
  let length = 2
  for (const element of elements) {
    const own = element.name === 'a' ? textStart(element, LONGEST_TITLE, budget).length : 0
    if (own > (longest === null ? length : length * 1.5)) [longest, length] = [element, own]
  }
  return (
    longest ??
    (item.name === 'a' || elements.length === 0
      ? item
      : (elements.find((element) => ownText(element).length > 2) ?? null))
  )
}

/** Returns the title's link, else the first link with a target. */
function linkOf(item: Element, budget: PageBudget): Element | null {
  if (item.name === 'a' && Object.hasOwn(item.attribs, 'href')) return item
  const title = titleOf(item, budget)
  const links = within(item, budget).filter(
    (element) =>
      element.name === 'a' &&
      /^(?!#|javascript:|mailto:|tel:)./.test(element.attribs['href'] ?? ''),
  )
  const isLink = new Set(links)
  for (
    let node = title;
    node !== null && node !== item;
    node = node.parent !== null && isTag(node.parent) ? node.parent : null
  )
    if (isLink.has(node)) return node
  const below =
    title === null ? undefined : within(title, budget).find((element) => isLink.has(element))
  return below ?? links[0] ?? null
}

function isShort(element: Element, budget: PageBudget, pattern: RegExp): boolean {
  const text = textStart(element, 40, budget)
  return text.length < 40 && pattern.test(text)
}

function isBetween(length: number, least: number, most: number): boolean {
  return length >= least && length <= most
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

function ownText(element: Element): string {
  return collapse(element.children.map((child) => (isText(child) ? child.data : '')).join(''))
}

function sourceOf(image: Element): string | null {
  const lazy = LAZY.map((name) => image.attribs[name]).find(
    (one) => one !== undefined && one !== '',
  )
  const source = lazy ?? image.attribs['src']
  return source === undefined || source === '' || source.startsWith('data:') ? null : source
}
