import type { Json } from '../../../kernel/json.ts'
import type { PageContent } from '../page/page-content.ts'

const MAX_PROPERTIES = 500

/**
 * What a page says for machines: its JSON-LD, its outermost microdata items, and the properties of
 * OpenGraph and Twitter cards. `null` where it says nothing.
 */
export function structured(page: PageContent): Json {
  const jsonld = page.data.flatMap((document) => (Array.isArray(document) ? document : [document]))
  const microdata = page.microdata.flatMap(({ value, isTop }) => (isTop ? [value] : []))
  const openGraph = properties(page, /^(?:og|article|book|profile|product|music|video|fb):/)
  const twitter = properties(page, /^twitter:/)
  const isEmpty =
    jsonld.length === 0 &&
    microdata.length === 0 &&
    Object.keys(openGraph).length === 0 &&
    Object.keys(twitter).length === 0
  return isEmpty ? null : { jsonld, microdata, openGraph, twitter }
}

/** A property that is there several times is a list. */
function properties(page: PageContent, wanted: RegExp): { [name: string]: Json } {
  const found = new Map<string, string[]>()
  let count = 0
  for (const { name, attribs } of page.tree.elements) {
    const property = (attribs['property'] ?? attribs['name'])?.trim().toLowerCase()
    const content = attribs['content']?.trim()
    if (
      name !== 'meta' ||
      property === undefined ||
      content === undefined ||
      content === '' ||
      !wanted.test(property)
    )
      continue
    if (++count > MAX_PROPERTIES) {
      page.budget.cut('properties of one kind', MAX_PROPERTIES)
      break
    }
    const values = found.get(property)
    if (values === undefined) found.set(property, [content])
    else values.push(content)
  }
  return Object.fromEntries(
    [...found].map(([name, values]) => [name, values.length === 1 ? (values[0] ?? null) : values]),
  )
}
