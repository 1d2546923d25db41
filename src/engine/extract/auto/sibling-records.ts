import { isTag, type Element } from 'domhandler'
import type { PageBudget } from '../page/page-budget.ts'
import { textStart } from '../tree/text-content.ts'
import { classOf, within } from './item-elements.ts'
import { stableClasses } from './stable-selector.ts'

/** The other elements of each record, by its first element. */
export type Followers = ReadonlyMap<Element, readonly Element[]>

/** Records without an element around them: each consists of a first element and those after it. */
export interface SiblingRecords {
  readonly heads: readonly Element[]
  readonly followers: Followers
  /** True for headings that are not links, above texts with a link that begins with the same word. */
  readonly areBlurbs: boolean
}

const LEAST_RECORDS = 3
/** Maximum number of elements of a record besides the first. */
const MOST_FOLLOWERS = 5
/** Minimum share of the records that consist of the same elements. */
const LEAST_ALIKE = 0.8
/** Maximum number of children that are compared. A parent with more is not a list for people. */
const MOST_CHILDREN = 50_000
/** Maximum number of elements in a child that are compared with those in another one. */
const MOST_COMPARED = 60
/** Similarity from which two elements are two records and not two parts of one. */
const TOO_ALIKE = 0.6
/** Maximum number of characters of a link to the full text: `Read more`. */
const LONGEST_LEAD = 40
/** A longer term is a text. */
const LONGEST_TERM = 200
const HEADING = /^h[2-6]$/
const TARGET = /^(?!#|javascript:)./i
/** Maximum number of elements of a text among which the link to the full text is looked for. */
const MOST_LINKED = 200
const SILENT = new Set(['script', 'style', 'noscript', 'template', 'svg', 'br', 'hr'])
const SHOWN = new Set(['img', 'picture', 'video', 'iframe', 'input', 'button'])

/**
 * Returns the records among the children of an element: a row of a table with the row below it, a
 * term with its description, a linked heading with its paragraphs. `null`: there are no such
 * records.
 */
export function recordsAmong(parent: Element, budget: PageBudget): SiblingRecords | null {
  const children: Element[] = []
  for (const child of parent.children)
    if (isTag(child) && !SILENT.has(child.name) && children.push(child) > MOST_CHILDREN) return null
  if (children.length < 2 * LEAST_RECORDS) return null
  budget.work(8 * children.length)
  const kinds = children.map(kindOf)
  const kind = kindOfHeads(kinds)
  if (kind === null || kinds.every((other) => other === kind)) return null
  const records = recordsFrom(children, kinds, kind, budget)
  if (records.length < LEAST_RECORDS) return null
  const isOfTerms = kind === 'dt'
  const isOfHeadings = HEADING.test(kind.split('.')[0] ?? '')
  const shapes = records.map(([, ...rest]) => rest.map(kindOf).join(' '))
  const fitting =
    isOfTerms || isOfHeadings
      ? shapes.filter((shape) => shape !== '').length
      : mostFrequent(shapes.filter((shape) => shape !== ''))
  if (fitting < LEAST_ALIKE * records.length) return null
  if (isOfTerms && !records.every(([term]) => term !== undefined && isTerm(term, budget)))
    return null
  const areBlurbs = isOfHeadings && !areLinked(records, budget)
  if (areBlurbs && wordsThatLead(belowAll(records, budget), budget).size === 0) return null
  if (!isOfTerms && !isOfHeadings && arePairs(records, budget)) return null
  const followers = new Map<Element, readonly Element[]>()
  for (const [head, ...rest] of records) if (head !== undefined) followers.set(head, rest)
  return { heads: [...followers.keys()], followers, areBlurbs }
}

function belowAll(records: readonly (readonly Element[])[], budget: PageBudget): Element[][] {
  return records.map(([, ...rest]) =>
    rest.flatMap((follower) => [follower, ...within(follower, budget, MOST_LINKED)]),
  )
}

/** Joins the records of several columns of the page: those with heads of one kind, in one element. */
export function acrossColumns(records: readonly SiblingRecords[]): SiblingRecords[] {
  const headings = records.filter(({ heads: [head] }) => head && HEADING.test(head.name))
  const columns = Map.groupBy(headings, ({ heads: [head] }) => head?.parent?.parent ?? null)
  return [...columns.values()]
    .flatMap((column) => [
      ...Map.groupBy(column, ({ heads: [head] }) => head && kindOf(head)).values(),
    ])
    .filter((alike) => alike.length > 1)
    .map((alike) => ({
      heads: alike.flatMap(({ heads }) => heads),
      followers: new Map(alike.flatMap(({ followers }) => [...followers])),
      areBlurbs: alike.every(({ areBlurbs }) => areBlurbs),
    }))
}

/**
 * Returns the words that begin the links below most of the heads, each to its own page: `Full
 * story`, `Comments (3)`. Such a link leads to the full page of a text.
 */
export function wordsThatLead(
  below: readonly (readonly Element[])[],
  budget: PageBudget,
): ReadonlySet<string> {
  const targets = new Map<string, Set<string>>()
  for (const elements of below)
    for (const link of elements) {
      const word = wordOfLink(link, budget)
      if (word === null) continue
      const alike = targets.get(word) ?? new Set()
      targets.set(word, alike.add(link.attribs['href'] ?? ''))
    }
  const least = Math.max(LEAST_RECORDS, LEAST_ALIKE * below.length)
  return new Set([...targets].filter(([, { size }]) => size >= least).map(([word]) => word))
}

/** The first word of a short link to a page. */
export function wordOfLink(link: Element, budget: PageBudget): string | null {
  if (link.name !== 'a' || !TARGET.test(link.attribs['href'] ?? '')) return null
  const text = textStart(link, LONGEST_LEAD + 1, budget)
  return text.length > LONGEST_LEAD ? null : (/^\p{L}{3,}/u.exec(text)?.[0].toLowerCase() ?? null)
}

/** The kind of a term is only its tag, because its classes describe its state. */
function kindOf(element: Element): string {
  return element.name === 'dt' || element.name === 'dd'
    ? element.name
    : `${element.name}.${stableClasses(element)[0] ?? ''}`
}

/** The first kind that comes often enough. */
function kindOfHeads(kinds: readonly string[]): string | null {
  const counts = new Map<string, number>()
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return kinds.find((kind) => (counts.get(kind) ?? 0) >= LEAST_RECORDS) ?? null
}

/** Each first element, with the visible elements up to the next first element. */
function recordsFrom(
  children: readonly Element[],
  kinds: readonly string[],
  kind: string,
  budget: PageBudget,
): Element[][] {
  const records: Element[][] = []
  for (const [index, child] of children.entries())
    if (kinds[index] === kind) records.push([child])
    else if (isShown(child, budget)) records.at(-1)?.push(child)
  // The elements after the last record may belong to the rest of the page.
  const longest = Math.max(0, ...records.slice(0, -1).map(({ length }) => length))
  records.at(-1)?.splice(Math.max(1, longest))
  return longest > MOST_FOLLOWERS + 1 ? [] : records
}

function isShown(element: Element, budget: PageBudget): boolean {
  return (
    textStart(element, 1, budget) !== '' ||
    SHOWN.has(element.name) ||
    within(element, budget, MOST_COMPARED).some(({ name }) => SHOWN.has(name))
  )
}

function mostFrequent(shapes: readonly string[]): number {
  const counts = new Map<string, number>()
  for (const shape of shapes) counts.set(shape, (counts.get(shape) ?? 0) + 1)
  return Math.max(0, ...counts.values())
}

function isTerm(term: Element, budget: PageBudget): boolean {
  const { length } = textStart(term, LONGEST_TERM + 1, budget)
  return length > 0 && length <= LONGEST_TERM
}

/**
 * True if most of the headings lead to pages of their own. Otherwise they are the sections of a
 * text.
 */
function areLinked(records: readonly (readonly Element[])[], budget: PageBudget): boolean {
  const targets = new Set<string>()
  for (const [heading] of records) {
    const link =
      heading === undefined
        ? undefined
        : within(heading, budget, MOST_COMPARED).find(
            ({ name, attribs }) => name === 'a' && TARGET.test(attribs['href'] ?? ''),
          )
    if (link !== undefined) targets.add(link.attribs['href'] ?? '')
  }
  return targets.size >= LEAST_ALIKE * records.length
}

/**
 * True if the following element is built like the first one, because rows of two colours are two
 * records.
 */
function arePairs(records: readonly (readonly Element[])[], budget: PageBudget): boolean {
  const pairs = records.filter(([head, ...rest]) =>
    rest.some(
      (other) =>
        head !== undefined &&
        ((other.name === head.name && areAlike(head, other)) || holdsLike(head, other)),
    ),
  )
  /** True for an element with another first element in it: an answer to a post. */
  function holdsLike(head: Element, other: Element): boolean {
    return (
      stableClasses(head).length > 0 &&
      within(other, budget, MOST_COMPARED).some((inner) => kindOf(inner) === kindOf(head))
    )
  }
  function areAlike(head: Element, other: Element): boolean {
    const [own, others] = [head, other].map((element) => shapeOf(element, budget))
    if (own === undefined || others === undefined) return false
    if (own.size === 0 && others.size === 0) return stem(head) === stem(other)
    const common = [...own].filter((name) => others.has(name)).length
    return common >= TOO_ALIKE * new Set([...own, ...others]).size
  }
  return pairs.length * 2 > records.length
}

/** Numbers are left out, so that `row1` and `row2` are the same name. */
function stem(element: Element): string {
  return classOf(element).replace(/\d+|odd|even|alt/gi, '')
}

/** The kinds of the elements below one. */
function shapeOf(element: Element, budget: PageBudget): ReadonlySet<string> {
  return new Set(within(element, budget, MOST_COMPARED).map(kindOf))
}
