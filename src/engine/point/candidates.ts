import { isTag } from 'domhandler'
import type { Element, ParentNode } from 'domhandler'
import type { Json } from '../../kernel/json.ts'
import type {
  PageCandidates,
  PointedElements,
  PointedList,
  PointedSource,
} from '../../ports/page-processor.ts'
import { fieldOf } from '../extract/auto/item-fields.ts'
import { nextLinkParts } from '../extract/auto/next-link.ts'
import {
  positionWithin,
  select,
  selectorParts,
  selectorsWithin,
  selectParts,
  stableClasses,
} from '../extract/auto/stable-selector.ts'
import { QuickPass, type Parts } from '../extract/page/in-turns.ts'
import type { PageContent } from '../extract/page/page-content.ts'
import { textStart } from '../extract/tree/text-content.ts'
import { wordPaths } from './word-paths.ts'

/** Maximum number of selectors that are offered for one element. */
const MOST_SOURCES = 6
/**
 * Maximum number of elements that the search for selectors of one element on a whole page may
 * inspect.
 */
const MOST_INSPECTED = 3_000_000
/** Maximum number of indexes of matches that are returned. */
const MOST_SHOWN = 500
/** Number of items in which each selector is tried. */
const MOST_TRIED = 200
const MOST_LISTS = 3
/** Minimum number of similar siblings in a list. */
const LEAST_ITEMS = 2
/** Allowed wrong matches of a selector for items, as a share of the items. */
const SLACK = 0.1
const MOST_TEXT = 200
const MOST_LEVELS = 40
/** Maximum number of elements of a page on which an element is looked for by words. */
const MOST_BY_WORDS = 5_000
/** Steps to read the class of one element, besides those for its length. */
const KIND_STEPS = 10
const SHOWN_ATTRIBUTES = ['href', 'src', 'alt', 'title', 'datetime', 'content', 'value'] as const
const NOTHING: PageCandidates = {
  name: 'column',
  text: '',
  attributes: {},
  isInItems: false,
  sources: [],
  lists: [],
  link: null,
}

/**
 * Returns proposals for the elements that a user points at: selectors that find the first of them,
 * on the page or in its item, and the lists that contain it. If there is a second element, the
 * lists contain both.
 */
export function* candidateParts(
  page: PageContent,
  { elements, items }: PointedElements = { elements: [] },
): Parts<PageCandidates> {
  const [target, other] = elements.flatMap((index) => page.tree.elements[index] ?? [])
  if (target === undefined) return NOTHING
  const matches = items === undefined ? [] : yield* selectParts(page, items)
  const item =
    matches.findLast((element) => element === target || isWithin(target, element)) ?? null
  yield
  const { name, field } = fieldOf(target, page)
  yield
  const sources =
    items === undefined
      ? yield* onPage(page, target, field)
      : item === null
        ? []
        : yield* inItem(page, target, item, matches, field)
  return {
    name: name ?? nameOf(target),
    text: textStart(target, MOST_TEXT, page.budget),
    attributes: Object.fromEntries(
      SHOWN_ATTRIBUTES.flatMap((attribute) => {
        const value = target.attribs[attribute]
        return value === undefined || value === '' ? [] : [[attribute, value.slice(0, MOST_TEXT)]]
      }),
    ),
    isInItems: item !== null,
    sources,
    lists: items === undefined ? yield* listsWith(page, target, other ?? null) : [],
    link: yield* linkOf(page, target),
  }
}

function isWithin(element: Element, outer: Element): boolean {
  const position = element.startIndex ?? -1
  return position > (outer.startIndex ?? Infinity) && position <= (outer.endIndex ?? -1)
}

type FieldFor = (css: string) => Json

function* onPage(page: PageContent, target: Element, field: FieldFor): Parts<PointedSource[]> {
  const id = target.attribs['id']
  const selectors = new Set<string>()
  if (id !== undefined && /^[A-Za-z][A-Za-z_-]{1,60}$/.test(id)) selectors.add(`#${id}`)
  for (const css of selectorsWithin(page, target, null, MOST_INSPECTED)) {
    if (selectors.size >= MOST_SOURCES) break
    if (css !== null) selectors.add(css)
    yield
  }
  const path = page.tree.root === null ? null : positionWithin(target, page.tree.root)
  if (path !== null && selectors.size < MOST_SOURCES) selectors.add(`html ${path}`)
  for (const words of byWords(page, target, null)) selectors.add(words)
  const sources: PointedSource[] = []
  for (const selector of selectors) {
    yield
    const matches = yield* selectParts(page, selector)
    sources.push({ selector, field: field(selector), ...matched(matches) })
  }
  return sources
}

