import { isTag, type Element } from 'domhandler'
import type { PageBudget } from '../page/page-budget.ts'
import type { PageContent } from '../page/page-content.ts'
import { textStart } from '../tree/text-content.ts'
import { countedName } from '../value/count-words.ts'
import { numberReadings } from '../value/number-signs.ts'
import { parseNumber, readNumber } from '../value/parse-number.ts'
import type { Field } from '../../recipe/recipe-input.ts'
import { namesOf, ownText, propertyOf, type Item } from './item-elements.ts'
import { selecting } from './stable-selector.ts'

/** Maximum length of a number with its word. A longer text is more than a count. */
const LONGEST = 30
const MOST_BELOW = 8

/** `12 replies`, `(1.2k views)` */
const BEFORE = /^[^\p{L}\d]{0,2}\d[\d.,]*(?:\s?[km](?!\p{L}))?\+?\s(\p{L}+)[^\p{L}\d]{0,2}$/iu
/** `Replies: 12`, `Views 3,400` */
const AFTER = /^(\p{L}+)\s?[:：]?\s?\d[\d.,]*(?:\s?[km](?!\p{L}))?\+?[^\p{L}\d]{0,2}$/iu
const ALONE = /^[^\p{L}\d]{0,2}\d[\d.,]*(?:\s?[km](?!\p{L}))?\+?[^\p{L}\d]{0,2}$/iu
/** Classes of elements that contain only a number. */
const COUNTING: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['comments', /(?:^|[\s_-])comments?(?:$|[\s_-])|comments?[\s_-]?(?:count|num)/i],
  ['replies', /(?:^|[\s_-])(?:reply|replies)(?:$|[\s_-])|(?:reply|replies)[\s_-]?(?:count|num)/i],
  ['views', /(?:^|[\s_-])views?(?:$|[\s_-])|(?:^|[^e])views?[\s_-]?(?:count|num)/i],
  ['reviews', /(?:^|[\s_-])reviews?(?:$|[\s_-])|reviews?[\s_-]?(?:count|num)/i],
  ['ratings', /ratings?[\s_-]?count/i],
  ['votes', /(?:^|[\s_-])(?:up)?vot(?:es?|ers?)(?:$|[\s_-])|votes?[\s_-]?(?:count|num)/i],
  ['points', /(?:^|[\s_-])points(?:$|[\s_-])/i],
  ['answers', /(?:^|[\s_-])answers(?:$|[\s_-])|answers?[\s_-]?count/i],
  ['likes', /(?:^|[\s_-])likes?(?:$|[\s_-])|likes?[\s_-]?count/i],
  ['downloads', /(?:^|[\s_-])downloads?(?:$|[\s_-])/i],
  ['posts', /(?:^|[\s_-])posts(?:$|[\s_-])|posts?[\s_-]?count/i],
  ['topics', /(?:^|[\s_-])(?:topics|threads)(?:$|[\s_-])|(?:topics?|threads?)[\s_-]?count/i],
]
const COMMENTS_LINK = /#(?:comments?|respond|disqus_thread)\b/i

const MAY_BE_UNIT = /\d\s?[km]\W{0,2}$/i
/** A number with one separator before three digits. */
const GROUPED = /\d([.,])\d{3}(?!\d)/

/**
 * The field of texts that are numbers. Ambiguous texts, and those with a letter that may multiply,
 * stay unchanged, so that `1K` keeps its meaning.
 */
export function numberField(css: string, texts: readonly string[], page: PageContent): Field {
  if (texts.some((text) => MAY_BE_UNIT.test(text))) return css
  const [reading] = numberReadings([texts], page)
  return reading == null ? css : { css, as: reading }
}

/** The field of counts, such as `1,234 comments`. Counts have no fractions. */
export function countField(css: string, texts: readonly string[], page: PageContent): Field {
  const field = numberField(css, texts, page)
  const signs = new Set(texts.flatMap((text) => GROUPED.exec(text)?.[1] ?? []))
  if (field !== css || signs.size !== 1) return field
  const decimal = signs.has(',') ? '.' : ','
  const areClear = texts.every((text) => parseNumber(text, { decimal }) !== null)
  return areClear && !texts.some((text) => MAY_BE_UNIT.test(text))
    ? { css, as: { number: { decimal } } }
    : css
}

/** Counts beside a post that belong to its author. */
export const OF_PERSON: ReadonlySet<string> = new Set(['posts', 'topics', 'views', 'points'])

/** The first element of an item for each counted thing. */
export function countsIn({ below }: Item, budget: PageBudget): ReadonlyMap<string, Element> {
  const elements = new Map<string, Element>()
  for (const element of below) {
    const name = countedBy(element, budget)
    if (name !== null && !elements.has(name)) elements.set(name, element)
  }
  return elements
}

