import { isTag, isText, type Element } from 'domhandler'
import type { PageBudget } from '../page/page-budget.ts'
import { textStart } from '../tree/text-content.ts'
import { namesOf } from './item-elements.ts'
import { hasWordBesideMoney, MONEY } from './item-roles.ts'
import type { Followers } from './sibling-records.ts'

/** A score for how much similar elements look like a list of records. */
export interface ListScore {
  /** The higher it is, the more likely the page is about these items. */
  readonly value: number
  /** True if nearly all items have the same parts, and a link or other marks of a record. */
  readonly isSame: boolean
  /**
   * The reason why the items are not records, as the end of a sentence about them. `null`: they may
   * be records.
   */
  readonly flaw: string | null
}

/** Elements that name the text after them. */
const NAMES = /^(?:dt|h[1-6])$/
/** Maximum characters inspected per item, because lists may be nested. */
const MOST_TEXT = 400
const MOST_ELEMENTS = 2_000
/** Number of items that are checked. */
const SAMPLE = 40
/** Minimum mean number of characters of an item. */
const LEAST_TEXT = 12
/** Minimum share of the items with a link, or with other marks of a record. */
const LEAST_RICH = 0.5
/**
 * Maximum number of characters of a text with a name and a price, and the minimum share of the
 * items with such a text.
 */
const MOST_PRICED = 80
const LEAST_PRICED = 0.8
/** Number of characters above which more characters do not raise the score. */
const ENOUGH_TEXT = 250

/**
 * Scores elements of one kind. A record has a link, words, and often a picture or a heading, and
 * its siblings have the same. A menu has only links.
 */
export function scoreOf(
  items: readonly Element[],
  followers: Followers | null,
  budget: PageBudget,
): ListScore {
  const sample =
    items.length > SAMPLE
      ? items.filter((_, index) => index % Math.ceil(items.length / SAMPLE) === 0)
      : items
  let total = 0
  let linked = 0
  let rich = 0
  let priced = 0
  const shapes = new Map<string, number>()
  for (const item of sample) {
    const beside = followers?.get(item) ?? []
    const shape = new Set<string>()
    let hasLink = item.name === 'a'
    // A term or a heading with its description counts more than its words.
    let parts = followers !== null && NAMES.test(item.name) ? 1 : 0
    let hasPrice = false
    for (const root of [item, ...beside]) {
      const text = textStart(root, MOST_TEXT, budget)
      total += text.length
      hasPrice ||= text.length <= MOST_PRICED && MONEY.test(text) && hasWordBesideMoney(text)
      budget.work(1 + 4 * Math.min(MOST_ELEMENTS, (root.endIndex ?? 0) - (root.startIndex ?? 0)))
      walkElements(root, (element) => {
        shape.add(element.name)
        if (element.name === 'a') hasLink = true
        if (
          element.name === 'img' ||
          /^(?:h[1-6]|time|summary)$/.test(element.name) ||
          /price/i.test(namesOf(element))
        )
          parts++
      })
    }
    if (hasLink) linked++
    if (hasPrice) priced++
    if (parts > 0) rich++
    const key = [...shape].toSorted().join()
    shapes.set(key, (shapes.get(key) ?? 0) + 1)
  }
  const count = sample.length
  const average = total / count
  // A name with a price is a record, even if it is short.
  const arePriced = priced >= LEAST_PRICED * count
  if (followers === null && 2 * sample.filter(isRunningText).length > count)
    return flawed('are paragraphs of running text')
  if (average < LEAST_TEXT && !arePriced && !areIndexed(sample, budget))
    return flawed(`have ${Math.round(average)} characters of text each`)
  if (!arePriced && linked / count < LEAST_RICH && rich / count < LEAST_RICH)
    return flawed('have no links, and no pictures, headings, dates or prices')
  const alike = Math.max(...shapes.values()) / count
  const value =
    Math.sqrt(items.length) *
    Math.min(average, ENOUGH_TEXT) *
    (0.4 + 0.6 * alike) *
    (1 + 2 * (rich / count)) *
    (0.5 + linked / count)
  const isSame = alike >= 0.7 && Math.max(linked, rich, priced) >= 0.8 * count
  return { value, isSame, flaw: null }
}

/** Number of nodes at the start of a paragraph among which its first words are looked for. */
const MOST_BEFORE = 4

/** True for a paragraph that begins with its own words. One of a list begins with a link or a name. */
function isRunningText({ name, children }: Element): boolean {
  if (name !== 'p') return false
  const first = children
    .slice(0, MOST_BEFORE)
    .find((node) => isTag(node) || (isText(node) && node.data.trim() !== ''))
  return first !== undefined && isText(first) && first.data.trim().length > 3
}

/** Matches an initial above the entries of an index: `A`, `#`, `0-9`. */
const INITIAL = /^(?:\p{L}|#|\d|\d\s?[-–]\s?\d)$/u
const LONGEST_INITIAL = 6
/**
 * Maximum number of nodes beside the entries, such as comments and spaces, among which the initial
 * is looked for.
 */
const MOST_BESIDE = 10
/** Minimum number of groups of an index, and the minimum share of entries below their initial. */
const LEAST_INITIALS = 3
const LEAST_INDEXED = 0.8

/** True for the entries of an index, each below its first letter. They may be of any length. */
function areIndexed(items: readonly Element[], budget: PageBudget): boolean {
  const initials = new Map<Element, string | null>()
  let indexed = 0
  for (const item of items) {
    const { parent } = item
    if (parent === null || !isTag(parent)) return false
    let initial = initials.get(parent)
    if (initial === undefined) initials.set(parent, (initial = initialAbove(parent, item, budget)))
    const [first = ''] = textStart(item, 1, budget)
    const isLetter = /\p{L}/u.test(first)
    // Below a digit or a sign are entries that do not begin with a letter.
    if (isLetter ? initial === first.toLowerCase() : initial !== null && !/\p{L}/u.test(initial))
      indexed++
  }
  const groups = [...initials.values()].filter((initial) => initial !== null)
  return new Set(groups).size >= LEAST_INITIALS && indexed >= LEAST_INDEXED * items.length
}

/** The letter before the entries, or before the element that contains them. */
function initialAbove(parent: Element, item: Element, budget: PageBudget): string | null {
  let before = parent.prev
  for (let left = MOST_BESIDE; left > 0 && before !== null && !isTag(before); left--)
    before = before.prev
  const first = parent.children.slice(0, MOST_BESIDE).find(isTag) ?? null
  for (const node of [first, before]) {
    if (node === null || node === item || !isTag(node)) continue
    const text = textStart(node, LONGEST_INITIAL, budget)
    if (INITIAL.test(text)) return text.toLowerCase()
  }
  return null
}

function flawed(flaw: string): ListScore {
  return { value: 0, isSame: false, flaw }
}

function walkElements(root: Element, visit: (element: Element) => void): void {
  const open: Element[] = [root]
  let left = MOST_ELEMENTS
  for (let element = open.pop(); element !== undefined; element = open.pop()) {
    for (const child of element.children) {
      if (left-- <= 0) return
      if (!isTag(child)) continue
      visit(child)
      open.push(child)
    }
  }
}
