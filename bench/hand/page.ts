import { compile as compileSelector, selectAll, selectOne } from 'css-select'
import type { AnyNode, Document, Element } from 'domhandler'
import { textContent } from 'domutils'
import { parseDocument } from 'htmlparser2'

/** The values of one page: a row of a product, or the links of any other page. */
export interface HandPage {
  readonly row: object | null
  readonly links: readonly string[]
}

const compile = (selector: string) => compileSelector<AnyNode, Element>(selector)
const follow = { home: compile('a.category-link'), list: compile('a.product-link, a.next') }
const fields = {
  title: compile('h1.item-name'),
  price: compile('.offer .price'),
  sku: compile('.facts .sku'),
  rating: compile('.stars'),
  description: compile('.about > p'),
}
const one = (field: keyof typeof fields, page: Document) =>
  selectOne<AnyNode, Element>(fields[field], page)
const text = (field: keyof typeof fields, page: Document) => textContent(one(field, page) ?? [])

/** Reads a page of the shop with htmlparser2's tree and selectors that are compiled once. */
export function readHandPage(path: string, html: string): HandPage {
  const page = parseDocument(html)
  if (path.startsWith('/item/')) {
    const row = {
      title: text('title', page),
      price: Number(text('price', page).replace(/[^\d.]/g, '')),
      sku: text('sku', page),
      rating: one('rating', page)?.attribs['data-value'],
      description: text('description', page),
    }
    return { row, links: [] }
  }
  const anchors = selectAll<AnyNode, Element>(path === '/' ? follow.home : follow.list, page)
  return { row: null, links: anchors.flatMap(({ attribs: { href } }) => href ?? []) }
}
