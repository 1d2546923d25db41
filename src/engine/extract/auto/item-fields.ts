import { isTag, type Element } from 'domhandler'
import { isList } from '../../../kernel/json.ts'
import type { Field, FieldSource } from '../../recipe/recipe-input.ts'
import type { Parts } from '../page/in-turns.ts'
import type { PageBudget } from '../page/page-budget.ts'
import type { PageContent } from '../page/page-content.ts'
import { textStart } from '../tree/text-content.ts'
import {
  countedBy,
  countField,
  countInLineField,
  numberField,
  countsIn,
  countsInLines,
  OF_PERSON,
} from './item-counts.ts'
import { namedColumns, type NamedColumn } from './item-columns.ts'
import {
  namesOf,
  isWithin,
  itemOf,
  MOST_NAMES,
  OWN_TAGS,
  within,
  withoutReplies,
  type Item,
} from './item-elements.ts'
import { namingLinks, titleField } from './cut-titles.ts'
import { dateReading } from '../value/parse-date.ts'
import {
  firstTextOf,
  isIcon,
  labelsOf,
  linkOf,
  LONGEST_LABEL,
  pictureBehind,
  sharedPictures,
  titleOf,
} from './item-parts.ts'
import { looseText } from './loose-text.ts'
import { personOf } from './item-person.ts'
import { arePosts } from './item-posts.ts'
import { hasWordBesideMoney, isWrittenDate, MONEY, roles, sourceOf } from './item-roles.ts'
import { MOST_COMPARED, unnamedColumns } from './unnamed-columns.ts'
import { pricedLineParts, pricedTitle } from './priced-lines.ts'
import { selectorOfColumn, selectorsOf } from './item-selectors.ts'
import { wordOfLink, wordsThatLead, type Followers } from './sibling-records.ts'
import { isPath } from './stable-selector.ts'
import { isNamedText, writtenInPost, writtenOf } from './item-text.ts'

/** Number of items that are checked. */
const SAMPLE = 12
/** Number of items whose dates are read, because the first ones may all be from one month. */
const MOST_DATED = 60
/** Roles whose value may be the same in most items. */
const MAY_BE_ALIKE = new Set([
  'price',
  'date',
  'rating',
  'author',
  'availability',
  'brand',
  'company',
  'location',
])

/**
 * Roles that an item must have. For other roles, a second selector is not worth it if it adds only
 * one item.
 */
const NAMING = new Set(['title', 'url'])

/** Roles whose values are recognised by their form, even in a text together with the title. */
const OF_A_KIND = new Set(['image', 'price', 'date', 'rating', 'author'])

const NO_WORDS: ReadonlySet<string> = new Set()

/**
 * Roles whose value is in the innermost of the matching elements, such as a price beside an earlier
 * price.
 */
const INNERMOST = new Set(['price', 'author'])
const MOST_LEVELS = 3
/** Characters of an address that are read. */
const LONGEST_ADDRESS = 500
/** Number of characters that distinguishes a description from a title. */
const COMPARED = 200
/** Minimum number of characters from which an unnamed text is a summary. */
const LEAST_SUMMARY = 70
const MOST_SUMMARY = 1_000

/** The fields of items: first those with a role, then those that have only a name. */
interface ItemFields {
  readonly fields: Record<string, Field>
  readonly roleCount: number
}

/**
 * Proposes fields for a group of similar items: `title` and `url` first, then the parts that most
 * of the items have.
 */