function* inItem(
  page: PageContent,
  target: Element,
  item: Element,
  items: readonly Element[],
  field: FieldFor,
): Parts<PointedSource[]> {
  const selectors = new Set<string>()
  if (target === item) selectors.add(':scope')
  else {
    for (const css of selectorsWithin(page, target, item)) {
      if (selectors.size >= MOST_SOURCES) break
      if (css !== null) selectors.add(css)
      yield
    }
    const path = positionWithin(target, item)
    if (path !== null) selectors.add(path)
  }
  const words = new Set(byWords(page, target, item))
  // Words in only one item are values themselves.
  const tried = items.slice(0, MOST_TRIED)
  const sources: PointedSource[] = []
  for (const selector of [...selectors, ...words]) {
    yield
    const matches = tried.flatMap((element) =>
      selector === ':scope' ? element : select(page, selector, element).slice(0, 1),
    )
    sources.push({ selector, field: field(selector), ...matched(matches) })
  }
  return sources
    .filter(({ selector, matches }) => !words.has(selector) || matches * 2 > tried.length)
    .toSorted((a, b) => b.matches - a.matches)
}

/** Words are looked for only on small pages, because an XPath reads the text of many elements. */
function byWords(page: PageContent, target: Element, item: Element | null): readonly string[] {
  return page.tree.elements.length > MOST_BY_WORDS ? [] : wordPaths(page, target, item)
}

/**
 * Returns the lists that an element is in. At each level around it, the items are the elements of
 * its kind, at its depth and in parents of one kind. `other`: an element in another item.
 */
function* listsWith(
  page: PageContent,
  target: Element,
  other: Element | null,
): Parts<PointedList[]> {
  const { tree, budget } = page
  const levels: Element[] = []
  for (
    let level: Element['parent'] = target;
    level !== null && isTag(level) && levels.length < MOST_LEVELS;
    level = level.parent
  ) {
    if (level.name === 'body' || level.name === 'html') break
    if (other !== null && (other === level || isWithin(other, level))) break
    levels.push(level)
  }
  budget.work(levels.length + tree.elements.length)
  // Each class is read once, because the parent of all elements may have a long class.
  const kinds = new Map<ParentNode, string>()
  const kindOf = (element: Element): string => {
    const present = kinds.get(element)
    if (present !== undefined) return present
    budget.work(KIND_STEPS + (element.attribs['class']?.length ?? 0))
    const kind = `${element.name}.${stableClasses(element)[0] ?? ''}`
    kinds.set(element, kind)
    return kind
  }
  /** The kinds of an element and its parent, each with its first class. */
  const levelOf = (element: Element): string => {
    const { parent } = element
    return `${kindOf(element)}|${parent !== null && isTag(parent) ? kindOf(parent) : ''}`
  }
  // All elements are visited once, because the levels around an element may be many and of the same
  // kind.
  const groups = new Map(levels.toReversed().map((level) => [levelOf(level), new Array<Element>()]))
  const names = new Set(levels.map(({ name }) => name))
  const pass = new QuickPass(budget)
  for (const element of tree.elements) {
    if (pass.ends()) yield
    if (names.has(element.name)) groups.get(levelOf(element))?.push(element)
  }
  const candidates = [...groups.values()]
    .filter(
      (items) =>
        items.length >= LEAST_ITEMS &&
        (other === null || items.some((item) => item === other || isWithin(other, item))),
    )
    // If an item has several wrappers, the outermost comes first, because it contains all of the
    // item.
    .toSorted((a, b) => b.length - a.length)
    .filter((items, index, all) => index === 0 || items.length !== all[index - 1]?.length)
  const lists: PointedList[] = []
  for (const group of candidates) {
    if (lists.length === MOST_LISTS) break
    yield
    const items = yield* selectorParts(page, group, SLACK)
    if (items === null) continue
    const matches = yield* selectParts(page, items)
    lists.push({ items, ...matched(matches) })
  }
  return lists
}

function* linkOf(page: PageContent, target: Element): Parts<PageCandidates['link']> {
  for (
    let element: Element['parent'] = target;
    element !== null && isTag(element);
    element = element.parent
  ) {
    const href = element.name === 'a' ? element.attribs['href'] : undefined
    if (href === undefined) continue
    const url = page.resolve(href)
    if (url === null) return null
    const next = yield* nextLinkParts(page)
    return { url, next: next?.url === url ? next.css : null }
  }
  return null
}

/** A column's name, made from the element's names in the page. */
function nameOf(element: Element): string {
  const label = element.attribs['itemprop'] ?? stableClasses(element).at(-1)
  const name = label
    ?.split(/__|--/)
    .at(-1)
    ?.replace(/[^A-Za-z\d]+/g, '_')
    .toLowerCase()
  if (name !== undefined && /^[a-z]\w{0,40}$/.test(name)) return name
  if (/^h[1-6]$/.test(element.name)) return 'title'
  return element.name === 'a' ? 'link' : 'column'
}

/** The number of elements that a selector matches, and the indexes of those that are shown. */
function matched(elements: readonly Element[]): Pick<PointedSource, 'matches' | 'elements'> {
  return {
    matches: elements.length,
    elements: elements.slice(0, MOST_SHOWN).flatMap(({ startIndex }) => startIndex ?? []),
  }
}
