import { isTag } from 'domhandler'
import type { ChildNode, Element } from 'domhandler'
import { isBeside, placementOf } from '../format/beside.ts'
import { mainContent, mainParts } from '../format/main-content.ts'
import { asNothing, filterParts, inSlices, QuickPass, type Parts } from '../page/in-turns.ts'
import type { PageBudget } from '../page/page-budget.ts'
import type { PageContent } from '../page/page-content.ts'
import { textOf, textParts } from '../tree/text-content.ts'
import { selectorParts } from './stable-selector.ts'
import type { Field } from '../../recipe/recipe-input.ts'
import { countedAmong } from './counted-items.ts'
import { classOf, isWithin } from './item-elements.ts'
import { itemFieldParts } from './item-fields.ts'
import {
  acrossLevels,
  acrossParents,
  kindOf,
  LEAST_PARTS,
  MIN_ITEMS,
  MOST_TAG,
  selectorByStart,
  type Siblings,
  withFirst,
  withNested,
} from './item-groups.ts'
import { listForms, textLengths } from './list-forms.ts'
import { recordRows, rowsOnly, withoutEnds, withTitle } from './list-rows.ts'
import { scoreOf } from './list-score.ts'
import {
  acrossColumns,
  recordsAmong,
  type Followers,
  type SiblingRecords,
} from './sibling-records.ts'

/** Elements of one kind that stand side by side. */
interface RepeatedItems {
  readonly items: readonly Element[]
  /** Elements beside each item that belong to it. `null`: there are none. */
  readonly followers: Followers | null
  /** A higher score means that the page is more likely about these items. */
  readonly score: number
  /** True if nearly all have the same parts, and a link or other marks of a record. */
  readonly isSame: boolean
  /** True for headings above texts, with links to pages of their own. */
  readonly areBlurbs: boolean
}

/**
 * An element whose name says that it is not content counts as content from this share of the page's
 * text on.
 */
const MOST_TEXT_BESIDE = 0.5
/** Minimum share of the items in their containers' text. With less, the items are not the subject. */
const MOST_OF_OUTER = 0.6
/** Maximum number of groups that are compared with each other. */
const MOST_COMPARED = 30
const MENU = /(?:^|[\s_-])menu(?:$|[\s_-])/i
/** Steps to check an element's names against some patterns. */
const NAME_STEPS = 16
const ITEM_TAGS = new Set([
  'li',
  'article',
  'div',
  'section',
  'tr',
  'table',
  'a',
  'dl',
  'figure',
  'td',
  'product',
  'p',
  'span',
  'details',
])

/**
 * Returns groups of similar elements that look like a list of records, best first. A group has one
 * parent, or several that are alike, such as rows of four cards.
 */
function* repeatedItems(
  page: PageContent,
  forms: ReadonlySet<Element>,
  refuse: Refuse | null,
): Parts<RepeatedItems[]> {
  const lengths = yield* textLengths(page)
  yield
  const { siblings, parents } = yield* siblingsOf(page, lengths, forms, refuse)
  const records: SiblingRecords[] = []
  for (const slice of inSlices(parents)) {
    for (const parent of slice) {
      const among = recordsAmong(parent, page.budget)
      if (among !== null) records.push(among)
    }
    yield
  }
  const groups: RepeatedItems[] = []
  // A page may have as many groups as elements, so they are not collected in a list.
  const consider = (
    items: readonly Element[],
    followers: Followers | null = null,
    areBlurbs = false,
  ): void => {
    if (items.length < MIN_ITEMS) {
      if (items.length > 1) refuse?.(items, `are ${items.length}; a list has ${MIN_ITEMS} or more`)
      return
    }
    const { value: score, isSame, flaw } = scoreOf(items, followers, page.budget)
    if (flaw !== null) refuse?.(items, flaw)
    if (score > 0) groups.push({ items, followers, score, isSame, areBlurbs })
  }
  for (const slice of inSlices(siblings)) {
    for (const { items } of slice) consider(items)
    yield
  }
  for (const slice of inSlices(yield* acrossParents(siblings, page.budget))) {
    yield
    for (const items of slice) consider(items)
  }
  for (const slice of inSlices(acrossLevels(siblings, page.budget))) {
    yield
    for (const items of slice) consider(items)
  }
  for (const slice of inSlices([...acrossColumns(records), ...records])) {
    yield
    for (const { heads, followers, areBlurbs } of slice) consider(heads, followers, areBlurbs)
  }
  yield
  return withoutContainers(
    groups.toSorted((a, b) => b.score - a.score),
    lengths,
    page.budget,
  )
}

