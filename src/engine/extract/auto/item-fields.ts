import type { Element } from 'domhandler'
import { isList } from '../../../kernel/json.ts'
import type { Field, FieldSource } from '../../recipe/recipe-input.ts'
import type { PageBudget } from '../page/page-budget.ts'
import type { PageContent } from '../page/page-content.ts'
import { textStart } from '../tree/text-content.ts'
import {
  arePosts,
  firstTextOf,
  isWithin,
  itemOf,
  labelsOf,
  linkOf,
  personOf,
  titleOf,
  writtenOf,
} from './item-parts.ts'
import type { Item } from './item-parts.ts'
import { COUNT_NAMES, OF_PERSON } from './item-counts.ts'
import { roles, sourceOf } from './item-roles.ts'
import { select, selectorWithin } from './stable-selector.ts'

/** Items that are looked at. */
const SAMPLE = 12
/** Selectors of one column that are compared. */
const MOST_TRIED = 4
/** Share of the items that a column needs. */
const LEAST_FILLED = 0.3
/** A selector that finds less than this share of what there is gets a second one. */
const ENOUGH = 0.9
/** Roles whose value may be the same in most items. */
const MAY_BE_ALIKE = new Set([
  'price',
  'date',
  'rating',
  'author',
  'availability',
  'brand',
  'company',
  ...COUNT_NAMES,
])

/** Roles whose value is in the innermost of elements that fit: a price beside the one before. */
const INNERMOST = new Set(['price', 'author'])
const MOST_LEVELS = 3
/** Characters by which a description is told from a title. */
const COMPARED = 200

/**
 * Proposes fields for a group of similar items: `title` and `url` first, then what most of the
 * items have.
 */
export function itemFields(page: PageContent, items: readonly Element[]): Record<string, Field> {
  const { budget } = page
  const fields: Record<string, Field> = {}
  const sample = items.slice(0, SAMPLE).map((element) => itemOf(element, budget))
  const labels = labelsOf(sample, budget)
  const isPost = arePosts(sample, labels, budget)
  const used = new Set<string>()
  const propose = (
    name: string,
    find: (item: Item) => Element | null,
    field: (css: string) => Field,
  ): void => {
    const elements = sample.map(find)
    const [best, second] = selectorsOf(page, sample, elements)
    if (best === undefined) return
    const proposed = field(best)
    // The text and an attribute of one element are two columns: a list of plain links has both.
    const isAttribute = typeof proposed === 'object' && 'attr' in proposed
    if (!isAttribute && used.has(best)) return
    used.add(best)
    fields[name] =
      second === undefined ? proposed : [...sourcesOf(proposed), ...sourcesOf(field(second))]
  }
  const titles = isPost ? new Map<Item, Element>() : titlesOf(sample, labels, budget)
  if (isPost)
    propose(
      'author',
      (item) => personOf(item, budget),
      (css) => css,
    )
  propose(
    'title',
    (item) => titles.get(item) ?? null,
    (css) => css,
  )
  propose(
    'url',
    (item) => linkOf(item, titles.get(item) ?? null, isPost),
    (css) => ({ css, attr: 'href', as: 'url' }),
  )
  for (const role of roles) {
    const isOfPage = role.name === 'description' || OF_PERSON.has(role.name)
    if (Object.hasOwn(fields, role.name) || (isPost && isOfPage)) continue
    const isLabel = (element: Element): boolean =>
      !MAY_BE_ALIKE.has(role.name) &&
      labels.has(
        element.name === 'img' ? (sourceOf(element) ?? '') : textStart(element, 121, budget),
      )
    const fitting = sample.map((item) => {
      const fits = (element: Element): boolean =>
        element !== titles.get(item) &&
        !(role.name === 'date' && isInTitle(element, titles.get(item))) &&
        role.fits(element, page) &&
        !isLabel(element) &&
        !(role.name === 'description' && saysTitle(element, titles.get(item), budget))
      const first = item.below.find(fits)
      if (first === undefined) return []
      return INNERMOST.has(role.name) ? innermostFirst(first, item, fits) : [first]
    })
    // A name may be on an element around the innermost one.
    for (let level = 0; level < MOST_LEVELS && !Object.hasOwn(fields, role.name); level++) {
      const ofLevel = new Map(sample.map((item, index) => [item, fitting[index]?.[level] ?? null]))
      propose(
        role.name,
        (item) => ofLevel.get(item) ?? null,
        (css) => role.field(css, page, items.slice(0, SAMPLE)),
      )
      if (!INNERMOST.has(role.name)) break
    }
  }
  if (isPost)
    propose(
      'text',
      (item) => writtenOf(item, budget),
      (css) => css,
    )
  return fields
}

