import type { Json } from '../../../kernel/json.ts'
import type { PageContent } from '../page/page-content.ts'
import { textOf } from '../tree/text-content.ts'

const MAX_LINKS = 10_000

/** The page's links as `{ url, text }`, each URL once, with the first text that says something. */
export function pageLinks(page: PageContent): Json {
  const found = new Map<string, string>()
  for (const element of page.tree.elements) {
    if ((element.name !== 'a' && element.name !== 'area') || !Object.hasOwn(element.attribs, 'href')) continue
    const url = page.resolve(element.attribs['href'] ?? '')
    if (url === null || found.get(url)) continue
    found.set(url, textOf(element, page.budget) || (element.attribs['title'] ?? element.attribs['alt'] ?? ''))
    if (found.size === MAX_LINKS) break
  }
  return [...found].map(([url, text]) => ({ url, text }))
}