export function* itemFieldParts(
  page: PageContent,
  items: readonly Element[],
  followers: Followers | null = null,
): Parts<ItemFields> {
  const { budget } = page
  const fields: Record<string, Field> = {}
  const whole = items
    .slice(0, SAMPLE)
    .map((element) => itemOf(element, budget, followers?.get(element)))
  yield
  const labels = labelsOf(whole, budget)
  const posts = whole.map((item) => withoutReplies(item, page.budget))
  const isPost = arePosts(posts, labels, budget)
  // An entry of a list may contain a list of such entries. Other elements are layout.
  const sample = isPost || items.every(({ name }) => OWN_TAGS.has(name)) ? posts : whole
  const people = sample.map((item) => (isPost ? personOf(item, budget) : null))
  const bodies = sample.map((item, index) =>
    isPost ? writtenInPost(item, people[index] ?? null, budget) : null,
  )
  const parts = sample.map((): Element[] => [])
  const used = new Set<string>()
  const propose = (
    name: string,
    find: (item: Item, index: number) => Element | null,
    field: (css: string) => Field | null,
  ): void => {
    const elements = sample.map(find)
    const [best, second] = selectorsOf(page, sample, elements, NAMING.has(name) ? 2 : 1)
    if (best === undefined) return
    const own = field(best)
    const other = second === undefined ? null : field(second)
    if (own === null) return
    const proposed = byPath(own)
    // The text and an attribute of one element are two columns, because a list of plain links has
    // both. So are two counts of one text.
    const isPart = typeof proposed === 'object' && ('attr' in proposed || 'transform' in proposed)
    if (!isPart && used.has(best)) return
    used.add(best)
    for (const [index, element] of elements.entries())
      if (element !== null) parts[index]?.push(element)
    fields[name] = other === null ? proposed : [...sourcesOf(proposed), ...sourcesOf(byPath(other))]
  }
  const texts = isPost ? new Map<Item, Element>() : titlesOf(sample, labels, budget)
  const named = namingLinks(sample, texts, budget)
  const titles = named ?? texts
  if (isPost)
    propose(
      'author',
      (_, index) => people[index] ?? null,
      (css) => css,
    )
  propose(
    'title',
    (item) => titles.get(item) ?? null,
    (css) => (named === null ? titleField(page, sample, titles, css) : { css, attr: 'title' }),
  )
  const words =
    followers === null
      ? NO_WORDS
      : wordsThatLead(
          sample.map(({ below }) => below),
          budget,
        )
  const leads = (link: Element): boolean => words.has(wordOfLink(link, budget) ?? '')
  propose(
    'url',
    (item) => linkOf(item, titles.get(item) ?? null, isPost, leads),
    (css) => ({ css, attr: 'href', as: 'url' }),
  )
  const icons = isPost ? NO_WORDS : sharedPictures(sample)
  for (const role of roles) {
    yield
    if (Object.hasOwn(fields, role.name) || (isPost && role.name === 'description')) continue
    const isLabel = (element: Element): boolean =>
      !MAY_BE_ALIKE.has(role.name) &&
      (role.name !== 'image' || element.name === 'img') &&
      labels.has(
        element.name === 'img'
          ? (sourceOf(element) ?? '')
          : textStart(element, LONGEST_LABEL + 1, budget),
      )
    const fitting = sample.map((item, index) => {
      const text = bodies[index] ?? null
      const fits = (element: Element): boolean =>
        element !== titles.get(item) &&
        !(text !== null && isWithin(element.startIndex, text)) &&
        !(element.name === 'img' && (isPost ? !isPortrait(element, text) : isAvatar(element))) &&
        !(role.name === 'date' && isInTitle(element, titles.get(item))) &&
        role.fits(element, page) &&
        !isLabel(element) &&
        !(!OF_A_KIND.has(role.name) && saysTitle(element, titles.get(item), budget))
      const first = item.below.find(fits)
      if (first === undefined) return []
      if (INNERMOST.has(role.name)) return innermostFirst(first, item, fits)
      return [isIcon(first, icons) ? (pictureBehind(first, item, icons, fits) ?? first) : first]
    })
    // The element around the innermost one may have the name.
    for (let level = 0; level < MOST_LEVELS && !Object.hasOwn(fields, role.name); level++) {
      propose(
        role.name,
        (_, index) => fitting[index]?.[level] ?? null,
        (css) => role.field(css, page, items.slice(0, role.name === 'date' ? MOST_DATED : SAMPLE)),
      )
      if (!INNERMOST.has(role.name)) break
    }
  }
  yield
  const counts = sample.map((item) => countsIn(item, budget))
  for (const name of new Set(counts.flatMap((count) => [...count.keys()])))
    if (!(isPost && OF_PERSON.has(name)))
      propose(
        name,
        (_, index) => counts[index]?.get(name) ?? null,
        (css) => {
          const elements = counts.map((count) => count.get(name) ?? null)
          return countField(css, textsOf(elements, budget), page)
        },
      )
  const lines =
    items.length > MOST_COMPARED ? [] : sample.map((item) => countsInLines(item, budget))
  for (const name of new Set(lines.flatMap((line) => [...line.keys()])))
    if (!Object.hasOwn(fields, name) && !(isPost && OF_PERSON.has(name)))
      propose(
        name,
        (_, index) => lines[index]?.get(name) ?? null,
        (css) => countInLineField(name, css, page, items),
      )
  yield
  if (!isPost && followers === null)
    Object.assign(fields, yield* pricedLineParts(items, fields, budget))
  if (!isPost) Object.assign(fields, pricedTitle([...titles.values()], fields, budget))
  if (isPost)
    propose(
      'text',
      (_, index) => bodies[index] ?? null,
      (css) => css,
    )
  else if (!Object.hasOwn(fields, 'description'))
    propose(
      'description',
      (item, index) => summaryOf(item, parts[index] ?? [], labels, budget),
      (css) => css,
    )
  if (!isPost && followers === null && !Object.hasOwn(fields, 'description')) {
    const description = looseText(sample, parts, budget)
    if (description !== null) fields['description'] = description
  }
  const roleCount = Object.keys(fields).length
  yield
  if (!isPost)
    for (const column of namedColumns(sample, parts, labels, budget)) {
      const { name, isList: isMany } = column
      yield
      const css = Object.hasOwn(fields, name) ? null : selectorOfColumn(page, sample, column)
      if (css === null || used.has(css)) continue
      const field = column.isInLink
        ? inLinkField(css, column)
        : isMany
          ? { css, many: true }
          : columnField(column, css, page)
      // Prices and ratings are numbers. A text about them is neither.
      if (NUMERIC.has(name) && !(typeof field === 'object' && 'as' in field)) continue
      used.add(css)
      fields[name] = byPath(field)
      for (const [index, element] of column.elements.entries())
        if (element !== null) parts[index]?.push(element)
    }
  if (!isPost && followers === null)
    for (const { path, elements } of unnamedColumns(items, sample, parts, labels, budget)) {
      const field = columnField({ name: '', elements, isCount: false }, path, page)
      fields[freeName(typeName(field), fields)] = byPath(field)
    }
  return { fields, roleCount }
}