/** Number of values of a column from which their format is derived. */
const MOST_READ = 12
/** Maximum number of characters and of words in a text that consists only of counts. */
const LONGEST_LINE = 80
const MOST_IN_LINE = 12

/**
 * The elements of an item whose text has several counts (`12 replies · 1227 views`), listed for
 * each count.
 */
export function countsInLines({ below }: Item, budget: PageBudget): ReadonlyMap<string, Element> {
  const counts = new Map<string, Element>()
  for (const element of below) {
    if ((element.endIndex ?? 0) - (element.startIndex ?? 0) > MOST_BELOW) continue
    const text = textStart(element, LONGEST_LINE + 1, budget)
    if (text.length > LONGEST_LINE || !/\d/.test(text)) continue
    for (const name of numbersIn(text).keys()) counts.set(name, element)
  }
  return counts
}

/** The counted things in a text, with their numbers. Empty: it has other words, or only one count. */
function numbersIn(text: string): ReadonlyMap<string, number> {
  const words = text.split(' ')
  const positions = words.flatMap((word, position) => (/[\p{L}\d]/u.test(word) ? [position] : []))
  const counts = new Map<string, number>()
  if (positions.length < 4 || positions.length > MOST_IN_LINE || positions.length % 2 === 1)
    return counts
  const isBefore = /^[^\p{L}\d]{0,2}\d/u.test(text)
  for (let index = 0; index < positions.length; index += 2) {
    const pair = [positions[index] ?? 0, positions[index + 1] ?? 0]
    const [position = 0, wordPosition = 0] = isBefore ? pair : pair.toReversed()
    const word =
      /^[^\p{L}\d]{0,2}(\p{L}+)[^\p{L}\d]{0,2}$/u.exec(words[wordPosition] ?? '')?.[1] ?? ''
    const name = countedName(word)
    const isNumber = /^[(+]?\d[\d.,]*[^\p{L}\d]{0,2}$/u.test(words[position] ?? '')
    if (name === undefined || !isNumber || counts.has(name)) return new Map()
    counts.set(name, position)
  }
  return counts
}

/**
 * The field of a count in a text with several counts. It is found by the position of its number.
 * `null`: in one of the items, this position counts another thing.
 *
 * @param items All items of the list.
 */
export function countInLineField(
  name: string,
  css: string,
  page: PageContent,
  items: readonly Element[],
): Field | null {
  const find = selecting(page, css)
  const texts: string[] = []
  let position: number | undefined
  for (const item of items) {
    const [element] = find(item)
    if (element === undefined) continue
    const text = textStart(element, LONGEST_LINE + 1, page.budget)
    const own = text.length > LONGEST_LINE ? undefined : numbersIn(text).get(name)
    position ??= own
    if (own === undefined || own !== position) return null
    if (texts.length < MOST_READ) texts.push(text.split(' ')[position] ?? '')
  }
  if (position === undefined) return null
  const field = countField(css, texts, page)
  const as = typeof field === 'object' && 'as' in field ? field.as : undefined
  return {
    css,
    transform: ['collapse', { split: ' ' }, { item: position }],
    ...(as !== undefined && { as }),
  }
}

/** The thing that an element counts. `null`: it is not a count. */
export function countedBy(element: Element, budget: PageBudget): string | null {
  // A label and its number may be in two elements, but not in more.
  if ((element.endIndex ?? 0) - (element.startIndex ?? 0) > MOST_BELOW) return null
  const own = ownText(element)
  const text =
    element.children.filter(isTag).length > 2 ? own : textStart(element, LONGEST + 1, budget)
  return nameOf(element, text) ?? (own === text ? null : nameOf(element, own))
}

function nameOf(element: Element, text: string): string | null {
  if (text.length > LONGEST || !/\d/.test(text)) return null
  const word = (BEFORE.exec(text) ?? AFTER.exec(text))?.[1]
  if (word === undefined && !ALONE.test(text)) return null
  // A dash or a bracket before a number would be its sign.
  const { value, mayBeUnit } = readNumber(text)
  if (!mayBeUnit && (value ?? -1) < 0) return null
  if (word !== undefined) return countedName(word) ?? null
  const { name, attribs } = element
  const names = `${namesOf(element)} ${propertyOf(element)}`.slice(0, 200)
  const counting = COUNTING.find(([, pattern]) => pattern.test(names))
  if (counting !== undefined) return counting[0]
  return name === 'a' && COMMENTS_LINK.test(attribs['href'] ?? '') ? 'comments' : null
}