/** The children of a parent by their kind, and the kinds of those that are beside the content. */
interface Kinds {
  readonly byKind: Map<string, Element[]>
  readonly aside: Set<string>
}

/** The groups of elements that may be items, and all parents of content. */
function* siblingsOf(
  page: PageContent,
  lengths: readonly number[],
  forms: ReadonlySet<Element>,
  refuse: Refuse | null,
): Parts<{ readonly siblings: readonly Siblings[]; readonly parents: readonly Element[] }> {
  const { elements } = page.tree
  const body = elements.find(({ name }) => name === 'body')
  const most = MOST_TEXT_BESIDE * (lengths[body?.startIndex ?? 0] ?? 0)
  // Authors make mistakes, a whole page may be in a form, and a forum consists of comments. So an
  // element with half of the text counts as content, and so do comments with a quarter of it.
  const isAside = (element: Element): boolean => {
    if (forms.has(element) || !isBeside(element)) return false
    const placement = placementOf(element, true)
    // A menu without links is one of a restaurant.
    if (placement === 'beside' && MENU.test(classOf(element)) && !hasLink(element)) return false
    const limit = placement === 'comments' ? most / 2 : most
    return placement === 'never' || (lengths[element.startIndex ?? 0] ?? 0) < limit
  }
  const hasLink = (element: Element): boolean => {
    const { startIndex, endIndex } = element
    const below = elements.slice((startIndex ?? 0) + 1, (endIndex ?? -1) + 1)
    page.budget.work(1 + below.length)
    return below.some(({ name }) => name === 'a')
  }
  const groups: Siblings[] = []
  const parents: Element[] = []
  // Parents come before their children, so one pass is enough.
  const around = new Map<Element, Element>()
  const pass = new QuickPass(page.budget)
  for (const slice of inSlices(elements)) {
    page.budget.work(NAME_STEPS * slice.length)
    for (const parent of slice) {
      if (!addParent(parent)) continue
      const kinds: Kinds = { byKind: new Map(), aside: new Set() }
      for (const child of parent.children) {
        if (pass.ends()) yield
        addChild(kinds, child)
      }
      addGroups(parent, kinds)
    }
    yield
  }
  return { siblings: groups, parents }

  /** Adds an element to the parents of content. False: it is none. */
  function addParent(parent: Element): boolean {
    const above = parent.parent
    const aroundAbove = above !== null && isTag(above) ? around.get(above) : undefined
    const beside = aroundAbove ?? (isAside(parent) ? parent : undefined)
    if (beside !== undefined) around.set(parent, beside)
    if (parent.name === 'head' || parent.name === 'select' || parent.name === 'svg') return false
    if (beside !== undefined) {
      if (refuse !== null) refuseBeside(parent, beside, refuse)
      return false
    }
    parents.push(parent)
    return true
  }

  function addChild({ byKind, aside }: Kinds, child: ChildNode): void {
    if (!isTag(child) || !ITEM_TAGS.has(child.name)) return
    const isBesideOthers = isAside(child)
    if (isBesideOthers && placementOf(child, true) === 'never') return
    const kind = isBesideOthers ? `${kindOf(child)} aside` : kindOf(child)
    if (isBesideOthers) aside.add(kind)
    const alike = byKind.get(kind)
    if (alike === undefined) byKind.set(kind, [child])
    else alike.push(child)
  }

  function addGroups(parent: Element, { byKind, aside }: Kinds): void {
    const ownLength = lengths[parent.startIndex ?? 0] ?? 0
    for (const [kind, items] of byKind) {
      // On a forum each comment is named as a comment, and among ads each is named as an ad.
      const share = aside.has(kind)
        ? items.reduce((sum, item) => sum + (lengths[item.startIndex ?? 0] ?? 0), 0)
        : Infinity
      if (share >= Math.max(most / 2, ownLength / 2))
        groups.push({ kind, parent, items: countedAmong(items, page.budget) })
      else refuse?.(items, 'are marked as beside the content')
    }
  }
}

/** Refuses groups in an element outside the content. */
function refuseBeside(parent: Element, beside: Element, refuse: Refuse): void {
  const children = parent.children.filter(isTag).filter(({ name }) => ITEM_TAGS.has(name))
  for (const items of Map.groupBy(children, kindOf).values())
    if (items.length > 1) refuse(items, `are in ${namedOf(beside)}, which is beside the content`)
}