/** `date` or `number` for a field of this type, in any reading: `dmy`, or with a decimal comma. */
function typeName(field: Field): string {
  const as = typeof field === 'object' && 'as' in field ? field.as : null
  const type = typeof as === 'object' && as !== null ? Object.keys(as)[0] : as
  return type === 'date' || type === 'number' ? type : 'text'
}

/** `text`, or `text_2` if there is one. */
function freeName(name: string, fields: Readonly<Record<string, Field>>): string {
  let free = name
  for (let number = 2; Object.hasOwn(fields, free); number++) free = `${name}_${number}`
  return free
}

const NUMERIC = new Set(['price', 'rating'])

const NUMBER = /^[^\p{L}\d]{0,2}\d[\d.,]*(?:\s?[km])?\+?[^\p{L}\d]{0,2}$/iu

/** True for `2 bids` in the column `bids`. */
function countsIt(name: string, text: string): boolean {
  const stem = name.replace(/s$/, '')
  return /^\d[\d.,]*\s\p{Ll}+$/u.test(text) && text.replace(/s$/, '').endsWith(` ${stem}`)
}

/**
 * The field of a column without a role. Numbers and dates get their type, and texts lose their
 * label.
 */
function columnField(
  { name, elements, isCount }: Pick<NamedColumn, 'name' | 'elements' | 'isCount'>,
  css: string,
  page: PageContent,
): Field {
  const texts = textsOf(elements, page.budget)
  // The unit of `10 m²` stays. In `2 beds`, the unit is the counted thing and becomes the name.
  const isCounted = isCount || texts.every((text) => countsIt(name, text))
  const isNumber = texts.every(
    (text) => NUMBER.test(text) || ((isCount || countsIt(name, text)) && /\d/.test(text)),
  )
  if (isNumber && !/date|time/.test(name))
    return isCounted ? countField(css, texts, page) : numberField(css, texts, page)
  if (texts.every((text) => isWrittenDate(text, page))) {
    const as = dateReading(texts, { language: page.language, now: page.visitedAt })
    return as === null ? css : { css, as }
  }
  return withoutLabel(css, texts)
}

/** The field of addresses in links such as `mailto:ann@a.example?subject=Hello`. */
function inLinkField(css: string, { elements, isList: many }: NamedColumn): Field {
  const isUsual = elements.every((element) => !/^[a-z]*[A-Z]/.test(element?.attribs['href'] ?? ''))
  // `MAILTO:` and `Tel:`, too.
  const withoutScheme = isUsual
    ? ['mailto:', 'tel:'].map((scheme) => ({ replace: [scheme, ''] as const }))
    : [{ split: ':' }, { item: 1 }]
  return {
    css,
    attr: 'href',
    transform: [...withoutScheme, { split: '?' }, { item: 0 }],
    ...(many && { many }),
  }
}

function textsOf(elements: readonly (Element | null)[], budget: PageBudget): readonly string[] {
  return elements.flatMap((element) =>
    element === null ? [] : [textStart(element, LONGEST_LABEL, budget)],
  )
}

/** A field that removes the common beginning of all texts: `Maker: `. */
function withoutLabel(css: string, texts: readonly string[]): Field {
  const [first = ''] = texts
  const label = /^\p{L}[\p{L} ]{1,30}:\s?/u.exec(first)?.[0]
  if (label === undefined || !texts.every((text) => text.startsWith(label))) return css
  return { css, transform: ['collapse', { replace: [label.trimEnd(), ''] }, 'trim'] }
}