/** True for what is around a title, or says the same. */
function saysTitle(element: Element, title: Element | undefined, budget: PageBudget): boolean {
  return (
    title !== undefined &&
    (isWithin(title.startIndex, element) ||
      textStart(element, COMPARED, budget) === textStart(title, COMPARED, budget))
  )
}

/** True for words of a title, which may name a day that is not the item's. */
function isInTitle(element: Element, title: Element | undefined): boolean {
  return (
    title !== undefined &&
    element.name !== 'time' &&
    !Object.hasOwn(element.attribs, 'datetime') &&
    isWithin(element.startIndex, title)
  )
}

/** Returns the titles of the items. Where nothing else names them, they may be alike. */
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
      if (title !== null) titles.set(item, title)
    }
    if (titles.size * 2 > items.length) return titles
  }
  return new Map()
}

/** Returns the first fitting elements, one in the other, the innermost first. */
function innermostFirst(
  first: Element,
  { below }: Item,
  fits: (element: Element) => boolean,
): readonly Element[] {
  const nested = [first]
  let innermost = first
  for (const element of below) {
    const place = element.startIndex ?? 0
    if (place <= (innermost.startIndex ?? 0)) continue
    if (place > (innermost.endIndex ?? 0)) break
    if (!fits(element)) continue
    innermost = element
    nested.unshift(element)
  }
  return nested
}

/**
 * Returns the selector that finds the wanted elements in the most items, and a second one where it
 * misses some that another finds. Nothing if both find too few.
 */
function selectorsOf(
  page: PageContent,
  items: readonly Item[],
  wanted: readonly (Element | null)[],
): readonly string[] {
  const votes = new Map<string, number>()
  for (const [index, element] of wanted.entries()) {
    const item = items[index]?.element
    if (element === null || item === undefined) continue
    const css = element === item ? ':scope' : selectorWithin(page, element, item)
    if (css !== null) votes.set(css, (votes.get(css) ?? 0) + 1)
  }
  const ranked = [...votes].toSorted((a, b) => b[1] - a[1]).slice(0, MOST_TRIED)
  const total = wanted.filter((element) => element !== null).length
  const least = Math.max(2, items.length * LEAST_FILLED)
  const [first] = ranked
  if (first === undefined || total < least) return []
  if (first[1] === total) return [first[0]]
  const finds = ranked.map(([css]) => ({
    css,
    matches: items.map(({ element }) =>
      css === ':scope' ? element : (select(page, css, element)[0] ?? null),
    ),
  }))
  const hitsOf = (match: (index: number) => Element | null | undefined): number =>
    wanted.filter((element, index) => element !== null && match(index) === element).length
  const scored = finds.map((find) => ({ ...find, hits: hitsOf((index) => find.matches[index]) }))
  const best = scored.reduce((most, one) => (one.hits > most.hits ? one : most))
  if (best.hits < least) return []
  if (best.hits >= ENOUGH * total) return [best.css]
  // The second one is asked where the first finds nothing, so their order matters.
  let [pair, most]: [readonly string[], number] = [[best.css], best.hits + 1]
  for (const other of scored)
    for (const [former, latter] of [
      [best, other],
      [other, best],
    ] as const) {
      const hits = hitsOf((index) => former.matches[index] ?? latter.matches[index])
      if (other !== best && hits > most) [pair, most] = [[former.css, latter.css], hits]
    }
  return pair
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
  return role === undefined
    ? { name: null, field: (css) => css }
    : { name: role.name, field: (css) => role.field(css, page, []) }
}
