import { isTag, type Element } from 'domhandler'
import type { PageBudget } from '../page/page-budget.ts'
import { textStart } from '../tree/text-content.ts'
import { namesOf, isWithin, propertyOf, type Item } from './item-elements.ts'
import { HEADING } from './item-roles.ts'

/** The minimum length of a post's text, and its minimum share of the item's text. */
const LEAST_TEXT = 40
const MOST_TEXT = 4_000
const LEAST_SHARE = 0.3
/** Maximum number of quotes, times and headings of an item that are compared with its elements. */
const MOST_MARKS = 30
/** Maximum number of levels of an item above its text. */
const MOST_LEVELS = 20
const SILENT = new Set(['script', 'style', 'noscript', 'template'])
/** Names of an item's text that page authors and schema.org use. */
const TEXT_NAME = new RegExp(
  '(?:^|[\\s_-])(?:(?:post|message|msg|comment|review|entry)[_-]?(?:user)?[_-]?' +
    '(?:body|content|text|message)|usercontent|postbody)(?:$|\\s)',
  'i',
)
const TEXT_PROPERTY = /^(?:text|reviewBody|articleBody)$/

/**
 * Returns the element with the text of a post: the one that is named as text, else the one with
 * most of the item's text without its other parts. `null`: the item has too little text.
 */
export function writtenOf(
  item: Item,
  parts: readonly Element[],
  budget: PageBudget,
): Element | null {
  const holdsPart = (element: Element): boolean =>
    parts.some((part) => part === element || isWithin(part.startIndex, element))
  const isText = (element: Element): boolean =>
    !holdsPart(element) &&
    !parts.some((part) => isWithin(element.startIndex, part)) &&
    textStart(element, 2, budget).length > 1
  return namedText(item, isText) ?? mostText(item, parts, budget)
}

/** True for an element that is named as the text of the item around it. */
export function isNamedText(element: Element): boolean {
  return TEXT_PROPERTY.test(propertyOf(element)) || TEXT_NAME.test(namesOf(element))
}

function namedText(item: Item, isText: (element: Element) => boolean): Element | null {
  const named = item.below.filter((element) => isNamedText(element) && isText(element))
  return named.find((element) => TEXT_PROPERTY.test(propertyOf(element))) ?? named[0] ?? null
}

/** Returns the element with the text of a post, without its author and its time. */
export function writtenInPost(
  item: Item,
  person: Element | null,
  budget: PageBudget,
): Element | null {
  if (textStart(item.element, LEAST_TEXT, budget).length < LEAST_TEXT) return null
  return writtenOf(item, [...item.nested, ...(person === null ? [] : [person])], budget)
}

function mostText(item: Item, parts: readonly Element[], budget: PageBudget): Element | null {
  const all = textStart(item.element, MOST_TEXT, budget).length
  if (all < LEAST_TEXT) return null
  // The replies to a post may be many times as long.
  const whole =
    item.nested.length === 0
      ? all
      : Math.max(LEAST_TEXT, ownLength(item.element, item.nested, budget))
  const marks = [
    ...parts,
    ...item.below.filter(({ name }) => name === 'time' || HEADING.test(name)),
  ].slice(0, MOST_MARKS)
  const hasMark = (element: Element): boolean =>
    marks.some(({ startIndex }) => isWithin(startIndex, element))
  let element: Element = item.element
  for (let level = 0; hasMark(element); level++) {
    if (level === MOST_LEVELS) return null
    let next: Element | null = null
    let most = LEAST_SHARE * whole
    for (const child of element.children) {
      if (!isTag(child) || marks.includes(child) || SILENT.has(child.name)) continue
      const length = ownLength(child, item.nested, budget)
      if (length >= Math.max(most, LEAST_TEXT)) [next, most] = [child, length]
    }
    if (next === null) return null
    element = next
  }
  return element === item.element ? null : element
}

/** The length of an element's text without that of the items inside. */
function ownLength(element: Element, nested: readonly Element[], budget: PageBudget): number {
  return nested
    .filter((part) => part === element || isWithin(part.startIndex, element))
    .reduce(
      (length, part) => length - textStart(part, MOST_TEXT, budget).length,
      textStart(element, MOST_TEXT, budget).length,
    )
}