/** A short name of an element, in the form of a selector: `nav#top.menu`. */
export function namedOf(element: Element): string {
  const { name, attribs } = element
  const id = attribs['id'] ?? ''
  const [first = ''] = classOf(element).trim().split(/\s+/, 1)
  const named = `${name}${id === '' ? '' : `#${id}`}${first === '' ? '' : `.${first}`}`
  return named.slice(0, MOST_TAG)
}

/**
 * Puts inner items before the elements that contain several of them: cards before their rows and
 * sections.
 */
function withoutContainers(
  groups: readonly RepeatedItems[],
  lengths: readonly number[],
  budget: PageBudget,
): RepeatedItems[] {
  const best = groups.slice(0, MOST_COMPARED)
  const lengthOf = (items: readonly Element[]): number =>
    items.reduce((sum, item) => sum + (lengths[item.startIndex ?? 0] ?? 0), 0)
  const raised = best.map((inner) => {
    let { score } = inner
    for (const outer of best) {
      if (!inner.isSame || inner.items.length < LEAST_PARTS * outer.items.length) continue
      budget.work(inner.items.length + outer.items.length)
      if (
        outer.score >= score &&
        areIn(inner.items, wholeOf(outer)) &&
        lengthOf(inner.items) >= MOST_OF_OUTER * lengthOf(wholeOf(outer))
      )
        score = outer.score * 1.01
    }
    return { ...inner, score }
  })
  return raised.toSorted((a, b) => b.score - a.score)
}

/** The items with what belongs to them, in document order. */
function wholeOf({
  items,
  followers,
}: Pick<RepeatedItems, 'items' | 'followers'>): readonly Element[] {
  return followers === null
    ? items
    : items.flatMap((item) => [item, ...(followers.get(item) ?? [])])
}

/** True if each inner element is in one of the outer ones. Both are in document order. */
function areIn(inner: readonly Element[], outer: readonly Element[]): boolean {
  let index = 0
  return inner.every(({ startIndex }) => {
    const start = startIndex ?? 0
    while (index < outer.length && (outer[index]?.endIndex ?? 0) < start) index++
    return (outer[index]?.startIndex ?? Infinity) < start
  })
}

/** A list of records: its items and the fields of each. */
export interface BestList {
  readonly items: string
  readonly fields: Record<string, Field>
  /** The first fields, without unnamed texts. */
  readonly roleCount: number
  readonly count: number
  /** The characters of the items. */
  readonly length: number
  /** The items' share of the main content's text. */
  readonly share: number
  readonly elements: readonly Element[]
  /** True for headings above texts, with links to pages of their own. */
  readonly areBlurbs: boolean
}

/** Maximum number of groups among which the best list is looked for. */
const MOST_TRIED = 5
const LEAST_COLUMNS = 2

/** Called with repeated elements that are not a list, and with the reason as the end of a sentence. */
export type Refuse = (items: readonly Element[], why: string) => void

/** Returns the list that the page is most likely about, or `null` if nothing on it repeats. */
export function* bestListParts(page: PageContent): Parts<BestList | null> {
  for (const list of listsOf(page)) {
    if (list !== null) return list
    yield
  }
  return null
}

/** Lists, and `null` between parts of the work on them. */
export type Lists = Generator<BestList | null, void, undefined>

/**
 * Yields the lists of a page on demand, best first. Parts of the items of a list, and elements
 * around them, do not count as another list.
 */
export function* listsOf(page: PageContent, refuse: Refuse | null = null): Lists {
  const refused: Parameters<Refuse>[] = []
  let count = 0
  for (const list of listsBeside(page, new Set(), refuse && ((...group) => refused.push(group)))) {
    if (list !== null && count++ === 0 && !isOfGoods(list)) {
      const { budget } = page
      const goods = goodsInForms(page)
      yield yield* asNothing(budget.attemptPartsWithin(FORMS_SHARE, budget.where, goods, null))
    }
    yield list
  }
  // A form beside a list is a filter, even if it has much text.
  const forms = count > 0 ? null : yield* asNothing(listForms(page))
  if (forms !== null && forms.size > 0) yield* listsBeside(page, forms, refuse)
  else for (const group of refused) refuse?.(...group)
}

/** True for products with prices and pages of their own. */
export function isOfGoods({ fields }: Pick<BestList, 'fields'>): boolean {
  return ['title', 'url', 'price'].every((name) => Object.hasOwn(fields, name))
}

/** Minimum number of elements of a form with several products. */
const LEAST_IN_FORM = 24
/** Minimum share of the text for a form with products, which have more pictures than words. */
const LEAST_GOODS = 0.1