/** The text of an item that is not a paragraph and has no name. */
function summaryOf(
  item: Item,
  parts: readonly Element[],
  labels: ReadonlySet<string>,
  budget: PageBudget,
): Element | null {
  const text =
    writtenOf(item, parts, budget) ??
    item.followers.find(
      (follower) => !parts.some((part) => part === follower || isWithin(part.startIndex, follower)),
    ) ??
    null
  if (text === null || labels.has(textStart(text, COMPARED, budget))) return null
  const linked = within(text, budget)
    .filter(({ name }) => name === 'a')
    .reduce((sum, link) => sum + textStart(link, COMPARED, budget).length, 0)
  const { length } = textStart(text, MOST_SUMMARY, budget)
  const isNamed = isNamedText(text) || item.followers.includes(text)
  return (isNamed || length >= LEAST_SUMMARY) && linked * 2 < length ? text : null
}

/** True for a picture of a post's author: it is before the text, or its name says so. */
function isPortrait(image: Element, text: Element | null): boolean {
  const { startIndex, attribs } = image
  return (
    text === null ||
    (startIndex ?? 0) < (text.startIndex ?? 0) ||
    /avatar|portrait|profile|userpic/i.test(
      `${namesOf(image)} ${(attribs['src'] ?? '').slice(0, MOST_NAMES)}`,
    )
  )
}

/** True for the picture of a person beside something that is not a post. */
function isAvatar(image: Element): boolean {
  const { attribs, parent } = image
  const around = parent !== null && isTag(parent) ? namesOf(parent) : ''
  const source = (attribs['src'] ?? '').slice(0, LONGEST_ADDRESS)
  return /avatar|userpic/i.test(`${namesOf(image)} ${source} ${around}`)
}

/** True for an element around a title, or with the same text. */
function saysTitle(element: Element, title: Element | undefined, budget: PageBudget): boolean {
  return (
    title !== undefined &&
    (isWithin(title.startIndex, element) ||
      textStart(element, COMPARED, budget) === textStart(title, COMPARED, budget))
  )
}

/** True for words of a title, which may contain a date that is not the item's. */
function isInTitle(element: Element, title: Element | undefined): boolean {
  return (
    title !== undefined &&
    element.name !== 'time' &&
    !Object.hasOwn(element.attribs, 'datetime') &&
    isWithin(element.startIndex, title)
  )
}

/** Returns the titles of the items. If nothing else names the items, titles may be equal. */
function titlesOf(
  items: readonly Item[],
  labels: ReadonlySet<string>,
  budget: PageBudget,
): ReadonlyMap<Item, Element> {
  for (const find of [
    (item: Item) => titleOf(item, labels, budget),
    (item: Item) => titleOf(item, new Set(), budget),
    (item: Item) => firstTextOf(item, labels),
  ]) {
    const titles = new Map<Item, Element>()
    for (const item of items) {
      const title = find(item)
      if (title !== null && !isBarePrice(title, budget)) titles.set(item, title)
    }
    if (titles.size * 2 > items.length) return titles
  }
  return new Map()
}

/** True for a price without a word, which cannot be a title. */
function isBarePrice(element: Element, budget: PageBudget): boolean {
  const text = textStart(element, LONGEST_LABEL, budget)
  return text.length < LONGEST_LABEL && MONEY.test(text) && !hasWordBesideMoney(text)
}

/** Returns the first matching elements that are nested in each other, the innermost first. */
function innermostFirst(
  first: Element,
  { below }: Item,
  fits: (element: Element) => boolean,
): readonly Element[] {
  const nested = [first]
  let innermost = first
  for (const element of below) {
    const start = element.startIndex ?? 0
    if (start <= (innermost.startIndex ?? 0)) continue
    if (start > (innermost.endIndex ?? 0)) break
    if (!fits(element)) continue
    innermost = element
    nested.unshift(element)
  }
  return nested
}

/** Marks a field whose selector is an XPath as one. */
function byPath(field: Field): Field {
  if (isList(field))
    return field.map((source) => (typeof source === 'string' ? source : pathOf(source)))
  return typeof field === 'string' ? field : pathOf(field)
}

function pathOf(source: FieldSource): FieldSource {
  const { css, ...rest } = source
  return css !== undefined && isPath(css) ? { ...rest, xpath: css } : source
}

function sourcesOf(field: Field): readonly (string | FieldSource)[] {
  return isList(field) ? field : [field]
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
  if (role !== undefined)
    return { name: role.name, field: (css) => byPath(role.field(css, page, []) ?? css) }
  const name = countedBy(element, page.budget)
  const texts = textsOf([element], page.budget)
  return { name, field: (css) => byPath(name === null ? css : countField(css, texts, page)) }
}
