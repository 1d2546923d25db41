import { isTag, isText, type Element } from 'domhandler'
import { isHidden } from '../format/beside.ts'
import { addressIn } from '../page/link-address.ts'
import { filterParts, QuickPass, type Parts } from '../page/in-turns.ts'
import type { PageContent } from '../page/page-content.ts'
import { MIN_ITEMS } from './item-groups.ts'
import { COUNTER } from './next-link.ts'
import { partsOf } from '../../../kernel/url.ts'

const SILENT = new Set(['script', 'style', 'noscript', 'template', 'svg'])
const AROUND = new Set(['nav', 'header', 'footer', 'aside'])
/** Minimum share of the text outside of menus for a form that may contain the page's list. */
const LEAST_OF_TEXT = 0.25
/** Maximum number of links of a form that are checked. */
const MOST_LINKS = 200
/** Steps to resolve an address. */
const ADDRESS_STEPS = 20

/** Returns the characters in each element, by its position in the page. */
export function* textLengths({ tree, budget }: PageContent): Parts<readonly number[]> {
  const { elements } = tree
  budget.work(4 * elements.length)
  const pass = new QuickPass(budget)
  const lengths: number[] = []
  for (const { children } of elements) {
    if (pass.ends()) yield
    lengths.push(
      children.reduce((sum, child) => sum + (isText(child) ? child.data.trim().length : 0), 0),
    )
  }
  for (let index = elements.length - 1; index > 0; index--) {
    if (pass.ends()) yield
    const element = elements[index]
    const above = element?.parent
    if (element === undefined || SILENT.has(element.name)) continue
    if (above !== null && above !== undefined && isTag(above) && above.startIndex !== null)
      lengths[above.startIndex] = (lengths[above.startIndex] ?? 0) + (lengths[index] ?? 0)
  }
  return lengths
}

/**
 * Returns the forms that may contain the list of a page that has no list outside of forms. The
 * menus of a large site may be longer than its list, so their text does not count. `least`: their
 * minimum share of the other text.
 */
export function* listForms(page: PageContent, least = LEAST_OF_TEXT): Parts<ReadonlySet<Element>> {
  const { elements } = page.tree
  const forms: Element[] = []
  let end = -1
  // In XML, forms may contain forms. Only the outer ones count, so that each link is read once.
  for (const [index, element] of elements.entries()) {
    if (element.name !== 'form' || index <= end || isHidden(element)) continue
    forms.push(element)
    end = element.endIndex ?? end
  }
  if (forms.length === 0) return new Set()
  const lengths = yield* textLengths(page)
  const body = elements.find(({ name }) => name === 'body')
  const all = (lengths[body?.startIndex ?? 0] ?? 0) - aroundLength(elements, lengths)
  const leading = new Set<Element>()
  for (const form of forms)
    if ((lengths[form.startIndex ?? 0] ?? 0) >= least * all && (yield* leadsAway(page, form)))
      leading.add(form)
  return leading
}

/** Number of characters in elements whose tags say that they are outside the content. */
function aroundLength(elements: readonly Element[], lengths: readonly number[]): number {
  let length = 0
  let end = -1
  for (const [index, { name, endIndex }] of elements.entries()) {
    if (index <= end || !AROUND.has(name)) continue
    length += lengths[index] ?? 0
    end = endIndex ?? end
  }
  return length
}

/** True if most links of a form lead to other pages, and not to this one with another query. */
function* leadsAway(page: PageContent, { startIndex, endIndex }: Element): Parts<boolean> {
  const first = (startIndex ?? 0) + 1
  const below = page.tree.elements.slice(first, (endIndex ?? -1) + 1)
  page.budget.work(below.length)
  const isLink = (element: Element): boolean => element.name === 'a' && addressIn(element) !== null
  const links = yield* filterParts(below, isLink, page.budget, MOST_LINKS)
  yield
  const addresses = links.map(addressIn).filter((address) => address !== null)
  page.budget.work(ADDRESS_STEPS * addresses.length)
  const own = pathOf(page.url)
  let away = 0
  let staying = 0
  for (const address of addresses) {
    const url = page.resolve(address)
    if (url === null) continue
    if (pathOf(url) !== own) away++
    // Links to other page numbers do not make the form a filter.
    else if (!address.startsWith('#') && !COUNTER.test(address)) staying++
  }
  return away >= Math.max(MIN_ITEMS, staying)
}

function pathOf(url: string): string {
  const { host = '', pathname = '' } = partsOf(url) ?? {}
  return host + pathname
}