/** Share of the rest of a budget for forms beside a list, which is the page's if it ends there. */
const FORMS_SHARE = 0.5

/** Returns the list of products in a form, where shops let buyers compare or order them. */
function* goodsInForms(page: PageContent): Parts<BestList | null> {
  const isLarge = ({ name, startIndex, endIndex }: Element): boolean =>
    name === 'form' && (endIndex ?? 0) - (startIndex ?? 0) >= LEAST_IN_FORM
  const large = yield* filterParts(page.tree.elements, isLarge, page.budget, 1)
  const forms = large.length === 0 ? null : yield* listForms(page, LEAST_GOODS)
  if (forms === null || forms.size === 0) return null
  for (const list of listsBeside(page, forms, null)) {
    if (list !== null) return isOfGoods(list) && areIn(list.elements, [...forms]) ? list : null
    yield
  }
  return null
}

/** Yields the lists of a page outside of forms, except in forms that count as content. */
function* listsBeside(
  page: PageContent,
  forms: ReadonlySet<Element>,
  refuse: Refuse | null,
): Lists {
  const main = yield* asNothing(mainParts(page))
  const repeated = yield* asNothing(repeatedItems(page, forms, refuse))
  const groups = repeated.filter(({ items }) => {
    const isLayout = main !== null && items.some((item) => isWithin(main.startIndex, item))
    if (isLayout) refuse?.(items, 'are around the main content, as its layout')
    return !isLayout
  })
  const listed: (readonly Element[])[] = []
  /** The elements of records that are side by side. */
  const parts = new Set<Element>()
  const selectors = new Set<string>()
  let tried = 0
  for (const group of groups) {
    const items = wholeOf(group)
    if (listed.some((other) => areIn(items, other) || areIn(other, items))) continue
    if (areAmong(group.items, parts)) continue
    if (++tried > MOST_TRIED) {
      if (refuse === null) return
      refuse(items, `come after ${MOST_TRIED} that look more like a list`)
      continue
    }
    yield null
    const list = yield* asNothing(listOf(page, group, refuse))
    // Groups of one parent and of several may have one selector.
    if (list === null || selectors.has(list.items)) continue
    selectors.add(list.items)
    listed.push(items)
    if (group.followers !== null) for (const part of items) parts.add(part)
    yield list
  }
}

/** The next of some lists, or `null` after the last. */
export function* nextOf(lists: Lists): Generator<null, BestList | null, undefined> {
  for (;;) {
    const step = lists.next()
    if (step.done === true) return null
    if (step.value !== null) return step.value
    yield null
  }
}

function areAmong(items: readonly Element[], parts: ReadonlySet<Element>): boolean {
  return parts.size > 0 && items.every((item) => parts.has(item))
}

function* listOf(
  page: PageContent,
  group: RepeatedItems,
  refuse: Refuse | null,
): Parts<BestList | null> {
  const { followers } = group
  const alike = withFirst(group.items, page.budget)
  const css = yield* selectorParts(page, alike, 0.34)
  const items = recordRows(alike, page.budget)
  if (css === null) {
    refuse?.(items, 'have no selector that excludes other parts of the page')
    return null
  }
  const { fields, roleCount } = yield* itemFieldParts(page, items, followers)
  yield
  const columns = Object.keys(fields)
  if (columns.length < LEAST_COLUMNS) {
    refuse?.(items, `give ${columns.length === 0 ? 'no column' : `only the column ${columns[0]}`}`)
    return null
  }
  const isPost = Object.hasOwn(fields, 'author') && Object.hasOwn(fields, 'text')
  const all = isPost ? withNested(page, items) : items
  const ofAll =
    all.length > items.length
      ? ((yield* selectorParts(page, all, 0)) ?? selectorByStart(page, all))
      : null
  yield
  const rows = yield* rowsOnly(page, ofAll ?? (yield* withTitle(page, css, fields)), alike)
  const titled = yield* withoutEnds(page, rows, fields)
  yield
  const main = mainContent(page)
  const whole = wholeOf(group)
  let length = 0
  for (const slice of inSlices(whole)) {
    for (const item of slice) length += textOf(item, page.budget).length
    yield
  }
  const content = main === null ? null : yield* textParts(main, page.budget)
  return {
    items: titled,
    fields,
    roleCount,
    count: ofAll === null ? items.length : all.length,
    elements: whole,
    areBlurbs: group.areBlurbs,
    length,
    share: content === null ? 0 : length / Math.max(1, content.length),
  }
}
