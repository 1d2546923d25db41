import { isTag, type Element, type ParentNode } from 'domhandler'
import type { RefusedItems } from '../../../ports/page-processor.ts'
import { tableGrid } from '../format/table-grid.ts'
import type { Parts } from '../page/in-turns.ts'
import type { PageContent } from '../page/page-content.ts'
import { textStart } from '../tree/text-content.ts'
import { whyNoTable } from './data-table.ts'
import { isWithin } from './item-elements.ts'
import { listsOf, namedOf } from './repeated-items.ts'

/** Maximum number of groups that are shown, because a person does not read more. */
const MOST_REFUSED = 8
/** Maximum number of groups that are kept until the best are known. */
const MOST_NOTED = 1_000
/** Number of characters of an item that are shown, and by which groups are compared. */
const MOST_TEXT = 80
/** Number of items that are compared by their text. */
const MOST_COMPARED = 40
/** Number of tables that are checked. */
const MOST_TABLES = 20
/** Names of elements for the main part of a page. A page should have one such element. */
const MOST_MAINS = 5

interface Refused {
  readonly items: readonly Element[]
  readonly why: string
}

/**
 * Returns groups that repeat on a page and are not lists, each with the reason, those with the most
 * text first. Parts of detected lists are left out.
 */
export function* refusedParts(page: PageContent): Parts<readonly RefusedItems[]> {
  const { budget } = page
  budget.work(page.tree.elements.length)
  const groups: Refused[] = []
  const listed = new Set<Element>()
  const lists = listsOf(page, (items, why) => {
    if (groups.length < MOST_NOTED) groups.push({ items, why })
  })
  for (const list of lists) {
    for (const element of list?.elements ?? []) listed.add(element)
    yield
  }
  const isOfList = (element: Element): boolean => {
    for (let node: ParentNode | null = element; node !== null; node = node.parent) {
      budget.work(1)
      if (isTag(node) && listed.has(node)) return true
    }
    return false
  }
  const tables = page.tree.elements.filter(({ name }) => name === 'table').slice(0, MOST_TABLES)
  for (const table of tables) {
    yield
    const why = whyNoTable(table, page)
    const rows = why === null ? [] : tableGrid(table, budget).records.map(({ row }) => row)
    // The reason for the table is preferred, because it says more than the reason for its rows.
    if (why !== null && rows.length > 0) groups.unshift({ items: rows, why })
  }
  yield
  const weighed = groups
    .filter(({ items: [first] }) => first !== undefined && !isOfList(first))
    .map((group) => ({ ...group, weight: weightOf(group, page) }))
    .toSorted((a, b) => b.weight - a.weight)
  const main = mainsOf(page)
  const shown = new Map<string, RefusedItems>()
  const seen = new Set<Element>()
  for (const { items, why } of weighed) {
    const [first] = items
    // Items of one parent may be among those of several.
    if (first === undefined || seen.has(first) || shown.size === MOST_REFUSED) continue
    for (const item of items) seen.add(item)
    const name = nameOf(first)
    const text = textStart(first, MOST_TEXT, budget)
    const isOutside =
      main.length > 0 && !main.some((element) => isWithin(first.startIndex, element))
    const reason = `${items.length} ${name} ${why}${isOutside ? ', and are outside the main part of the page' : ''}.`
    if (!shown.has(reason)) shown.set(reason, { items: name, count: items.length, text, reason })
  }
  return [...shown.values()]
}

/** The elements that a page marks as its main part. A single article counts as such. */
function mainsOf({ tree }: PageContent): readonly Element[] {
  const named = tree.elements.filter(
    ({ name, attribs }) => name === 'main' || attribs['role'] === 'main',
  )
  if (named.length > 0) return named.slice(0, MOST_MAINS)
  const articles = tree.elements.filter(({ name }) => name === 'article')
  return articles.length === 1 ? articles : []
}

function weightOf({ items }: Refused, { budget }: PageContent): number {
  const sample = items.slice(0, MOST_COMPARED)
  const length = sample.reduce((sum, item) => sum + textStart(item, MOST_TEXT, budget).length, 0)
  return (length * items.length) / sample.length
}

function nameOf(item: Element): string {
  const { parent } = item
  return parent !== null && isTag(parent) ? `${namedOf(parent)} > ${namedOf(item)}` : namedOf(item)
}
